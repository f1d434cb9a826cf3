#include "bench/captures/intake.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "bench/base/text.h"
#include "bench/captures/discover_tree.h"
#include "bench/captures/join.h"
#include "bench/captures/join_logs.h"
#include "bench/captures/tree_files.h"
#include "bench/captures/utf16.h"

namespace linkburn {
namespace {

constexpr std::size_t kChunkBytes = 256 * 1024;
constexpr std::size_t kMaxGroups = 4096;
constexpr std::size_t kMaxErrors = 1000;
constexpr std::size_t kMaxHostBytes = 255;  // [hostname(7)]

/// In a log or a table there are none [sosreport members: journals, databases, core files].
bool is_binary(std::string_view head) {
  return head.find('\0') != head.npos && !Utf16Decoder::order_of(head);
}

/// "bug.tgz:sos/sos_commands": texts are grouped by their two uppermost folders, below which a
/// node of several has its own.
std::string key_of(const std::string& archive, std::string_view path) {
  std::string key = archive;
  for (int names = 0; names < 2;) {
    const std::size_t slash = path.find('/');
    if (slash == path.npos) break;
    const std::string_view name = path.substr(0, slash);
    path.remove_prefix(slash + 1);
    if (name.empty() || name == ".") continue;
    key += (names == 0 ? ":" : "/") + std::string(name);
    ++names;
  }
  return key;
}

bool is_host_file(std::string_view name) {
  return name == "hostname" || name.ends_with("/hostname") || name.ends_with(":hostname");
}

bool tells_kernel_log(const NodeDraft& node) {
  return std::any_of(node.parts.begin(), node.parts.end(),
                     [](const CapturePart& part) { return part.reader == "kernel_log"; });
}

/// A tree without its log has none to miss where a text holds it.
void take_absence_back(NodeDraft& node) {
  if (!tells_kernel_log(node)) return;
  std::erase_if(node.records, [](const Body& body) {
    const auto* part = std::get_if<Part>(&body);
    return part != nullptr && part->name == "kernel_log" && part->status == "absent";
  });
}

/// A report of a whole machine has thousands of texts that say nothing of links: they are counted.
void count_unknown_texts(NodeDraft& node) {
  constexpr std::size_t kMaxNamed = 16;
  std::set<std::string> known, unknown;
  for (const CapturePart& part : node.parts)
    (part.reader.empty() ? unknown : known).insert(part.source);
  for (const std::string& source : known) unknown.erase(source);
  if (unknown.size() <= kMaxNamed) return;
  std::erase_if(node.parts, [&](const CapturePart& part) { return unknown.contains(part.source); });
  node.records.emplace_back(
      Part{"other_texts",
           "found",
           {},
           {},
           fmt::format("{} texts hold nothing that linkburn reads", unknown.size()),
           {}});
}

bool lies_in(const std::string& source, const std::string& place) {
  return source.starts_with(place) && (source.size() == place.size() ||
                                       source[place.size()] == '/' || source[place.size()] == ':');
}

bool has_part_in(const NodeDraft& node, const std::string& place) {
  return std::any_of(node.parts.begin(), node.parts.end(),
                     [&](const CapturePart& part) { return lies_in(part.source, place); });
}

/// "rack/node07/lspci.txt" has a folder with the node's name.
bool is_under_name(const NodeDraft& node, const std::string& source) {
  for (std::size_t begin = 0, end = 0; end < source.size(); begin = end + 1) {
    end = std::min(source.find_first_of("/:", begin), source.size());
    if (!node.name.empty() && source.compare(begin, end - begin, node.name) == 0) return true;
  }
  return false;
}

/// The nodes that a file may be of: the one that is named in its path, else all those of its
/// folder or of the next above it that has any.
std::vector<NodeDraft*> nodes_near(std::string place, std::vector<NodeDraft>& nodes) {
  const auto those = [&](const auto& fits) {
    std::vector<NodeDraft*> found;
    for (NodeDraft& node : nodes)
      if (fits(node)) found.push_back(&node);
    return found;
  };
  auto found = those([&](const NodeDraft& node) { return is_under_name(node, place); });
  while (found.empty() && !place.empty()) {
    found = those([&](const NodeDraft& node) { return has_part_in(node, place); });
    const std::size_t end = place.find_last_of("/:");
    place.resize(end == std::string::npos ? 0 : end);
  }
  return found.empty() ? those([](const NodeDraft&) { return true; }) : found;
}

}  // namespace

void Intake::note(const Error& error) {
  const bool known = std::any_of(errors_.begin(), errors_.end(),
                                 [&](const Error& other) { return other.line() == error.line(); });
  if (!known && errors_.size() < kMaxErrors) errors_.push_back(error);
}

Intake::Group& Intake::group(const std::string& key, const std::string& otherwise) {
  const bool has_room = groups_.size() < kMaxGroups || groups_.contains(key);
  return groups_[has_room ? key : otherwise];
}

Status Intake::take(ByteSource& bytes, const std::string& name, const std::string& folder) {
  Unpacked unpacked{unpack_, 0, 0, &bytes};
  const Status status = take_bytes(bytes, name, folder, unpacked, 0);
  if (status || ends_reading(status.error())) return status;
  note(status.error());
  return {};
}

Status Intake::take_bytes(ByteSource& bytes, const std::string& name, const std::string& key,
                          Unpacked& unpacked, int depth) {
  const auto head = bytes.head();
  if (!head) return head.error();
  if (head->empty()) return {};
  if (is_archive(*head)) return take_archive(bytes, {name, key, depth}, unpacked);
  if (is_binary(*head)) {
    ++binaries_;
    return {};
  }
  if (is_host_file(name) && head->size() <= kMaxHostBytes) return take_host(bytes, key);
  return take_text(bytes, name, group(key).collector);
}

Status Intake::take_text(ByteSource& bytes, const std::string& name, Collector& collector) {
  ++texts_;
  std::vector<char> chunk(kChunkBytes);
  Status status;
  collector.begin(name);
  while (true) {
    const auto got = bytes.read(chunk.data(), chunk.size());
    if (!got) status = got.error();
    if (!got || *got == 0) break;
    collector.take({chunk.data(), *got});
  }
  collector.end();
  return status;
}

/// A sosreport has the host's name in sos_commands/host/hostname and etc/hostname.
Status Intake::take_host(ByteSource& bytes, std::string key) {
  for (const std::string_view folder : {"/sos_commands/host", "/sos_commands", "/etc"})
    if (key.ends_with(folder)) key.resize(key.size() - folder.size());
  std::array<char, kMaxHostBytes + 1> text{};
  const auto got = bytes.read(text.data(), text.size());
  if (!got) return got.error();
  const std::string_view name = trim({text.data(), *got});
  const bool is_name =
      !name.empty() && name.find_first_of(" \t\n/") == name.npos && !name.starts_with("localhost");
  if (!is_name) return {};
  ++texts_;
  if (Group& here = group(key); here.host.empty()) here.host = printable(name, kMaxHostBytes);
  return {};
}

Status Intake::take_archive(ByteSource& bytes, const Place& at, Unpacked& unpacked) {
  if (at.depth > unpack_.max_depth) {
    note({Code::invalid,
          fmt::format("unpacked no further: it lies in more than {} archives", unpack_.max_depth),
          at.name, "give the inner archive by itself"});
    return {};
  }
  const Status status =
      read_archive(bytes, at.name, unpacked, [&](const Member& member, ByteSource& content) {
        return take_member(member, content, at, unpacked);
      });
  if (status) return {};
  // A limit holds for the outermost archive: that one says so.
  const bool ends_all = at.depth > 0 && !unpacked.check(at.name);
  if (ends_all || ends_reading(status.error())) return status;
  note(status.error());
  return {};
}

Status Intake::take_member(const Member& member, ByteSource& bytes, const Place& at,
                           Unpacked& unpacked) {
  if (member.path.empty())
    return member.kind == Member::Kind::file
               ? take_bytes(bytes, at.name, at.folder, unpacked, at.depth + 1)
               : Status();
  const std::string path = printable(member.path, 1024);
  if (const auto place = tree_place(path)) {
    const std::string key = at.name + (place->top.empty() ? "" : ":" + place->top);
    return take_tree_member(member, place->path, bytes, key, at.name);
  }
  if (member.kind != Member::Kind::file || !member.same_as.empty()) return {};
  const std::string key = key_of(at.name, path);
  group(key, at.name);
  return take_bytes(bytes, fmt::format("{}:{}", at.name, path),
                    groups_.contains(key) ? key : at.name, unpacked, at.depth + 1);
}

Status Intake::take_tree_member(const Member& member, const std::string& path, ByteSource& bytes,
                                const std::string& key, const std::string& archive) {
  Group& here = group(key, archive);
  if (!here.tree) here.tree = std::make_shared<MemoryTree>();
  const std::size_t before = here.tree->bytes();
  const bool has_room = tree_bytes_ < MemoryTree::kMaxBytes;
  const auto put = has_room ? put_member(member, path, bytes, *here.tree) : Result<bool>(false);
  if (!put) return put.error();
  tree_bytes_ += here.tree->bytes() - before;
  if (!*put)
    note({Code::invalid,
          fmt::format("its trees hold more than {} MiB: the rest of them was left out",
                      MemoryTree::kMaxBytes >> 20U),
          archive, "pack what linkburn reads: linkburn inspect --capture FILE.tar.gz"});
  return {};
}

void Intake::take_tree(const Sysroot& root, const std::string& folder) {
  Group& here = group(folder);
  here.has_tree = discover_captured(root, here.collector.node()) || here.has_tree;
}

void Intake::take_texts_of(const std::string& name, const MemoryTree::Entry& folder, Group& group) {
  for (const auto& [entry_name, entry] : folder.entries) {
    const std::string path = fmt::format("{}/{}", name, entry_name);
    if (entry->kind == MemoryTree::Kind::folder) take_texts_of(path, *entry, group);
    if (entry->kind != MemoryTree::Kind::file || entry->text.empty() || is_binary(entry->text))
      continue;
    MemorySource bytes(entry->text);
    (void)take_text(bytes, path, group.collector);
  }
}

/// What looked like a tree and holds no node is a folder of texts.
void Intake::settle_tree(const std::string& key, Group& group) {
  if (!group.tree) return;
  group.collector.switch_to("");
  if (discover_captured(Sysroot::of(group.tree, key), group.collector.node()))
    group.has_tree = true;
  else
    take_texts_of(key, group.tree->root(), group);
}

Captured Intake::finish() && {
  std::vector<DraftGroup> groups;
  for (auto& [key, group] : groups_) {
    settle_tree(key, group);
    const bool is_node = group.has_tree || !group.host.empty();
    groups.push_back({key, group.host, is_node, std::move(group.collector).drafts()});
  }
  Captured captured{joined(std::move(groups))};
  for (NodeDraft& node : captured.nodes) {
    discover_shown(node);
    join_logs(node);
    take_absence_back(node);
    count_unknown_texts(node);
  }
  if (binaries_ > 0 && !captured.nodes.empty())
    captured.nodes.front().records.emplace_back(
        Part{"binary_files",
             "found",
             {},
             {},
             fmt::format("{} files that hold no text were not read", binaries_),
             {}});
  // What was not read may hold anything: an error about the node itself keeps it from passing.
  for (const Error& error : errors_)
    for (NodeDraft* node : nodes_near(error.source, captured.nodes))
      node->records.emplace_back(ToolError{std::string(to_string(error.code)),
                                           error.what,
                                           error.source,
                                           error.fix,
                                           ComponentId::node(),
                                           {}});
  return captured;
}

}  // namespace linkburn
