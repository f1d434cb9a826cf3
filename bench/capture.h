// `inspect --capture FILE.tar.gz`: what was read of a node, and only that, packed so that another
// machine comes to the same answer with `inspect --sysroot` of the unpacked folder.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "bench/base/read_record.h"
#include "bench/inventory/inventory.h"

namespace linkburn {

/// Refuses a name of another form, and a file that is already there.
Status check_capture_name(const std::string& file);

/// Writes the archive with one folder in it. It appears under its name when it is whole, and never
/// replaces a file.
Status write_capture(const ReadRecord& record, const std::string& file, const std::string& folder,
                     std::int64_t wall_ns);

/// The folder in an archive that hides nothing: its name without folders and ".tar.gz".
std::string capture_folder(const std::string& file);

/// `files`, with every answer noted in `record`.
DriverFiles noted_files(DriverFiles files, const Sysroot& root, std::shared_ptr<ReadRecord> record);

}  // namespace linkburn
