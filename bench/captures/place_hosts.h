// Folders and files that are named after the nodes whose texts they hold: node01/ beside node02/.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "bench/captures/draft.h"

namespace linkburn {

/// A name with a number is that of a node where another of the same kind lies beside it. Files are
/// less certain than folders: theirs are names of nodes when two of them tell of the same device.
class PlaceHosts {
 public:
  /// Notes where a text lies: "rack.tgz:rack/node01/lspci.txt"; a folder ends with a slash.
  void add(const std::string& source, const NodeDraft& draft);

  struct Place {
    std::string name;    ///< "node01"
    std::string folder;  ///< "rack.tgz:rack/node01"; of a file the file itself
  };
  /// The innermost that names a node.
  std::optional<Place> of(const std::string& source) const;

 private:
  struct Siblings {
    std::set<std::string> names;
    std::map<std::string, std::string> told_by;  ///< device or port to the file that tells of it
    bool tell_the_same = false;
  };
  std::map<std::string, Siblings> folders_, files_;  ///< by the folder above and the kind of name
};

}  // namespace linkburn
