// What lspci calls classes and vendors, as numbers. Internal to the lspci reader.
#pragma once

#include <string_view>

namespace linkburn::lspci {

/// "0x0302" of "3D controller"; empty for what is no class name.
std::string_view class_of_name(std::string_view name);

/// "0x10de" of a device name that begins with "NVIDIA Corporation"; empty for vendors that matter
/// to nobody here.
std::string_view vendor_of_name(std::string_view name);

/// Equal but for the case of letters: names have changed theirs over the years.
bool same_name(std::string_view one, std::string_view other);

}  // namespace linkburn::lspci
