// The last known state of each link, gathered while walking through the evidence once.
#pragma once

#include <unordered_map>
#include <vector>

#include "report/render/view.h"

namespace linkburn {

class LinkStates {
 public:
  /// Takes the records in the order of the evidence; other kinds are ignored.
  void take(const Body& body);

  /// In the order of discovery; a link that was found again keeps its place.
  std::vector<LinkView> links() const;

 private:
  /// What one end said last, by a sensor.
  struct End {
    std::optional<LinkSpeed> speed;
    std::optional<LinkWidth> width;
    Phase speed_phase = Phase::passive;
  };
  struct State {
    const Link* link = nullptr;
    End device, peer;
    bool answers = true;  ///< the device end
  };
  struct EndRef {
    std::size_t link = 0;
    bool is_device = false;
  };

  void take_link(const Link& link);
  void take_value(const ComponentId& id, const std::string& quantity, std::optional<double> value,
                  Phase phase);
  static LinkView view_of(const State& state);

  std::vector<State> states_;
  std::unordered_map<ComponentId, EndRef> ends_;
};

}  // namespace linkburn
