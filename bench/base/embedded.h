// Data files that are part of the program: profiles and the JSON schema of the report.
#pragma once

#include <string_view>
#include <vector>

namespace linkburn {

struct EmbeddedFile {
  std::string_view name;  ///< "smoke.toml"
  std::string_view text;
};

/// Filled by the build (scripts/cmake/Library.cmake, linkburn_embed).
const std::vector<EmbeddedFile>& embedded_files();

/// Nothing when no file of that name is part of the program.
inline std::string_view embedded_file(std::string_view name) {
  for (const EmbeddedFile& file : embedded_files())
    if (file.name == name) return file.text;
  return {};
}

}  // namespace linkburn
