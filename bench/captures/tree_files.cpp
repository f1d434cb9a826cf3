#include "bench/captures/tree_files.h"

#include <algorithm>
#include <array>
#include <vector>

namespace linkburn {
namespace {

constexpr std::size_t kMaxTopNames = 6;
constexpr std::size_t kMaxFileBytes = 1U << 20U;  // of sysfs and proc files that anybody reads
constexpr std::size_t kMaxLogBytes = 64U << 20U;  // as of the logs of captured trees
constexpr std::string_view kLog = "var/log/dmesg";

constexpr std::size_t kHeaderBytes = 64;          // of config space, for everybody
constexpr std::size_t kCapabilityPointer = 0x34;  // [PCI Local Bus Specification 3.0, section 6.1]

bool is_sysfs(std::string_view below) {
  constexpr std::array<std::string_view, 7> kFolders{"bus",      "class",  "devices", "block",
                                                     "firmware", "module", "kernel"};
  const std::string_view first = below.substr(0, below.find('/'));
  return std::find(kFolders.begin(), kFolders.end(), first) != kFolders.end();
}

bool is_tree_path(std::string_view path) {
  if (path.starts_with("sys/")) return is_sysfs(path.substr(4));
  return path.starts_with("proc/") || path.starts_with("linkburn/") || path == kLog;
}

/// The file's own bytes, without what tar adds to a file that turned out shorter than announced.
void take_padding_off(std::string_view path, std::string& bytes) {
  const std::size_t last = bytes.find_last_not_of('\0');
  const std::size_t size = last == std::string::npos ? 0 : last + 1;
  if (path.ends_with("/config")) {
    const bool only_header =
        bytes.size() > kHeaderBytes && size <= kHeaderBytes && bytes[kCapabilityPointer] != '\0';
    if (only_header) bytes.resize(kHeaderBytes);
    return;
  }
  if (bytes.find('\0') == size) bytes.resize(size);
}

Result<std::string> bytes_of(ByteSource& source, std::size_t limit) {
  std::string bytes;
  std::array<char, 16 * 1024> block;
  while (bytes.size() <= limit) {
    const auto got = source.read(block.data(), block.size());
    if (!got) return got.error();
    if (*got == 0) break;
    bytes.append(block.data(), *got);
  }
  return bytes;
}

}  // namespace

std::optional<TreePlace> tree_place(std::string_view path) {
  while (path.starts_with("./")) path.remove_prefix(2);
  while (path.starts_with('/')) path.remove_prefix(1);
  std::size_t at = 0;
  for (std::size_t names = 0; names < kMaxTopNames; ++names) {
    const std::string_view rest = path.substr(at);
    if (is_tree_path(rest))
      return TreePlace{std::string(path.substr(0, at == 0 ? 0 : at - 1)), std::string(rest)};
    const std::size_t slash = path.find('/', at);
    if (slash == path.npos) break;
    at = slash + 1;
  }
  return std::nullopt;
}

Result<bool> put_member(const Member& member, const std::string& path, ByteSource& bytes,
                        MemoryTree& tree) {
  if (!member.same_as.empty()) {
    const auto other = tree_place(member.same_as);
    const MemoryTree::Entry* same = other ? tree.find(other->path) : nullptr;
    if (same != nullptr && same->kind == MemoryTree::Kind::file) tree.put_file(path, same->text);
    return !tree.full();
  }
  switch (member.kind) {
    case Member::Kind::folder:
      tree.put_folder(path);
      break;
    case Member::Kind::link:
      tree.put_link(path, member.target);
      break;
    case Member::Kind::file: {
      const bool is_log = path == kLog || path.starts_with("linkburn/");
      auto text = bytes_of(bytes, is_log ? kMaxLogBytes : kMaxFileBytes);
      if (!text) return text.error();
      if (path.starts_with("sys/")) take_padding_off(path, *text);
      tree.put_file(path, std::move(*text));
      break;
    }
    case Member::Kind::other:
      break;
  }
  return !tree.full();
}

}  // namespace linkburn
