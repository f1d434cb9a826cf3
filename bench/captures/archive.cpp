#include "bench/captures/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/core.h>

#include <array>
#include <cerrno>
#include <memory>
#include <vector>

#include "bench/base/text.h"

namespace linkburn {
namespace {

constexpr std::size_t kBlockBytes = 128 * 1024;
constexpr int kMaxRetries = 1000;

struct Closer {
  void operator()(archive* reader) const { archive_read_free(reader); }
};
using Reader = std::unique_ptr<archive, Closer>;

/// What the callbacks of libarchive work with.
struct Feed {
  ByteSource& source;
  std::vector<char> block = std::vector<char>(kBlockBytes);
  std::optional<Error> error = {};  ///< of the source
};

la_ssize_t read_block(archive* reader, void* data, const void** buffer) {
  auto& feed = *static_cast<Feed*>(data);
  const auto got = feed.source.read(feed.block.data(), feed.block.size());
  if (!got) {
    feed.error = got.error();
    archive_set_error(reader, EIO, "%s", "the file cannot be read");
    return -1;
  }
  *buffer = feed.block.data();
  return static_cast<la_ssize_t>(*got);
}

la_int64_t seek_to(archive*, void* data, la_int64_t offset, int whence) {
  return static_cast<Feed*>(data)->source.seek(offset, whence).value_or(ARCHIVE_FATAL);
}

/// Only formats and filters that the library reads by itself: others would start programs.
bool open_reader(archive* reader, Feed& feed) {
  archive_read_support_filter_gzip(reader);
  archive_read_support_filter_bzip2(reader);
  archive_read_support_filter_xz(reader);
  archive_read_support_filter_zstd(reader);
  archive_read_support_filter_lz4(reader);
  archive_read_support_format_tar(reader);
  archive_read_support_format_zip(reader);
  archive_read_support_format_7zip(reader);
  archive_read_support_format_raw(reader);
  archive_read_support_format_empty(reader);
  archive_read_set_read_callback(reader, read_block);
  if (feed.source.seek(0, SEEK_SET) == 0) archive_read_set_seek_callback(reader, seek_to);
  archive_read_set_callback_data(reader, &feed);
  return archive_read_open1(reader) == ARCHIVE_OK;
}

class ArchiveWalk {
 public:
  ArchiveWalk(ByteSource& source, const std::string& name, Unpacked& unpacked)
      : feed_{source}, name_(name), unpacked_(unpacked), reader_(archive_read_new()) {}

  Status run(const TakeMember& take) {
    if (!open_reader(reader_.get(), feed_)) return trouble();
    int retries = 0;
    while (true) {
      archive_entry* entry = nullptr;
      const int result = archive_read_next_header(reader_.get(), &entry);
      if (result == ARCHIVE_EOF) return first_trouble_;
      if (result == ARCHIVE_RETRY && ++retries < kMaxRetries) continue;
      if (result < ARCHIVE_WARN) return trouble();
      ++unpacked_.members;
      if (const Status within = unpacked_.check(name_); !within) return within;
      if (const Status taken = take_entry(entry, take); !taken) return taken;
    }
  }

  Result<std::size_t> read_data(char* to, std::size_t size) {
    for (int retries = 0;; ++retries) {
      const la_ssize_t got = archive_read_data(reader_.get(), to, size);
      if (got == ARCHIVE_RETRY && retries < kMaxRetries) continue;
      if (got < 0) return trouble();
      unpacked_.bytes += got;
      if (const Status within = unpacked_.check(name_); !within) return within.error();
      return static_cast<std::size_t>(got);
    }
  }

 private:
  class MemberSource : public ByteSource {
   public:
    explicit MemberSource(ArchiveWalk& walk) : walk_(walk) {}
    const std::optional<Error>& error() const { return error_; }

   protected:
    Result<std::size_t> fill(char* to, std::size_t size) override {
      auto got = walk_.read_data(to, size);
      if (!got) error_ = got.error();
      return got;
    }

   private:
    ArchiveWalk& walk_;
    std::optional<Error> error_;
  };

