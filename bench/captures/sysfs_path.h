// Paths of sysfs at the start of a text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace linkburn {

struct SysfsPath {
  std::string path;       ///< below the root, without "." and a leading slash
  std::string_view rest;  ///< of the text
};

/// "/sys/...", also without the slash or behind "./", and what people have who went to the folder
/// of a bus or class first: "0000:17:00.0/class", "mlx5_0/ports/1/rate". Nothing for other texts.
std::optional<SysfsPath> sysfs_path(std::string_view text);

/// True for the folder of a PCI function.
bool is_function_folder(std::string_view path);

/// True for files that hold a number or a word about a link, a port or a function.
bool is_number_file(std::string_view path);

}  // namespace linkburn
