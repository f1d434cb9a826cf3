#include "report/render/port_view.h"

#include <algorithm>

#include "report/rules/gid_choice.h"
#include "report/rules/network_port.h"

namespace linkburn {

void PortViews::take(const Body& body) {
  if (const auto* port = std::get_if<Port>(&body))
    ports_[port->component] = port;
  else if (const auto* interface = std::get_if<Interface>(&body))
    interfaces_[interface->component] = interface;
}

const Interface* PortViews::interface_of(const Port& port) const {
  for (const auto& entry : interfaces_)
    if (is_interface_of(port, *entry.second)) return entry.second;
  return nullptr;
}

std::vector<PortView> PortViews::ports() const {
  std::vector<const Interface*> all;
  for (const auto& entry : interfaces_) all.push_back(entry.second);
  std::vector<PortView> views;
  for (const auto& entry : ports_) {
    PortView view;
    view.port = entry.second;
    view.interface = interface_of(*view.port);
    NetworkPort port;
    port.rdma = view.port;
    port.interface = view.interface;
    view.rate_gbps = port.negotiated_gbps();
    if (!port_is_down(*view.port)) view.gid = recommended_gid(*view.port, all);
    views.push_back(view);
  }
  return views;
}

std::vector<InterfaceView> PortViews::interfaces() const {
  std::vector<InterfaceView> views;
  for (const auto& entry : interfaces_) {
    const bool has_port = std::any_of(ports_.begin(), ports_.end(), [&](const auto& port) {
      return is_interface_of(*port.second, *entry.second);
    });
    views.push_back({entry.second, has_port, {}});
  }
  return views;
}

}  // namespace linkburn
