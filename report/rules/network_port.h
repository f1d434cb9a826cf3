// A network port as the port rules see it: an RDMA port and its interface are one thing, and an
// interface without an RDMA port is a thing of its own.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "report/rules/rule.h"

namespace linkburn {

struct NetworkPort {
  ComponentId component;       ///< the RDMA port, else the interface
  std::optional<Port> made;    ///< stands for the RDMA port of a bare interface
  const Port* rdma = nullptr;  ///< null: a bare interface
  const Interface* interface = nullptr;
  std::optional<ComponentId> pci;
  const Component* device = nullptr;  ///< the PCI function behind it
  std::optional<bool> expected_up;    ///< as the site says
  bool site_rated = false;            ///< the site says what it is rated for
  /// Known from texts that need not tell its PCI function. Somebody wants to know of this port.
  bool captured = false;
  bool carries_rdma = false;  ///< a bare interface below the bond of an RDMA port
  bool representor = false;   ///< stands for a function of a guest, on a card's own switch
  std::int64_t at_ns = 0;
  std::vector<std::int64_t> evidence;

  const Port& port() const { return rdma != nullptr ? *rdma : *made; }
  bool is_infiniband() const;
  bool is_active() const;

  /// Active, or captured without a word on its state: what is seen of it holds all the same.
  bool may_be_active() const;

  /// A port with a cable of its own. Bonds, VLANs, soft-RoCE ports, representors and virtual
  /// functions carry what the ports below them give; a fault of those would be told many times.
  bool is_hardware() const;

  /// Sends through an interface of any kind: what is seen of it tells nothing of hardware.
  bool is_software() const;

  /// A virtual function whose physical one is here; a guest sees only its own.
  bool is_virtual_function() const;

  /// Jobs use it, or the site expects something of it. A fault of any other interface is a warning.
  bool matters() const {
    return rdma != nullptr || captured || carries_rdma || expected_up == true || site_rated;
  }

  /// What equal ports have in common; nothing when it is not known which adapter it is on.
  using Model = std::tuple<std::string, std::string, std::string, bool>;
  std::optional<Model> model() const;

  /// What counters and kernel lines of this port may be filed under: both names.
  std::vector<ComponentId> names() const;

  /// What it runs at in Gb/s. On Ethernet the interface knows best: the RDMA rate is made from its
  /// speed, with a preset for what the driver does not know
  /// [linux drivers/infiniband/hw/mlx5/main.c, mlx5_query_port_roce]. Absent while it is not
  /// active.
  std::optional<double> negotiated_gbps() const;
  std::optional<int> negotiated_lanes() const;

  /// "100 Gb/sec (4X EDR)" or "25 Gb/s".
  std::string negotiated_text() const;
};

/// All of a node: RDMA ports first, then physical interfaces with a PCI function that no RDMA port
/// stands for.
std::vector<NetworkPort> network_ports(const Story& story);

/// The interface that an RDMA port names; of an InfiniBand port that of its function.
bool is_interface_of(const Port& port, const Interface& interface);

/// What the port itself is rated for, whatever module or cable is plugged into it.
std::optional<Rated<double>> rating_of(const Story& story, const NetworkPort& port);

/// "100 Gb/s", with the number for machines.
Quantity rate_quantity(double gbps);

/// A finding about a port, as seen at discovery.
Finding port_finding(const Story& story, const NetworkPort& port, std::string code,
                     FindingClass cls, Aspect aspect);
Finding healthy_port(const Story& story, const NetworkPort& port, Aspect aspect,
                     std::string detail);

/// Compares words of sysfs and of tools that print them, in any case.
bool same_word(std::string_view a, std::string_view b);

}  // namespace linkburn
