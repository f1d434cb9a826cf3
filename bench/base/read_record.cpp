#include "bench/base/read_record.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "bench/base/text.h"

namespace linkburn {
namespace {

constexpr std::size_t kMaxErrorBytes = 1024;

}  // namespace

std::string to_text(const KeptErrors& errors) {
  std::string text;
  for (const auto& [path, error] : errors)
    text +=
        fmt::format("{}\t{}\t{}\t{}\n", path, to_string(error.code),
                    printable(error.what, kMaxErrorBytes), printable(error.fix, kMaxErrorBytes));
  return text;
}

KeptErrors parse_kept_errors(std::string_view text) {
  KeptErrors errors;
  for (std::string_view line : lines_of(text)) {
    std::array<std::string, 4> parts;
    for (std::string& part : parts) {
      const std::size_t tab = std::min(line.find('\t'), line.size());
      part = printable(line.substr(0, tab), kMaxErrorBytes);
      line.remove_prefix(std::min(tab + 1, line.size()));
    }
    const auto code = code_from(parts[1]);
    if (code && !parts[0].empty()) errors[parts[0]] = Error{*code, parts[2], {}, parts[3]};
  }
  return errors;
}

void ReadRecord::file(const std::string& path, std::string bytes) {
  if (partial_.erase(path) > 0) files_.erase(path);
  if (!files_.contains(path)) files_[path] = std::move(bytes);
  errors_.erase(path);
}

void ReadRecord::part(const std::string& path, std::size_t offset, std::string_view bytes) {
  if (files_.contains(path) && !partial_.contains(path)) return;
  partial_.insert(path);
  std::string& whole = files_[path];
  if (bytes.empty()) return;  // the file ends somewhere before
  whole.resize(std::max(whole.size(), offset + bytes.size()), '\0');
  whole.replace(offset, bytes.size(), bytes);
}

void ReadRecord::link(const std::string& path, std::string target) {
  if (!links_.contains(path)) links_[path] = std::move(target);
}

void ReadRecord::error(const std::string& path, Error error) {
  if (files_.contains(path)) return;
  error.source.clear();
  errors_.try_emplace(path, std::move(error));
}

std::set<std::string> ReadRecord::bare_names() const {
  std::set<std::string> bare;
  for (const std::string& path : seen_)
    if (!files_.contains(path) && !links_.contains(path) && !folders_.contains(path))
      bare.insert(path);
  return bare;
}

KeptErrors ReadRecord::errors() const {
  KeptErrors all = errors_;
  for (const std::string& path : bare_names())
    all.try_emplace(path,
                    Error{Code::not_found, "was not read when this node was captured", {}, {}});
  return all;
}

}  // namespace linkburn
