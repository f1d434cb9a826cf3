// Errors that a drill's devices count and the kernel logs, in the words of a kernel of the 6.1
// line.
#pragma once

#include <cstdint>
#include <string>

#include "bench/drill/state.h"

namespace linkburn::drill {

/// Bits of the AER status registers [pci_regs.h, PCI_ERR_COR_RCVR, PCI_ERR_UNC_SURPDN].
inline constexpr int kReceiverError = 0, kSurpriseDown = 5;

/// "0000:17:00.0"
std::string address_text(const Function& function);

/// Counts what the error and replay rates of all links make in `passed_ns`.
void count_errors(State& state, std::int64_t passed_ns);

/// The device below has gone without a word: what the port above it counts and the kernel logs.
void report_surprise_down(State& state, int function);

/// It is back.
void report_link_up(State& state, int function);

/// What the driver of a device logs when it no longer answers; for a GPU with Xid 79.
void report_lost(State& state, int function);

/// A GPU's Xid, in the kernel log and for NVML. `text` empty: what the driver says for it.
void report_xid(State& state, int gpu, std::uint32_t number, std::string_view text);

/// A network port went down or came up.
void report_port(State& state, int nic);

}  // namespace linkburn::drill
