// Files of sysfs with their paths, as grep, head, cat and shell loops print them.
#include <algorithm>
#include <array>
#include <optional>

#include "bench/base/text.h"
#include "bench/captures/shown_files.h"
#include "bench/captures/sysfs_path.h"
#include "bench/captures/table.h"

namespace linkburn {
namespace {

/// One line, taken apart.
struct Shown {
  enum class Kind {
    content,  ///< path and content in one line
    header,   ///< a path; content follows
    link,     ///< a folder that a link leads to
    trouble,  ///< a file that could not be read
    remark,   ///< tells nothing
  };
  Kind kind = Kind::remark;
  std::string path;
  std::string_view text;
};

/// "==> PATH <==" [coreutils src/head.c, write_header].
std::optional<Shown> head_header(std::string_view line) {
  if (!line.starts_with("==> ") || !line.ends_with(" <==")) return std::nullopt;
  const auto path = sysfs_path(line.substr(4, line.size() - 8));
  if (!path || !path->rest.empty()) return std::nullopt;
  return Shown{Shown::Kind::header, path->path, {}};
}

/// "Binary file PATH matches", "grep: PATH: binary file matches" [grep src/grep.c].
std::optional<Shown> binary_remark(std::string_view line) {
  constexpr std::string_view kStart = "Binary file ";
  if (!line.starts_with(kStart) || !line.ends_with(" matches")) return std::nullopt;
  if (!sysfs_path(line.substr(kStart.size()))) return std::nullopt;
  return Shown{};
}

/// "cat: PATH: Permission denied", "head: cannot open 'PATH' for reading: Permission denied",
/// "tail: error reading 'PATH': Input/output error".
std::optional<Shown> trouble(std::string_view line) {
  constexpr std::array<std::string_view, 6> kTools{
      "grep: ", "cat: ", "head: ", "tail: ", "find: ", "more: "};
  const bool is_tool = std::any_of(kTools.begin(), kTools.end(),
                                   [&](std::string_view tool) { return line.starts_with(tool); });
  if (!is_tool) return std::nullopt;
  std::string_view rest = line.substr(line.find(' ') + 1);
  for (const std::string_view words : {"cannot open ", "error reading "})
    if (rest.starts_with(words)) rest.remove_prefix(words.size());
  for (const std::string_view quote : {"'", "\xe2\x80\x98", "`"})
    if (rest.starts_with(quote)) rest.remove_prefix(quote.size());
  const auto path = sysfs_path(rest);
  if (!path) return std::nullopt;
  const std::size_t colon = line.rfind(": ");
  return Shown{Shown::Kind::trouble, path->path,
               colon == line.npos ? line : trim(line.substr(colon + 2))};
}

/// A line of ls -l: "0000:17:00.0 -> ../../../devices/pci0000:16/0000:16:01.0/0000:17:00.0".
std::optional<Shown> listed_link(std::string_view line) {
  constexpr std::string_view kArrow = " -> ";
  const std::size_t arrow = line.rfind(kArrow);
  if (arrow == line.npos) return std::nullopt;
  std::string_view target = line.substr(arrow + kArrow.size());
  while (target.starts_with("../")) target.remove_prefix(3);
  if (!target.starts_with("devices/pci")) return std::nullopt;
  const auto path = sysfs_path("/sys/" + std::string(target));
  if (!path || !path->rest.empty()) return std::nullopt;
  return Shown{Shown::Kind::link, path->path, {}};
}

/// "$ cat PATH", with any prompt: what the file holds comes next.
std::optional<Shown> cat_command(std::string_view line) {
  constexpr std::string_view kCommand = "cat /sys/";
  const std::size_t at = line.find(kCommand);
  if (at == line.npos) return std::nullopt;
  const auto path = sysfs_path(line.substr(at + 4));
  if (!path || !trim(path->rest).empty()) return std::nullopt;
  return Shown{Shown::Kind::header, path->path, {}};
}

/// "PATH:content", "PATH: content", "PATH=content", "PATH content" and PATH alone.
std::optional<Shown> path_first(std::string_view line) {
  const auto path = sysfs_path(line);
  if (!path) return std::nullopt;
  const std::string_view rest = trim(path->rest);
  if (is_function_folder(path->path))
    return rest.empty() ? std::optional(Shown{Shown::Kind::link, path->path, {}}) : std::nullopt;
  if (rest.empty() && path->rest.empty()) return Shown{Shown::Kind::header, path->path, {}};
  const bool has_sign = rest.starts_with(':') || rest.starts_with('=');
  if (has_sign) {
    const std::string_view content = trim(rest.substr(1));
    if (content.empty() && path->rest.size() == 1)
      return Shown{Shown::Kind::header, path->path, {}};
    return Shown{Shown::Kind::content, path->path, content};
  }
  if (!is_number_file(path->path)) return std::nullopt;
  return Shown{Shown::Kind::content, path->path, rest};
}

std::optional<Shown> shown_in(std::string_view line) {
  line = trim(line);
  if (line.find('/') == line.npos) return std::nullopt;
  for (const auto reader :
       {path_first, head_header, trouble, binary_remark, listed_link, cat_command})
    if (auto shown = reader(line)) return shown;
  return std::nullopt;
}

Error error_of(std::string_view reason) {
  const bool denied = reason == "Permission denied" || reason == "Operation not permitted";
  return {denied ? Code::permission : Code::io,
          (denied ? "cannot open: " : "cannot read: ") + printable(reason, 128),
          {},
          {}};
}

/// Remarks of tools that say nothing of the file [glibc sysdeps/gnu/errlist.c].
bool is_no_error(std::string_view reason) {
  return reason == "No such file or directory" || reason == "Is a directory" ||
         reason == "binary file matches" || reason == "Not a directory";
}

class Reader : public PartReader {
 public:
  Take take(std::string_view line) override {
    if (trim(line).empty()) {
      const bool ends_content = !current_.empty();
      current_.clear();
      return ends_content ? Take::understood : Take::elsewhere;
    }
    if (const auto shown = shown_in(line)) return take_shown(*shown);
    return take_content(trim(line));
  }

