#include "bench/base/shipped.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/base/text.h"
#include "bench/base/toml_table.h"

namespace linkburn {
namespace {

constexpr std::string_view kSuffix = ".toml";

}  // namespace

std::vector<std::string> shipped_names(const std::vector<EmbeddedFile>& files) {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : files)
    if (file.name.ends_with(kSuffix))
      names.emplace_back(file.name.substr(0, file.name.size() - kSuffix.size()));
  return names;
}

Result<NamedText> read_named_text(std::string_view kind, const std::string& name_or_file,
                                  const std::vector<EmbeddedFile>& files, std::size_t max_bytes) {
  if (name_or_file.find('/') != std::string::npos || name_or_file.ends_with(kSuffix)) {
    auto text = read_input_file(name_or_file, kind, max_bytes);
    if (!text) return text.error();
    return NamedText{name_or_file, std::move(*text)};
  }
  std::string file = name_or_file + std::string(kSuffix);
  if (const std::string_view text = embedded_file(files, file); !text.empty())
    return NamedText{std::move(file), std::string(text)};
  const std::vector<std::string> names = shipped_names(files);
  const auto close = nearest(name_or_file, names);
  return Error{Code::not_found,
               fmt::format("no {} '{}'", kind, printable(name_or_file, 64)),
               {},
               close ? fmt::format("did you mean '{}'?", *close)
                     : fmt::format("there is: {}; or give a .toml file", fmt::join(names, ", "))};
}

}  // namespace linkburn
