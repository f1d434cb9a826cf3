#include "bench/ethtool/ioctl.h"

#include <fmt/core.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "bench/inventory/ethtool_text.h"

namespace linkburn {
namespace {

constexpr std::uint32_t kMaxStatistics = 65536;
constexpr std::size_t kPage = 128;  // the half of a module's address space

/// A structure of the kernel that ends in an array, with room for it.
template <class T>
class Command {
 public:
  Command(std::uint32_t number, std::size_t extra_bytes)
      : words_((sizeof(T) + extra_bytes + 7) / 8) {
    get()->cmd = number;
  }
  T* get() { return reinterpret_cast<T*>(words_.data()); }
  T* operator->() { return get(); }
  std::uint8_t* data() { return reinterpret_cast<std::uint8_t*>(words_.data()) + sizeof(T); }

 private:
  std::vector<std::uint64_t> words_;  // aligned for any of them
};

}  // namespace

Result<EthtoolIoctl> EthtoolIoctl::open(const std::string& interface) {
  if (interface.size() >= IFNAMSIZ)
    return Error{Code::invalid, "not the name of an interface", interface, {}};
  Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket) socket = Fd(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, 0));
  if (!socket) return errno_error(errno, "cannot open", "socket");
  return EthtoolIoctl(std::move(socket), interface);
}

int EthtoolIoctl::call(void* command) const {
  ifreq request{};
  interface_.copy(request.ifr_name, IFNAMSIZ - 1);
  request.ifr_data = static_cast<char*>(command);
  return ::ioctl(socket_.get(), SIOCETHTOOL, &request) == 0 ? 0 : errno;
}

/// Asked twice: first for the number of words, which comes back negated
/// [linux include/uapi/linux/ethtool.h, struct ethtool_link_settings].
int EthtoolIoctl::link_modes(EthtoolFacts& facts) const {
  Command<ethtool_link_settings> size(ETHTOOL_GLINKSETTINGS, 0);
  if (const int error = call(size.get()); error != 0) return error;
  if (size->link_mode_masks_nwords >= 0) return EPROTO;
  const auto words = static_cast<std::size_t>(-size->link_mode_masks_nwords);
  Command<ethtool_link_settings> modes(ETHTOOL_GLINKSETTINGS, 3 * words * sizeof(std::uint32_t));
  modes->link_mode_masks_nwords = static_cast<std::int8_t>(words);
  if (const int error = call(modes.get()); error != 0) return error;
  std::vector<std::uint32_t> masks(3 * words);
  std::memcpy(masks.data(), modes.data(), masks.size() * sizeof(std::uint32_t));
  const std::span<const std::uint32_t> all(masks);
  facts.add("source", "ioctl");
  facts.add_modes("supported", all.subspan(0, words));
  facts.add_modes("advertised", all.subspan(words, words));
  // All zero: the partner does not tell.
  const auto partner = all.subspan(2 * words, words);
  if (std::any_of(partner.begin(), partner.end(), [](std::uint32_t w) { return w != 0; }))
    facts.add_modes("partner", partner);
  facts.add_link(modes->speed, modes->duplex, modes->autoneg);
  return 0;
}

int EthtoolIoctl::fec(EthtoolFacts& facts) const {
  ethtool_fecparam param{};
  param.cmd = ETHTOOL_GFECPARAM;
  if (const int error = call(&param); error != 0) return error;
  if ((param.active_fec & ETHTOOL_FEC_OFF) != 0) facts.add("fec", "off");
  if ((param.active_fec & ETHTOOL_FEC_RS) != 0) facts.add("fec", "RS");
  if ((param.active_fec & ETHTOOL_FEC_BASER) != 0) facts.add("fec", "BASER");
  if ((param.active_fec & ETHTOOL_FEC_LLRS) != 0) facts.add("fec", "LLRS");
  return 0;
}

/// One run of bytes: both halves of page 0, then of an SFP its second address, of a QSFP the upper
/// halves of pages 1 to 3 [ethtool qsfp.h, sfpdiag.c].
int EthtoolIoctl::module_memory(EthtoolFacts& facts) const {
  ethtool_modinfo info{};
  info.cmd = ETHTOOL_GMODULEINFO;
  if (const int error = call(&info); error != 0) return error;
  const std::size_t length = std::min<std::size_t>(info.eeprom_len, 5 * kPage);
  Command<ethtool_eeprom> memory(ETHTOOL_GMODULEEEPROM, length);
  memory->len = static_cast<std::uint32_t>(length);
  if (const int error = call(memory.get()); error != 0) return error;
  const std::span<const std::uint8_t> bytes(memory.data(), length);
  const auto half = [&](std::size_t number) {
    return bytes.size() >= (number + 1) * kPage ? bytes.subspan(number * kPage, kPage)
                                                : std::span<const std::uint8_t>();
  };
  facts.add_bytes("module.lower", half(0));
  facts.add_bytes("module.page0", half(1));
  if (info.type == ETH_MODULE_SFF_8472) facts.add_bytes("module.diagnostics", half(2));
  if (info.type == ETH_MODULE_SFF_8636) facts.add_bytes("module.page3", half(4));
  return 0;
}

int EthtoolIoctl::statistics(EthtoolFacts& facts) const {
  Command<ethtool_sset_info> size(ETHTOOL_GSSET_INFO, sizeof(std::uint32_t));
  size->sset_mask = 1ULL << ETH_SS_STATS;
  if (const int error = call(size.get()); error != 0) return error;
  std::uint32_t count = 0;
  std::memcpy(&count, size.data(), sizeof count);
  if (size->sset_mask == 0 || count == 0) return EOPNOTSUPP;
  count = std::min(count, kMaxStatistics);
  Command<ethtool_gstrings> names(ETHTOOL_GSTRINGS, count * std::size_t{ETH_GSTRING_LEN});
  names->string_set = ETH_SS_STATS;
  names->len = count;
  if (const int error = call(names.get()); error != 0) return error;
  const auto name_at = [&](std::size_t i) {
    const char* name = reinterpret_cast<const char*>(names.data()) + i * ETH_GSTRING_LEN;
    return std::string_view(name, ::strnlen(name, ETH_GSTRING_LEN));
  };
  Command<ethtool_stats> values(ETHTOOL_GSTATS, count * sizeof(std::uint64_t));
  values->n_stats = count;
  if (const int error = call(values.get()); error != 0) return error;
  for (std::size_t i = 0; i < std::min(names->len, count); ++i) {
    if (!wanted_statistic(name_at(i))) continue;
    std::uint64_t value = 0;
    std::memcpy(&value, values.data() + i * sizeof value, sizeof value);
    facts.add_number(fmt::format("statistics.{}", name_at(i)), value);
  }
  return 0;
}

}  // namespace linkburn
