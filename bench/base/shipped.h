// TOML texts that a user names: one that is part of the program, or a file of the user's own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/base/embedded.h"
#include "bench/base/result.h"

namespace linkburn {

struct NamedText {
  std::string source;  ///< for messages: "smoke.toml", or the path that was given
  std::string text;
};

/// The names of the TOML texts among `files`, without ".toml".
std::vector<std::string> shipped_names(const std::vector<EmbeddedFile>& files);

/// What has a slash or ends in ".toml" is a file, all else a name among `files`. `kind` is the word
/// for it in messages ("profile"); the Error of a wrong name says which there are.
Result<NamedText> read_named_text(std::string_view kind, const std::string& name_or_file,
                                  const std::vector<EmbeddedFile>& files, std::size_t max_bytes);

}  // namespace linkburn
