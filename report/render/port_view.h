// Ports and interfaces, gathered while walking through the evidence once.
#pragma once

#include <map>
#include <vector>

#include "report/render/view.h"

namespace linkburn {

class PortViews {
 public:
  /// Takes the records in the order of the evidence; a later record of the same thing replaces an
  /// earlier one, other kinds are ignored.
  void take(const Body& body);

  /// By name.
  std::vector<PortView> ports() const;
  std::vector<InterfaceView> interfaces() const;

 private:
  const Interface* interface_of(const Port& port) const;

  std::map<ComponentId, const Port*> ports_;
  std::map<ComponentId, const Interface*> interfaces_;
};

}  // namespace linkburn
