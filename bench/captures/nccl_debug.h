// Lines that NCCL writes with NCCL_DEBUG set: "node01:4711:4712 [0] NCCL INFO Using network IB".
#pragma once

#include <optional>
#include <string_view>

namespace linkburn {

/// The host that wrote a line of NCCL; nothing when the line is none, or its prefix was cut.
std::optional<std::string_view> host_of_nccl_line(std::string_view line);

}  // namespace linkburn