  Status take_entry(archive_entry* entry, const TakeMember& take) {
    if (archive_entry_is_encrypted(entry) != 0)
      return Error{Code::unsupported, "the archive is encrypted", name_,
                   "give it without a password"};
    Member member;
    const bool is_raw = archive_format(reader_.get()) == ARCHIVE_FORMAT_RAW;
    // Names of other characters than ASCII have no form in the locale that programs start with.
    const char* path = archive_entry_pathname_utf8(entry);
    if (path == nullptr) path = archive_entry_pathname(entry);
    if (!is_raw) member.path = path != nullptr && *path != '\0' ? path : "unnamed";
    const auto type = archive_entry_filetype(entry);
    const char* link = archive_entry_symlink(entry);
    const char* same = archive_entry_hardlink(entry);
    if (type == AE_IFREG || is_raw) member.kind = Member::Kind::file;
    if (type == AE_IFDIR) member.kind = Member::Kind::folder;
    if (type == AE_IFLNK) member.kind = Member::Kind::link;
    if (link != nullptr && type == AE_IFLNK) member.target = link;
    if (same != nullptr) member.same_as = same;
    MemberSource bytes(*this);
    Status taken = take(member, bytes);
    if (taken || !bytes.error()) return taken;
    // A damaged member may have good ones behind it; where it has not, the next header says so.
    if (feed_.error || !unpacked_.check(name_)) return taken;
    if (first_trouble_) first_trouble_ = *bytes.error();
    return {};
  }

  Error trouble() const {
    if (feed_.error) return *feed_.error;
    const char* text = archive_error_string(reader_.get());
    const std::string words = printable(text != nullptr ? text : "no archive", 200);
    if (archive_read_has_encrypted_entries(reader_.get()) == 1 ||
        words.find("ncrypt") != std::string::npos)
      return {Code::unsupported, "the archive is encrypted", name_, "give it without a password"};
    return {Code::io, fmt::format("the archive ended early or is damaged: {}", words), name_,
            "what came before was read; get the archive again"};
  }

  Feed feed_;
  const std::string& name_;
  Unpacked& unpacked_;
  Reader reader_;
  Status first_trouble_;
};

}  // namespace

Status Unpacked::check(const std::string& archive) const {
  const auto passed = [&](std::string limit) {
    return Error{Code::invalid, fmt::format("unpacked no further: {}", limit), archive,
                 "give the files that matter by themselves"};
  };
  if (members > limits.max_members)
    return passed(fmt::format("it has more than {} members", limits.max_members));
  if (bytes > limits.max_bytes)
    return passed(fmt::format("it holds more than {} GiB", limits.max_bytes >> 30));
  const std::int64_t packed_bytes = packed != nullptr ? packed->bytes_read() : 0;
  if (bytes > limits.free_bytes && bytes / limits.max_ratio > packed_bytes)
    return passed(fmt::format("it unpacks to more than {} times its size", limits.max_ratio));
  return {};
}

bool is_archive(std::string_view head) {
  using namespace std::string_view_literals;
  // [RFC 1952; bzip2's format; tukaani.org/xz/xz-file-format.txt; RFC 8878; lz4 Frame format;
  // APPNOTE.TXT of PKWARE, section 4.3; 7zFormat.txt]
  constexpr std::array kStarts{"\x1f\x8b"sv,
                               "BZh"sv,
                               "\xfd"
                               "7zXZ\0"sv,
                               "\x28\xb5\x2f\xfd"sv,
                               "\x04\x22\x4d\x18"sv,
                               "PK\x03\x04"sv,
                               "PK\x05\x06"sv,
                               "7z\xbc\xaf\x27\x1c"sv};
  for (const std::string_view start : kStarts)
    if (head.starts_with(start)) return start != "BZh" || head.substr(4).starts_with("1AY&SY");
  constexpr std::size_t kMagicAt = 257;  // [POSIX pax, ustar interchange format]
  return head.size() >= 512 && head.substr(kMagicAt).starts_with("ustar");
}

Status read_archive(ByteSource& source, const std::string& name, Unpacked& unpacked,
                    const TakeMember& take) {
  return ArchiveWalk(source, name, unpacked).run(take);
}

}  // namespace linkburn
