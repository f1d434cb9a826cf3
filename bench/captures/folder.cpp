#include "bench/captures/folder.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

namespace linkburn {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFiles = 100'000;
constexpr int kMaxDepth = 64;

bool is_real_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(fs::symlink_status(path, error));
}

/// "sys" with what a node's has, or what linkburn keeps beside it.
bool is_node(const fs::path& folder) {
  const fs::path sys = folder / "sys";
  if (!is_real_folder(sys)) return false;
  return is_real_folder(sys / "bus") || is_real_folder(sys / "class") ||
         is_real_folder(sys / "devices");
}

class Walk {
 public:
  explicit Walk(const fs::path& given) : given_(given) {}

  Status run() { return enter(given_, {}, 0); }
  FolderContent take() { return std::move(content_); }

 private:
  Status enter(const fs::path& folder, std::string node, int depth) {
    if (node.empty() && is_node(folder)) {
      node = folder.string();
      content_.nodes.push_back(node);
    }
    std::vector<fs::directory_entry> entries;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
      if (entries.size() <= kMaxFiles) entries.push_back(*at);
    if (error)
      content_.errors.push_back(errno_error(error.value(), "cannot list", folder.string(),
                                            "what is in it is not judged"));
    std::sort(entries.begin(), entries.end());
    for (const fs::directory_entry& entry : entries)
      if (const Status status = look_at(entry, node, depth); !status) return status;
    return {};
  }

  Status look_at(const fs::directory_entry& entry, const std::string& node, int depth) {
    std::error_code error;
    const auto status = entry.symlink_status(error);
    const std::string path = entry.path().string();
    if (fs::is_directory(status))
      return depth < kMaxDepth && !is_of_tree(path, node) ? enter(entry.path(), node, depth + 1)
                                                          : Status();
    if (!fs::is_regular_file(status) || is_of_tree(path, node)) return {};
    content_.files.push_back({path, node.empty() ? group_of(entry.path()) : node});
    if (content_.files.size() <= kMaxFiles) return {};
    return Error{Code::invalid, fmt::format("more than {} files", kMaxFiles), given_.string(),
                 "give the folder that holds the captures"};
  }

  /// What the discovery of that node reads, and nobody else.
  static bool is_of_tree(const std::string& path, const std::string& node) {
    if (node.empty()) return false;
    const std::string below = path.substr(std::min(node.size() + 1, path.size()));
    return below == "sys" || below == "proc" || below == "linkburn" || below == "var/log/dmesg";
  }

  std::string group_of(const fs::path& file) const {
    fs::path group = given_;
    const fs::path below = file.parent_path().lexically_relative(given_);
    int names = 0;
    for (const fs::path& name : below)
      if (name != "." && names++ < 2) group /= name;
    return group.string();
  }

  const fs::path given_;
  FolderContent content_;
};

}  // namespace

Result<FolderContent> look_into(const std::string& folder) {
  // Without a slash at its end, which would be one more name.
  std::string given = folder;
  while (given.size() > 1 && given.back() == '/') given.pop_back();
  Walk walk(given);
  if (const Status status = walk.run(); !status) return status.error();
  return walk.take();
}

}  // namespace linkburn
