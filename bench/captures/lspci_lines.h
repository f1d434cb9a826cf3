// Lines that lspci prints of a function and that tell nothing about links. Internal to the lspci
// reader.
#pragma once

#include <string_view>

namespace linkburn::lspci {

/// True for an indented line that lspci has in the block of a function.
bool is_known_line(std::string_view line);

}  // namespace linkburn::lspci
