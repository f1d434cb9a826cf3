#include "bench/ethtool/link_detail.h"

#include <fmt/core.h>
#include <linux/ethtool.h>

#include <array>
#include <string_view>

namespace linkburn {
namespace {

struct Detail {
  int state, substate;  ///< substate 0: of the state itself
  std::string_view words;
};

// [linux include/uapi/linux/ethtool.h, enum ethtool_link_ext_state and its substates]
constexpr std::array kDetails{
    Detail{ETHTOOL_LINK_EXT_STATE_AUTONEG, 0, "Autoneg"},
    Detail{ETHTOOL_LINK_EXT_STATE_AUTONEG, 1, "No partner detected"},
    Detail{ETHTOOL_LINK_EXT_STATE_AUTONEG, 2, "Ack not received"},
    Detail{ETHTOOL_LINK_EXT_STATE_AUTONEG, 3, "Next page exchange failed"},
    Detail{ETHTOOL_LINK_EXT_STATE_AUTONEG, 4, "No partner detected during force mode"},
    Detail{ETHTOOL_LINK_EXT_STATE_AUTONEG, 5, "FEC mismatch during override"},
    Detail{ETHTOOL_LINK_EXT_STATE_AUTONEG, 6, "No common mode"},
    Detail{ETHTOOL_LINK_EXT_STATE_LINK_TRAINING_FAILURE, 0, "Link training failure"},
    Detail{ETHTOOL_LINK_EXT_STATE_LINK_TRAINING_FAILURE, 1, "KR frame lock not acquired"},
    Detail{ETHTOOL_LINK_EXT_STATE_LINK_TRAINING_FAILURE, 2, "KR link inhibit timeout"},
    Detail{ETHTOOL_LINK_EXT_STATE_LINK_TRAINING_FAILURE, 3,
           "KR link partner did not set receiver ready"},
    Detail{ETHTOOL_LINK_EXT_STATE_LINK_TRAINING_FAILURE, 4, "Remote side is not ready yet"},
    Detail{ETHTOOL_LINK_EXT_STATE_LINK_LOGICAL_MISMATCH, 0, "Logical mismatch"},
    Detail{ETHTOOL_LINK_EXT_STATE_LINK_LOGICAL_MISMATCH, 1, "PCS did not acquire block lock"},
    Detail{ETHTOOL_LINK_EXT_STATE_LINK_LOGICAL_MISMATCH, 2, "PCS did not acquire AM lock"},
    Detail{ETHTOOL_LINK_EXT_STATE_LINK_LOGICAL_MISMATCH, 3, "PCS did not get align status"},
    Detail{ETHTOOL_LINK_EXT_STATE_LINK_LOGICAL_MISMATCH, 4, "FC FEC is not locked"},
    Detail{ETHTOOL_LINK_EXT_STATE_LINK_LOGICAL_MISMATCH, 5, "RS FEC is not locked"},
    Detail{ETHTOOL_LINK_EXT_STATE_BAD_SIGNAL_INTEGRITY, 0, "Bad signal integrity"},
    Detail{ETHTOOL_LINK_EXT_STATE_BAD_SIGNAL_INTEGRITY, 1, "Large number of physical errors"},
    Detail{ETHTOOL_LINK_EXT_STATE_BAD_SIGNAL_INTEGRITY, 2, "Unsupported rate"},
    Detail{ETHTOOL_LINK_EXT_STATE_BAD_SIGNAL_INTEGRITY, 3, "Serdes reference clock lost"},
    Detail{ETHTOOL_LINK_EXT_STATE_BAD_SIGNAL_INTEGRITY, 4, "Serdes ALOS"},
    Detail{ETHTOOL_LINK_EXT_STATE_NO_CABLE, 0, "No cable"},
    Detail{ETHTOOL_LINK_EXT_STATE_CABLE_ISSUE, 0, "Cable issue"},
    Detail{ETHTOOL_LINK_EXT_STATE_CABLE_ISSUE, 1, "Unsupported cable"},
    Detail{ETHTOOL_LINK_EXT_STATE_CABLE_ISSUE, 2, "Cable test failure"},
    Detail{ETHTOOL_LINK_EXT_STATE_EEPROM_ISSUE, 0, "EEPROM issue"},
    Detail{ETHTOOL_LINK_EXT_STATE_CALIBRATION_FAILURE, 0, "Calibration failure"},
    Detail{ETHTOOL_LINK_EXT_STATE_POWER_BUDGET_EXCEEDED, 0, "Power budget exceeded"},
    Detail{ETHTOOL_LINK_EXT_STATE_OVERHEAT, 0, "Overheat"},
    Detail{ETHTOOL_LINK_EXT_STATE_MODULE, 0, "Module"},
    Detail{ETHTOOL_LINK_EXT_STATE_MODULE, 1, "CMIS module is not in ModuleReady state"},
};

std::string_view words_of(int state, int substate) {
  for (const Detail& detail : kDetails)
    if (detail.state == state && detail.substate == substate) return detail.words;
  return {};
}

}  // namespace

std::string link_detail(std::uint8_t state, std::uint8_t substate) {
  std::string detail(words_of(state, 0));
  if (detail.empty()) detail = fmt::format("state {}", state);
  if (substate == 0) return detail;
  const std::string_view more = words_of(state, substate);
  return more.empty() ? fmt::format("{}, substate {}", detail, substate)
                      : fmt::format("{}, {}", detail, more);
}

}  // namespace linkburn
