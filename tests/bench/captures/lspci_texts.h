// Drafts of lspci to what a test compares.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/bench/captures/read_text.h"

namespace linkburn {

inline PciFunction only(const NodeDraft& draft) {
  EXPECT_EQ(draft.functions.size(), 1U);
  return draft.functions.empty() ? PciFunction{} : draft.functions.front().function;
}

inline PciFunction only(std::string_view text) { return only(read(text)); }

inline PciFunction at(const NodeDraft& draft, std::string_view address) {
  for (const FunctionView& view : draft.functions)
    if (view.has_address && view.function.address == parse_pci_address(address))
      return view.function;
  ADD_FAILURE() << "no " << address;
  return {};
}

inline std::string ends_of(const PciFunction& function) {
  const LinkEnd& end = function.link_end;
  const auto text = [](const std::optional<LinkSpeed>& speed,
                       const std::optional<LinkWidth>& width) {
    return (speed ? to_string(*speed) : "-") + " " + (width ? to_string(*width) : "-");
  };
  return text(end.speed, end.width) + " of " + text(end.max_speed, end.max_width);
}

}  // namespace linkburn
