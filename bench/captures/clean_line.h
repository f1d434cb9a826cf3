// A line as a tool printed it, without what terminals, mails and other systems did to it.
#pragma once

#include <string>
#include <string_view>

namespace linkburn {

/// Without a carriage return at its end, escape sequences, a byte order mark, HTML entities and
/// no-break spaces, tags of formatted text around it, and marks of quoting ("> ") before it. Tables
/// keep their bars. A view into `line`, or into `room` when something was taken out.
std::string_view clean_line(std::string_view line, std::string& room);

}  // namespace linkburn
