// What one command works with: clock, evidence, signals, limits. Made by main(), passed by
// reference.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/base/drill_mark.h"

namespace linkburn {

/// Output that a command was asked for.
struct FormatChoice {
  std::string name;  ///< a renderer of report/render/table.h
  std::string file;  ///< empty: stdout
};

/// The command line, parsed. Every field is echoed into the evidence by its command text.
struct Options {
  std::string command;                      ///< "run", "inspect", "report", "doctor"
  std::string command_line;                 ///< as given, for evidence and lock
  std::string profile;                      ///< run: name or file
  std::vector<std::string> evidence_files;  ///< report
  std::vector<FormatChoice> formats;
  std::string evidence;               ///< --evidence FILE
  std::vector<std::string> captures;  ///< inspect: files, folders, archives; "-" is stdin
  std::string sysroot = "/";          ///< --sysroot DIR
  std::string capture;                ///< --capture FILE; empty: nothing is captured
  bool redact = false;     ///< --redact: the capture without names, serials and addresses
  std::string site;        ///< --site FILE; empty: the node's own, "none": no site file
  std::string write_site;  ///< --write-site FILE
  std::vector<std::string> require;
  std::optional<double> deadline_s;
  std::vector<std::string> lock_files;  ///< --lock FILE; empty: the node's own
  bool quiet = false;
};

struct Session {
  const Clock& clock;
  Options options;
  std::string program;  ///< path that starts a worker of the same binary

  Instant deadline() const;  ///< of the whole command
  Instant started;
  std::string drill_tree = {};  ///< of the drill that this process belongs to; empty: of none
};

}  // namespace linkburn
