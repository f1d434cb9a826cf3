// Data files that are part of the program: profiles, the JSON schema of the report, ratings.
#pragma once

#include <string_view>
#include <vector>

namespace linkburn {

struct EmbeddedFile {
  std::string_view name;  ///< "smoke.toml"
  std::string_view text;
};

/// Filled by the build (scripts/cmake/Library.cmake, linkburn_embed): those of the harness, those
/// of the judge, which is complete without the harness, and the scenarios of the drill.
const std::vector<EmbeddedFile>& embedded_files();
const std::vector<EmbeddedFile>& embedded_ratings();
const std::vector<EmbeddedFile>& embedded_scenarios();

/// Nothing when no file of that name is among them.
inline std::string_view embedded_file(const std::vector<EmbeddedFile>& files,
                                      std::string_view name) {
  for (const EmbeddedFile& file : files)
    if (file.name == name) return file.text;
  return {};
}
inline std::string_view embedded_file(std::string_view name) {
  return embedded_file(embedded_files(), name);
}

}  // namespace linkburn
