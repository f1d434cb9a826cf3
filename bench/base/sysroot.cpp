#include "bench/base/sysroot.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <deque>

#include "bench/base/text.h"

namespace linkburn {
namespace {

constexpr int kMaxLinks = 40;   // the kernel's own limit [linux include/linux/namei.h, MAXSYMLINKS]
constexpr int kMaxNames = 512;  // deeper trees are not sysfs
constexpr int kMaxEntries = 65536;  // names in one directory
constexpr std::size_t kMaxErrorsBytes = 16U << 20U;

std::deque<std::string> split(std::string_view path) {
  std::deque<std::string> names;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    if (slash != 0) names.emplace_back(path.substr(0, slash));
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
  }
  return names;
}

/// With an empty name, the link that the descriptor itself is.
Result<std::string> read_link(int fd, const std::string& name, const std::string& shown) {
  std::array<char, PATH_MAX> target{};
  const ssize_t length = ::readlinkat(fd, name.c_str(), target.data(), target.size());
  if (length < 0) return errno_error(errno, "cannot read link", shown);
  return std::string(target.data(), static_cast<std::size_t>(length));
}

Result<std::string> link_in(const MemoryTree::Entry& folder, const std::string& name,
                            const std::string& shown) {
  const MemoryTree::Entry* entry = folder.find(name);
  const bool is_link = entry != nullptr && entry->kind == MemoryTree::Kind::link;
  if (!is_link) return errno_error(entry == nullptr ? ENOENT : EINVAL, "cannot read link", shown);
  return entry->text;
}

std::string joined(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() ? name : fmt::format("{}/{}", fmt::join(names, "/"), name);
}

Error too_long(std::size_t max_bytes, const std::string& shown) {
  return {Code::invalid, fmt::format("file is longer than {} bytes", max_bytes), shown, {}};
}

Result<std::string> bounded(const std::string& bytes, std::size_t max_bytes,
                            const std::string& shown) {
  if (bytes.size() > max_bytes) return too_long(max_bytes, shown);
  return bytes;
}

/// A file in memory that nobody else sees, with these bytes.
Result<Fd> file_of(std::string_view bytes, const std::string& shown) {
  Fd fd(::memfd_create("linkburn", MFD_CLOEXEC));
  if (!fd) return errno_error(errno, "cannot open", shown);
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return errno_error(errno, "cannot open", shown);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return fd;
}

Result<std::string> read_all(int fd, std::size_t max_bytes, const std::string& shown) {
  std::string bytes;
  std::array<char, 4096> chunk{};
  while (true) {
    const ssize_t got = ::read(fd, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno_error(errno, "cannot read", shown);
    if (got == 0) return bytes;
    if (bytes.size() + static_cast<std::size_t>(got) > max_bytes) return too_long(max_bytes, shown);
    bytes.append(chunk.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

Result<Sysroot> Sysroot::open(const std::string& path) {
  Fd fd(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!fd)
    return errno_error(errno, "cannot open the tree", path,
                       "give a directory that holds sys/ and proc/");
  struct stat given {};
  struct stat root {};
  const bool live = ::fstat(fd.get(), &given) == 0 && ::stat("/", &root) == 0 &&
                    given.st_dev == root.st_dev && given.st_ino == root.st_ino;
  Place start;
  start.folders.push_back({std::make_shared<Fd>(std::move(fd))});
  Sysroot tree(path, live, std::move(start));
  if (!live) tree.take_kept_errors();
  return tree;
}

Sysroot Sysroot::of(std::shared_ptr<const MemoryTree> tree, std::string name) {
  Place start;
  start.folders.push_back({nullptr, &tree->root()});
  Sysroot root(std::move(name), false, std::move(start));
  root.memory_ = std::move(tree);
  root.take_kept_errors();
  return root;
}

void Sysroot::take_kept_errors() {
  if (const auto text = read(kErrorsFile, kMaxErrorsBytes))
    kept_errors_ = std::make_shared<const KeptErrors>(parse_kept_errors(*text));
}

std::string Sysroot::shown(std::string_view path) const {
  std::vector<std::string> names = start_.names;
  names.emplace_back(path.substr(std::min(path.find_first_not_of('/'), path.size())));
  return fmt::format("/{}", fmt::join(names, "/"));
}

const Error* Sysroot::kept_error(const std::string& place) const {
  if (!kept_errors_) return nullptr;
  const auto found = kept_errors_->find(place);
  return found == kept_errors_->end() ? nullptr : &found->second;
}

/// What is not there needs no note: it is not in the capture either.
Error Sysroot::noted(const std::string& place, Error error) const {
  if (record_ && error.code != Code::not_found) record_->error(place, error);
  return error;
}

void Sysroot::note_place(const Place& place) const {
  if (!record_) return;
  const std::string path = fmt::format("{}", fmt::join(place.names, "/"));
  if (place.is_folder)
    record_->folder(path);
  else
    record_->seen(path);
}

/// One entry of a listed directory: its name and kind count, whatever is read of it later.
void Sysroot::note_entry(int folder, const std::string& place, const std::string& name,
                         int type) const {
  const std::string path = place.empty() ? name : fmt::format("{}/{}", place, name);
  if (type == DT_DIR) return record_->folder(path);
  if (type != DT_LNK) return record_->seen(path);
  if (const auto target = read_link(folder, name, path)) record_->link(path, *target);
}

void Sysroot::note_entry(const std::string& place, const std::string& name,
                         const Entry& entry) const {
  const std::string path = place.empty() ? name : fmt::format("{}/{}", place, name);
  if (entry.kind == MemoryTree::Kind::folder) return record_->folder(path);
  if (entry.kind == MemoryTree::Kind::file) return record_->seen(path);
  record_->link(path, entry.text);
}

Sysroot::Step Sysroot::step(const Folder& folder, const std::string& name) {
  Step next;
  if (folder.entry != nullptr) {
    next.entry = folder.entry->find(name);
    if (next.entry == nullptr) return {ENOENT, false, false, {}, nullptr};
    next.is_link = next.entry->kind == MemoryTree::Kind::link;
    next.is_folder = next.entry->kind == MemoryTree::Kind::folder;
    return next;
  }
  next.fd = Fd(::openat(folder.fd->get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct stat entry {};
  if (!next.fd || ::fstat(next.fd.get(), &entry) != 0) return {errno, false, false, {}, nullptr};
  next.is_link = S_ISLNK(entry.st_mode);
  next.is_folder = S_ISDIR(entry.st_mode);
  return next;
}

Result<Sysroot::Place> Sysroot::walk(std::string_view path) const {
  const auto fail = [&](int error) {
    const std::string asked = shown(path).substr(1);
    if (const Error* kept = kept_error(asked))
      return noted(asked, {kept->code, kept->what, shown(path), kept->fix});
    return noted(asked, errno_error(error, "cannot open", shown(path)));
  };
  Place at = start_;
  std::deque<std::string> todo = split(path);
  int links = 0;
  while (!todo.empty()) {
    const std::string name = std::move(todo.front());
    todo.pop_front();
    if (!at.is_folder) return fail(ENOTDIR);
    if (name == ".") continue;
    if (name == "..") {
      if (at.folders.size() > 1) {
        at.folders.pop_back();
        at.names.pop_back();
      }
      continue;
    }
    Step next = step(at.folders.back(), name);
    if (next.error != 0) return fail(next.error);
    if (next.is_link) {
      if (++links > kMaxLinks) return fail(ELOOP);
      const auto target = next.entry != nullptr ? Result<std::string>(next.entry->text)
                                                : read_link(next.fd.get(), "", shown(path));
      if (!target) return target.error();
      if (record_) record_->link(joined(at.names, name), *target);
      if (target->starts_with('/')) {
        at.folders.resize(1);
        at.names.clear();
      }
      const std::deque<std::string> names = split(*target);
      todo.insert(todo.begin(), names.begin(), names.end());
      continue;
    }
    if (at.names.size() >= kMaxNames) return fail(ENAMETOOLONG);
    at.names.push_back(name);
    at.is_folder = next.is_folder;
    if (!at.is_folder) continue;
    at.folders.push_back(next.entry != nullptr ? Folder{nullptr, next.entry}
                                               : Folder{std::make_shared<Fd>(std::move(next.fd))});
  }
  return at;
}

Result<Sysroot::Opened> Sysroot::open_at(std::string_view path, int flags) const {
  const int all_flags = flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  // Below the live root nothing can lead outside, so the kernel may follow the links; a record
  // needs to see them.
  if (live_ && !record_) {
    const std::string name(path.substr(std::min(path.find_first_not_of('/'), path.size())));
    Fd fd(::openat(start_.folders.back().fd->get(), name.empty() ? "." : name.c_str(), all_flags));
    if (!fd) return errno_error(errno, "cannot open", shown(path));
    return Opened{std::move(fd), {}};
  }
  // A plain name that is no link cannot lead outside either, and needs no walk.
  if (!memory_ && !path.empty() && path != "." && path != ".." &&
      path.find('/') == std::string_view::npos) {
    const std::string name(path);
    Fd fd(::openat(start_.folders.back().fd->get(), name.c_str(), all_flags | O_NOFOLLOW));
    const int error = fd ? 0 : errno;
    if (error != ELOOP)
      return settled({std::move(fd), needs_places() ? joined(start_.names, name) : ""}, error,
                     path);
  }
  const auto end = walk(path);
  if (!end) return end.error();
  if (memory_) return open_memory(*end, flags, path);
  const char* name = end->is_folder ? "." : end->names.back().c_str();
  Fd fd(::openat(end->folders.back().fd->get(), name, all_flags | O_NOFOLLOW));
  const int error = fd ? 0 : errno;
  return settled({std::move(fd), fmt::format("{}", fmt::join(end->names, "/"))}, error, path);
}

Result<Sysroot::Opened> Sysroot::open_memory(const Place& end, int flags,
                                             std::string_view path) const {
  const Entry* folder = end.folders.back().entry;
  const Entry* entry = end.is_folder ? folder : folder->find(end.names.back());
  const int error = (flags & O_DIRECTORY) != 0 && !end.is_folder ? ENOTDIR : 0;
  return settled({{}, fmt::format("{}", fmt::join(end.names, "/")), entry}, error, path);
}

/// What was opened, unless it failed, or failed on the node that a capture was made of.
Result<Sysroot::Opened> Sysroot::settled(Opened opened, int error, std::string_view path) const {
  const Error* kept = kept_error(opened.place);
  if (record_ && (kept != nullptr || error != ENOENT)) record_->seen(opened.place);
  if (kept != nullptr) return noted(opened.place, {kept->code, kept->what, shown(path), kept->fix});
  if (error != 0) return noted(opened.place, errno_error(error, "cannot open", shown(path)));
  return opened;
}

Result<Sysroot::Opened> Sysroot::open_regular(std::string_view path) const {
  auto opened = open_at(path, O_RDONLY);
  if (!opened) return opened;
  struct stat entry {};
  if (opened->entry != nullptr) {
    if (opened->entry->kind == MemoryTree::Kind::file) return opened;
    return Error{Code::invalid, "not a regular file", shown(path), {}};
  }
  if (::fstat(opened->fd.get(), &entry) != 0) return errno_error(errno, "cannot open", shown(path));
  if (!S_ISREG(entry.st_mode)) return Error{Code::invalid, "not a regular file", shown(path), {}};
  return opened;
}

Result<Fd> Sysroot::open_file(std::string_view path) const {
  auto opened = open_regular(path);
  if (!opened) return opened.error();
  if (record_) record_->seen(opened->place);
  if (opened->entry != nullptr) return file_of(opened->entry->text, shown(path));
  return std::move(opened->fd);
}

Result<std::string> Sysroot::read_part(const Fd& file, const std::string& name, std::size_t offset,
                                       std::size_t size) const {
  std::string bytes(size, '\0');
  ssize_t got = 0;
  do {
    got = ::pread(file.get(), bytes.data(), size, static_cast<off_t>(offset));
  } while (got < 0 && errno == EINTR);
  const std::string place = record_ ? joined(start_.names, name) : std::string();
  if (got < 0) return noted(place, errno_error(errno, "cannot read", shown(name)));
  bytes.resize(static_cast<std::size_t>(got));
  if (record_) record_->part(place, offset, bytes);
  return bytes;
}

Result<std::string> Sysroot::read(std::string_view path, std::size_t max_bytes) const {
  const auto opened = open_regular(path);
  if (!opened) return opened.error();
  auto bytes = opened->entry != nullptr ? bounded(opened->entry->text, max_bytes, shown(path))
                                        : read_all(opened->fd.get(), max_bytes, shown(path));
  if (record_) record_->seen(opened->place);
  if (record_ && bytes) record_->file(opened->place, *bytes);
  if (record_ && !bytes) record_->error(opened->place, bytes.error());
  return bytes;
}

Result<std::string> Sysroot::read_line(std::string_view path) const {
  const auto text = read(path);
  if (!text) return text;
  return std::string(trim(*text));
}

Result<std::vector<std::string>> Sysroot::list(std::string_view path) const {
  auto opened = open_at(path, O_RDONLY | O_DIRECTORY);
  if (!opened) return opened.error();
  if (record_) record_->folder(opened->place);
  if (opened->entry != nullptr) return names_in(*opened);
  DIR* folder = ::fdopendir(::dup(opened->fd.get()));
  if (folder == nullptr) return errno_error(errno, "cannot list", shown(path));
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(folder)) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == ".." || names.size() >= kMaxEntries) continue;
    names.emplace_back(name);
    if (record_) note_entry(opened->fd.get(), opened->place, names.back(), entry->d_type);
  }
  ::closedir(folder);
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> Sysroot::names_in(const Opened& folder) const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : folder.entry->entries) {
    if (names.size() >= kMaxEntries) break;
    names.push_back(name);
    if (record_) note_entry(folder.place, name, *entry);
  }
  return names;
}

Result<std::string> Sysroot::resolve(std::string_view path) const {
  const auto place = walk(path);
  if (!place) return place.error();
  note_place(*place);
  return fmt::format("{}", fmt::join(place->names, "/"));
}

Result<std::string> Sysroot::link_target(const std::string& name) const {
  if (name.empty() || name.find('/') != std::string::npos)
    return Error{Code::invalid, "not a plain name", shown(name), {}};
  const Folder& here = start_.folders.back();
  auto target = here.entry != nullptr ? link_in(*here.entry, name, shown(name))
                                      : read_link(here.fd->get(), name, shown(name));
  if (record_ && target) record_->link(joined(start_.names, name), *target);
  return target;
}

bool Sysroot::exists(std::string_view path) const { return resolve(path).has_value(); }

Result<Sysroot> Sysroot::below(std::string_view path) const {
  auto place = walk(path);
  if (!place) return place.error();
  note_place(*place);
  if (!place->is_folder) return Error{Code::invalid, "not a directory", shown(path), {}};
  Sysroot folder(path_, live_, std::move(*place));
  folder.memory_ = memory_;
  folder.record_ = record_;
  folder.kept_errors_ = kept_errors_;
  return folder;
}

bool is_drill(const Sysroot& root) {
  const auto marker = root.read(kDrillMarker);
  return marker || marker.error().code != Code::not_found;
}

}  // namespace linkburn
