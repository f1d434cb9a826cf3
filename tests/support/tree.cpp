#include "tests/support/tree.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

#include "bench/base/text.h"

namespace linkburn::test {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxIncludeDepth = 8;
constexpr std::int64_t kMaxRun = 1 << 20;  // equal bytes written as one word

struct Entry {
  enum class Kind { folder, file, link };
  Kind kind = Kind::folder;
  std::string text;  ///< content of a file, target of a link
  std::optional<mode_t> mode;
};

bool is_clean(std::string_view path) {
  for (const fs::path& name : fs::path(path))
    if (name.empty() || name == "." || name == ".." || name == "/") return false;
  return !path.empty() && path.find("//") == std::string_view::npos;
}

/// Nothing when an escape is none of ours.
std::optional<std::string> unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    if (++i == text.size() || (text[i] != 'n' && text[i] != '\\')) return std::nullopt;
    out += text[i] == 'n' ? '\n' : '\\';
  }
  return out;
}

/// Splits "left MARK right"; `line` may also end with the mark. Left and right have no blanks
/// around.
struct Split {
  std::string_view left, right;
};
std::optional<Split> split_at(std::string_view line, std::string_view mark) {
  const std::string middle = fmt::format(" {} ", mark);
  const std::string end = fmt::format(" {}", mark);
  if (const auto at = line.find(middle); at != std::string_view::npos)
    return Split{trim(line.substr(0, at)), line.substr(at + middle.size())};
  if (line.ends_with(end)) return Split{trim(line.substr(0, line.size() - end.size())), {}};
  return std::nullopt;
}

/// "10 de 00*40": bytes in hexadecimal, a run of equal ones with its length; nothing when
/// malformed.
std::optional<std::string> bytes_of(std::string_view text) {
  std::string bytes;
  for (const std::string_view word : words_of(text)) {
    if (word.size() != 2 && (word.size() < 4 || word[2] != '*')) return std::nullopt;
    const auto byte = parse_int(word.substr(0, 2), 16).value_or(-1);
    const auto count = word.size() == 2 ? 1 : parse_int(word.substr(3)).value_or(0);
    if (byte < 0 || count < 1 || count > kMaxRun) return std::nullopt;
    bytes.append(static_cast<std::size_t>(count), static_cast<char>(byte));
  }
  return bytes;
}

/// The entries that a tree and its overlays describe, and the file system made of them.
class Tree {
 public:
  Status read(const std::string& file, const std::string& prefix = {}, int depth = 0);
  Status write(const fs::path& target) const;

 private:
  /// Each returns what is wrong with the line; empty when nothing is.
  std::string take(std::string_view line, std::string& prefix);
  std::string take_bytes(std::string_view path, std::string_view rest, const std::string& prefix);
  std::string put(const std::string& path, Entry entry);
  std::string patch(const std::string& path, std::size_t offset, const std::string& bytes);
  std::string remove(const std::string& path);
  std::string set_mode(const std::string& path, std::string_view octal);

  bool has_children(const std::string& path) const {
    const auto next = entries_.upper_bound(path + "/");
    return next != entries_.end() && next->first.starts_with(path + "/");
  }

  std::map<std::string, Entry> entries_;  ///< parents sort before what is in them
};

std::string join(const std::string& prefix, std::string_view path) {
  return prefix.empty() ? std::string(path) : fmt::format("{}/{}", prefix, path);
}

Status Tree::read(const std::string& file, const std::string& prefix, int depth) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return Error{Code::not_found, "cannot open the tree", file, {}};
  std::ostringstream text;
  text << in.rdbuf();
  const std::string bytes = text.str();
  std::string within = prefix;
  int number = 0;
  for (const std::string_view raw : lines_of(bytes)) {
    const std::string source = fmt::format("{}:{}", file, ++number);
    std::string_view line = raw;
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.empty() || line.starts_with('#')) continue;
    if (line.starts_with("@include ")) {
      if (depth == kMaxIncludeDepth)
        return Error{Code::invalid, "includes are nested too deeply", source, {}};
      const fs::path other = fs::path(file).parent_path() / trim(line.substr(9));
      if (const Status status = read(other.string(), within, depth + 1); !status) return status;
      continue;
    }
    if (const std::string wrong = take(line, within); !wrong.empty())
      return Error{Code::invalid, wrong, source, {}};
  }
  return {};
}

