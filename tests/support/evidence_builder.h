// Evidence for tests, written down in the order in which things happened.
//
//   Evidence evidence = EvidenceBuilder::run()
//                           .link(make_link(kCard, kPort))
//                           .at(10).transition(kCard, "link_width", 16, 8, Phase::measure)
//                           .finish();
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/evidence/record.h"

namespace linkburn {

/// "0000:17:00.0" or any other id.
ComponentId id(std::string_view text);

/// A link whose ends agree, at its rating: 16.0 GT/s x16. Change its fields as the test needs.
Link make_link(std::string_view device, std::string_view peer, int mts = 16000, int lanes = 16);

/// A GPU with its way up to the root port.
Component make_device(std::string_view device, std::initializer_list<std::string_view> above = {});

/// An active InfiniBand port.
Port make_port(std::string_view name, std::string_view pci = {});

/// An active RoCE port of 100 Gb/s, and a plain interface with a link.
Port make_roce_port(std::string_view name, std::string_view pci, std::string_view netdev);
Interface make_interface(std::string_view name, std::string_view pci);

class EvidenceBuilder {
 public:
  /// Required: presence, width, speed and ports.
  static EvidenceBuilder inspect();
  static EvidenceBuilder run();

  /// Of the records that follow, in seconds since the start of the run.
  EvidenceBuilder& at(double seconds);
  EvidenceBuilder& require(std::vector<std::string> words);
  EvidenceBuilder& node(std::string_view name);

  EvidenceBuilder& record(Body body);
  EvidenceBuilder& link(Link link) { return record(std::move(link)); }
  EvidenceBuilder& device(Component component) { return record(std::move(component)); }
  EvidenceBuilder& port(Port port) { return record(std::move(port)); }
  EvidenceBuilder& reading(std::string_view component, std::string_view quantity,
                           std::optional<double> value, Phase phase = Phase::measure,
                           std::string_view step = {});
  EvidenceBuilder& transition(std::string_view component, std::string_view quantity,
                              std::optional<double> from, std::optional<double> to,
                              Phase phase = Phase::measure, std::string_view step = {});
  EvidenceBuilder& counter(std::string_view component, std::string_view name,
                           std::optional<std::int64_t> value, bool baseline = false,
                           Phase phase = Phase::measure);
  EvidenceBuilder& part(std::string_view name, std::string_view status,
                        std::string_view version = {});
  EvidenceBuilder& error(std::optional<ComponentId> component, std::string_view what,
                         std::string_view source = {}, std::string_view step = {});

  /// A step with one lane on `component` that loads `loads`. Its interval starts at start_step()
  /// and ends at end_step().
  EvidenceBuilder& plan_step(std::string_view step, std::string_view component,
                             std::vector<std::string_view> loads = {});
  EvidenceBuilder& start_step(std::string_view step);
  EvidenceBuilder& end_step(std::string_view step, std::string_view status = "complete",
                            std::string_view reason = {});
  EvidenceBuilder& skip_step(std::string_view step, std::string_view reason);

  /// With its run_end record.
  Evidence finish(std::string_view status = "complete", std::optional<int> signal = {}) const;

  /// As it stands when the run was killed.
  Evidence killed() const { return evidence_; }

 private:
  explicit EvidenceBuilder(std::string_view mode);

  Evidence evidence_;
  std::int64_t at_ns_ = 0;
  std::int64_t step_start_ns_ = 0;
};

}  // namespace linkburn
