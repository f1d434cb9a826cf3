#include "bench/base/memory_tree.h"

#include <optional>
#include <utility>
#include <vector>

namespace linkburn {
namespace {

constexpr std::size_t kEntryBytes = sizeof(MemoryTree::Entry) + 64;  // and its place in the map

/// Nothing for a path that leads upwards, or is too deep.
std::optional<std::vector<std::string_view>> names_of(std::string_view path) {
  std::vector<std::string_view> names;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view name = path.substr(0, slash);
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
    if (name.empty() || name == ".") continue;
    if (name == ".." || names.size() >= MemoryTree::kMaxNames) return std::nullopt;
    names.push_back(name);
  }
  return names;
}

}  // namespace

const MemoryTree::Entry* MemoryTree::Entry::find(std::string_view name) const {
  const auto found = entries.find(name);
  return found == entries.end() ? nullptr : found->second.get();
}

const MemoryTree::Entry* MemoryTree::find(std::string_view path) const {
  const auto names = names_of(path);
  if (!names) return nullptr;
  const Entry* at = &root_;
  for (const std::string_view name : *names)
    if (at = at->find(name); at == nullptr) return nullptr;
  return at;
}

MemoryTree::Entry* MemoryTree::add(Entry& folder, std::string_view name, Kind kind) {
  const std::size_t size = kEntryBytes + name.size();
  if (bytes_ + size > kMaxBytes) {
    full_ = true;
    return nullptr;
  }
  bytes_ += size;
  auto& entry = folder.entries[std::string(name)];
  entry = std::make_unique<Entry>();
  entry->kind = kind;
  return entry.get();
}

bool MemoryTree::put(std::string_view path, Kind kind, std::string text) {
  const auto names = names_of(path);
  if (!names || names->empty()) return false;
  if (bytes_ + text.size() > kMaxBytes) {
    full_ = true;
    return false;
  }
  Entry* at = &root_;
  for (std::size_t i = 0; i < names->size(); ++i) {
    const bool is_last = i + 1 == names->size();
    const auto found = at->entries.find((*names)[i]);
    const bool is_new = found == at->entries.end();
    Entry* next =
        is_new ? add(*at, (*names)[i], is_last ? kind : Kind::folder) : found->second.get();
    if (next == nullptr || (!is_last && next->kind != Kind::folder)) return false;
    if (is_last && !is_new) return next->kind == kind;
    at = next;
  }
  bytes_ += text.size();
  at->text = std::move(text);
  return true;
}

bool MemoryTree::put_file(std::string_view path, std::string bytes) {
  return put(path, Kind::file, std::move(bytes));
}

bool MemoryTree::put_link(std::string_view path, std::string target) {
  return put(path, Kind::link, std::move(target));
}

}  // namespace linkburn