std::string Tree::take(std::string_view line, std::string& prefix) {
  if (line.starts_with("@in ")) {
    const std::string_view path = trim(line.substr(4));
    prefix = path == "/" ? "" : std::string(path);
    return path == "/" || is_clean(path) ? "" : "path leads outside the tree or is not plain";
  }
  if (line.starts_with('@')) return "unknown directive";
  if (line.starts_with('!')) return remove(join(prefix, trim(line.substr(1))));
  // The first mark of a line is the one that counts: text may hold another one.
  const std::size_t binary = line.find(" =x");
  if (binary < line.find(" = "))
    return take_bytes(line.substr(0, binary), line.substr(binary + 3), prefix);
  if (const auto file = split_at(line, "=")) {
    auto content = unescape(file->right);
    if (!content) return "unknown escape; write \\n or \\\\";
    if (!file->right.empty()) *content += '\n';
    return put(join(prefix, file->left), {Entry::Kind::file, *content, {}});
  }
  if (const auto link = split_at(line, "->")) {
    const std::string_view target = trim(link->right);
    if (target.empty()) return "a link needs a target";
    return put(join(prefix, link->left), {Entry::Kind::link, std::string(target), {}});
  }
  if (const auto mode = split_at(line, "! mode"))
    return set_mode(join(prefix, mode->left), mode->right);
  line = trim(line);
  if (line.ends_with('/')) return put(join(prefix, line.substr(0, line.size() - 1)), {});
  return "expected path = content, path =x bytes, path -> target, path/, path ! mode NNN or !path";
}

/// `rest` is what follows "=x": bytes, or "@OFFSET bytes".
std::string Tree::take_bytes(std::string_view path, std::string_view rest,
                             const std::string& prefix) {
  const std::string place = join(prefix, trim(path));
  const std::size_t blank = std::min(rest.find(' '), rest.size());
  const auto bytes = bytes_of(rest.substr(blank));
  if (!bytes) return "expected bytes such as 10 de 00*40";
  if (blank == 0) return put(place, {Entry::Kind::file, *bytes, {}});
  const auto offset = rest[0] == '@' ? parse_int(rest.substr(1, blank - 1), 16) : std::nullopt;
  if (!offset || *offset < 0) return "expected =x or =x@OFFSET, in hexadecimal";
  return patch(place, static_cast<std::size_t>(*offset), *bytes);
}

std::string Tree::patch(const std::string& path, std::size_t offset, const std::string& bytes) {
  const auto found = entries_.find(path);
  if (found == entries_.end() || found->second.kind != Entry::Kind::file)
    return fmt::format("{} is no file of this tree", path);
  std::string& text = found->second.text;
  if (offset > text.size() || bytes.size() > text.size() - offset)
    return fmt::format("{} has {} bytes; a patch cannot lengthen it", path, text.size());
  text.replace(offset, bytes.size(), bytes);
  return {};
}

std::string Tree::put(const std::string& path, Entry entry) {
  if (!is_clean(path)) return "path leads outside the tree or is not plain";
  for (std::size_t slash = path.find('/'); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    const Entry& parent = entries_[path.substr(0, slash)];
    if (parent.kind != Entry::Kind::folder)
      return fmt::format("{} is not a directory", path.substr(0, slash));
  }
  if (entry.kind != Entry::Kind::folder && has_children(path))
    return fmt::format("{} is a directory with entries; remove it first", path);
  entries_[path] = std::move(entry);
  return {};
}

std::string Tree::remove(const std::string& path) {
  if (entries_.erase(path) == 0) return fmt::format("{} is not there to remove", path);
  while (has_children(path)) entries_.erase(entries_.upper_bound(path + "/"));
  return {};
}

std::string Tree::set_mode(const std::string& path, std::string_view octal) {
  const auto found = entries_.find(path);
  if (found == entries_.end() || found->second.kind != Entry::Kind::file)
    return fmt::format("{} is no file of this tree", path);
  const auto mode = parse_int(octal, 8);
  if (!mode || *mode < 0 || *mode > 0777) return "expected a mode such as 000 or 644";
  found->second.mode = static_cast<mode_t>(*mode);
  return {};
}

Status Tree::write(const fs::path& target) const {
  for (const auto& [path, entry] : entries_) {
    const fs::path place = target / path;
    std::error_code error;
    if (entry.kind == Entry::Kind::folder) fs::create_directory(place, error);
    if (entry.kind == Entry::Kind::link) fs::create_symlink(entry.text, place, error);
    if (entry.kind == Entry::Kind::file) {
      std::ofstream out(place, std::ios::binary);
      out << entry.text;
      out.close();
      if (!out) error = std::make_error_code(std::errc::io_error);
      if (!error && entry.mode && ::chmod(place.c_str(), *entry.mode) != 0)
        error = std::error_code(errno, std::generic_category());
    }
    if (error) return errno_error(error.value(), "cannot write the tree", place.string());
  }
  return {};
}

}  // namespace

Status unpack_tree(const std::string& tree, const std::vector<std::string>& overlays,
                   const std::string& target) {
  Tree entries;
  if (const Status status = entries.read(tree); !status) return status;
  for (const std::string& overlay : overlays)
    if (const Status status = entries.read(overlay); !status) return status;
  std::error_code error;
  fs::create_directories(target, error);
  if (error) return errno_error(error.value(), "cannot make the directory", target);
  if (!fs::is_empty(target, error) || error)
    return Error{Code::busy, "the directory is not empty", target, "give one that is"};
  return entries.write(target);
}

std::string node_file(std::string_view name) {
  if (name.find('/') != std::string_view::npos) return std::string(name);
  const fs::path written = fs::path(LINKBURN_NODES_DIR) / name;
  if (fs::exists(written)) return written.string();
  return (fs::path(LINKBURN_MADE_NODES_DIR) / name).string();
}

}  // namespace linkburn::test