  void finish(NodeDraft& node) override { node.shown.merge(std::move(files_)); }

 private:
  Take take_shown(const Shown& shown) {
    current_.clear();
    switch (shown.kind) {
      case Shown::Kind::content:
        files_.add_line(shown.path, shown.text);
        break;
      case Shown::Kind::header:
        files_.see(shown.path);
        current_ = shown.path;
        lines_ = 0;
        break;
      case Shown::Kind::link:
        files_.see(shown.path);
        break;
      case Shown::Kind::trouble:
        if (!is_no_error(shown.text)) files_.fail(shown.path, error_of(shown.text));
        break;
      case Shown::Kind::remark:
        break;
    }
    return Take::understood;
  }

  /// A line below the path of its file.
  Take take_content(std::string_view line) {
    constexpr int kMaxLines = 256;
    const bool one_line = ShownFiles::has_one_line(current_);
    if (current_.empty() || lines_ >= (one_line ? 1 : kMaxLines)) return Take::elsewhere;
    if (!one_line && !fits(line)) return Take::elsewhere;
    files_.add_line(current_, line);
    ++lines_;
    return Take::understood;
  }

  /// Lines of the files that have several: KEY=VALUE, or a name and a number.
  bool fits(std::string_view line) const {
    if (current_.ends_with("/uevent"))
      return line.find('=') != line.npos && line.find(' ') == line.npos;
    const auto words = words_of(line);
    return words.size() >= 2 && parse_int(words.back()).has_value();
  }

  ShownFiles files_;
  std::string current_;  ///< the file whose content follows
  int lines_ = 0;        ///< of it
};

/// A path alone begins something only where its content can follow.
bool begins(std::string_view line, std::string_view next) {
  const auto shown = shown_in(line);
  if (!shown) return false;
  if (shown->kind != Shown::Kind::header || trim(line).starts_with("==> ")) return true;
  return !trim(next).empty();
}

std::unique_ptr<PartReader> make() { return std::make_unique<Reader>(); }

}  // namespace

const CaptureKind sysfs_lines_capture{
    "sysfs_lines", "files of /sys with their paths (grep . FILE..., head FILE..., ls -l)", begins,
    make};

}  // namespace linkburn
