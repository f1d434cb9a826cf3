#include "bench/capture.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <map>

#include "bench/base/fd.h"
#include "bench/base/text.h"

namespace linkburn {
namespace {

constexpr std::string_view kEnding = ".tar.gz";

/// One entry of the archive.
struct Packed {
  enum class Kind { folder, file, link };
  Kind kind = Kind::folder;
  std::string text;  ///< bytes of a file, target of a link
};
using Packing = std::map<std::string, Packed>;  // folders sort before what is in them

void put(Packing& packing, const std::string& path, Packed entry) {
  if (path.empty()) return;
  for (std::size_t slash = path.find('/'); slash != std::string::npos;
       slash = path.find('/', slash + 1))
    packing[path.substr(0, slash)] = Packed{};
  if (!packing.contains(path)) packing[path] = std::move(entry);
}

Packing pack(const ReadRecord& record) {
  Packing packing;
  for (const auto& [path, target] : record.links())
    put(packing, path, {Packed::Kind::link, target});
  for (const std::string& path : record.folders()) put(packing, path, {});
  for (const auto& [path, bytes] : record.files()) put(packing, path, {Packed::Kind::file, bytes});
  for (const std::string& path : record.bare_names()) put(packing, path, {Packed::Kind::file, {}});
  const KeptErrors errors = record.errors();
  if (!errors.empty())
    put(packing, std::string(kErrorsFile), {Packed::Kind::file, to_text(errors)});
  return packing;
}

struct ArchiveCloser {
  void operator()(archive* written) const { archive_write_free(written); }
};
using Writer = std::unique_ptr<archive, ArchiveCloser>;

struct EntryCloser {
  void operator()(archive_entry* entry) const { archive_entry_free(entry); }
};
using Entry = std::unique_ptr<archive_entry, EntryCloser>;

Error archive_trouble(archive* writer, const std::string& file) {
  const char* text = archive_error_string(writer);
  return {Code::io, fmt::format("cannot write the capture: {}", text != nullptr ? text : "error"),
          file, "check the free space there"};
}

bool write_entry(archive* writer, const std::string& path, const Packed& packed,
                 std::int64_t time_s) {
  const Entry entry(archive_entry_new());
  archive_entry_set_pathname(entry.get(), path.c_str());
  archive_entry_set_mtime(entry.get(), time_s, 0);
  archive_entry_set_perm(entry.get(), packed.kind == Packed::Kind::folder ? 0755 : 0644);
  switch (packed.kind) {
    case Packed::Kind::folder:
      archive_entry_set_filetype(entry.get(), AE_IFDIR);
      break;
    case Packed::Kind::link:
      archive_entry_set_filetype(entry.get(), AE_IFLNK);
      archive_entry_set_symlink(entry.get(), packed.text.c_str());
      archive_entry_set_perm(entry.get(), 0777);
      break;
    case Packed::Kind::file:
      archive_entry_set_filetype(entry.get(), AE_IFREG);
      archive_entry_set_size(entry.get(), static_cast<la_int64_t>(packed.text.size()));
      break;
  }
  if (archive_write_header(writer, entry.get()) < ARCHIVE_WARN) return false;
  if (packed.kind != Packed::Kind::file || packed.text.empty()) return true;
  const la_ssize_t written = archive_write_data(writer, packed.text.data(), packed.text.size());
  return written == static_cast<la_ssize_t>(packed.text.size());
}

Status write_archive(const Packing& packing, const std::string& top, int fd, std::int64_t time_s,
                     const std::string& file) {
  const Writer writer(archive_write_new());
  const bool ready = archive_write_set_format_pax_restricted(writer.get()) == ARCHIVE_OK &&
                     archive_write_add_filter_gzip(writer.get()) == ARCHIVE_OK &&
                     archive_write_set_options(writer.get(), "gzip:!timestamp") == ARCHIVE_OK &&
                     archive_write_open_fd(writer.get(), fd) == ARCHIVE_OK;
  if (!ready || !write_entry(writer.get(), top, {}, time_s))
    return archive_trouble(writer.get(), file);
  for (const auto& [path, packed] : packing)
    if (!write_entry(writer.get(), fmt::format("{}/{}", top, path), packed, time_s))
      return archive_trouble(writer.get(), file);
  if (archive_write_close(writer.get()) != ARCHIVE_OK) return archive_trouble(writer.get(), file);
  return {};
}

/// Gives a finished file its name unless that is taken. Where the file system cannot rename in this
/// way (NFS), a second name and the removal of the first come to the same [rename(2)].
Status move_into_place(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return {};
  if (errno == EINVAL && ::link(from.c_str(), to.c_str()) == 0) {
    ::unlink(from.c_str());
    return {};
  }
  const int error = errno;
  ::unlink(from.c_str());
  return errno_error(error, "cannot write the capture", to, "give a file that is not there yet");
}

}  // namespace

std::string capture_folder(const std::string& file) {
  std::string name = std::filesystem::path(file).filename().string();
  if (name.ends_with(kEnding)) name.resize(name.size() - kEnding.size());
  return name;
}

Status check_capture_name(const std::string& file) {
  const std::string folder = capture_folder(file);
  if (!file.ends_with(kEnding) || folder.empty() || folder.starts_with('.'))
    return Error{Code::invalid, "a capture is a .tar.gz file", printable(file, 256),
                 "give a name such as node.tar.gz"};
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::symlink_status(file, error)))
    return Error{Code::busy, "the file is already there", file,
                 "captures are never overwritten; give another name"};
  return {};
}

Status write_capture(const ReadRecord& record, const std::string& file, const std::string& folder,
                     std::int64_t wall_ns) {
  if (const Status name = check_capture_name(file); !name) return name;
  const std::string partial = fmt::format("{}.partial-{}", file, ::getpid());
  const Fd fd(::open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!fd) return errno_error(errno, "cannot write the capture", partial);
  Status written = write_archive(pack(record), folder, fd.get(), wall_ns / 1'000'000'000, file);
  if (written && ::fsync(fd.get()) != 0 && errno != EINVAL)
    written = errno_error(errno, "cannot write the capture", file);
  if (written) return move_into_place(partial, file);
  ::unlink(partial.c_str());
  return written;
}

DriverFiles noted_files(DriverFiles files, const Sysroot& root,
                        std::shared_ptr<ReadRecord> record) {
  const auto expect = [files](const std::vector<std::string>& paths) { files.expect(paths); };
  const auto read = [files = std::move(files), root,
                     record = std::move(record)](const std::string& path) -> Result<std::string> {
    auto bytes = files(path);
    const auto resolved = root.resolve(path);  // notes the links on the way
    if (!bytes && bytes.error().code == Code::not_found && !resolved) return bytes;
    const std::string place = resolved.value_or(path);
    record->seen(place);
    if (bytes)
      record->file(place, *bytes);
    else
      record->error(place, bytes.error());
    return bytes;
  };
  return {read, expect};
}

}  // namespace linkburn
