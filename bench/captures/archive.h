// Archives and compressed files as a stream of members, in constant memory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "bench/captures/byte_source.h"

namespace linkburn {

/// What one thing that was given may unpack to, all archives in it together. Kernel logs shrink to
/// a fiftieth or so; what shrinks much more is made to fill a disk.
struct UnpackLimits {
  std::int64_t max_bytes = std::int64_t{8} << 30;
  std::int64_t max_ratio = 200;  ///< unpacked to packed; counts above `free_bytes`
  std::int64_t free_bytes = std::int64_t{1} << 30;
  std::int64_t max_members = 200'000;
  int max_depth = 2;  ///< of archives in an archive
};

/// What was unpacked so far.
struct Unpacked {
  UnpackLimits limits;
  std::int64_t bytes = 0, members = 0;
  const ByteSource* packed = nullptr;  ///< the outermost file

  /// An error that names the limit that was passed.
  Status check(const std::string& archive) const;
};

struct Member {
  enum class Kind { file, folder, link, other };
  Kind kind = Kind::other;
  std::string path;     ///< as the archive has it; empty: a compressed file without a name
  std::string target;   ///< of a symlink
  std::string same_as;  ///< of a hard link: the member that has the bytes
};

/// Told by its content: tar, zip, 7z, and gzip, bzip2, xz, zstd, lz4 around a tar or around
/// anything else.
bool is_archive(std::string_view head);

/// What is done with a member; its bytes are read from `bytes`. An error of kind ends_reading() or
/// of a limit ends the archive.
using TakeMember = std::function<Status(const Member& member, ByteSource& bytes)>;

/// Gives each member in turn. Errors: the archive ends early, is damaged or encrypted, or passes a
/// limit. What came before was given.
Status read_archive(ByteSource& source, const std::string& name, Unpacked& unpacked,
                    const TakeMember& take);

}  // namespace linkburn
