#include "report/ratings/rated.h"

#include <fmt/core.h>

#include <algorithm>

#include "report/ratings/products.h"

namespace linkburn {
namespace {

/// The lower of two capabilities. One end alone says at most what that end could do, so the rating
/// stays unknown: the other end may be the smaller one. A port that gives less than the product is
/// the limit, and then nothing is asked of the product.
template <class T>
std::optional<Rated<T>> lower_of(std::optional<T> device, std::optional<T> port,
                                 std::optional<T> product, const Product* row) {
  if (!port || (!device && !product)) return std::nullopt;
  if (product && *product <= *port && product != device) return Rated<T>{*product, row->origin()};
  return Rated<T>{std::min(product ? *product : *device, *port),
                  "lower capability of the two ends"};
}

std::optional<LinkWidth> known(std::optional<LinkWidth> width) {
  return width && is_lane_count(*width) ? width : std::nullopt;
}

/// A port's rating is at most what its cable or transceiver carries.
Rated<double> held_by_module(Rated<double> rating, const Interface* interface) {
  if (interface == nullptr || !interface->module || !interface->module->rate_gbps) return rating;
  const Module& module = *interface->module;
  if (*module.rate_gbps >= rating.value) return rating;
  return {*module.rate_gbps,
          fmt::format("its module carries {:g} Gb/s ({}{}{}), less than {:g} Gb/s from {}",
                      *module.rate_gbps, module.identifier, module.part_number.empty() ? "" : " ",
                      module.part_number, rating.value, rating.origin)};
}

/// Of an InfiniBand port that runs on fewer than its four lanes: at the same speed with all of them
/// [InfiniBand Architecture Specification, volume 1, PortInfo]. From XDR on a lane can be a port.
std::optional<double> with_all_lanes_gbps(const Port& port) {
  constexpr int kLanes = 4;
  const int lanes = port.lanes.value_or(kLanes);
  const bool partial = lanes == 1 || lanes == 2;
  if (port.link_layer != "InfiniBand" || port.state != "ACTIVE" || !partial || !port.rate_gbps ||
      port.speed_name.empty() || port.speed_name == "XDR")
    return std::nullopt;
  return *port.rate_gbps / lanes * kLanes;
}

}  // namespace

bool is_lane_count(LinkWidth width) {
  constexpr int kLaneCounts[] = {1, 2, 4, 8, 12, 16, 32};
  return std::find(std::begin(kLaneCounts), std::end(kLaneCounts), width.lanes) !=
         std::end(kLaneCounts);
}

LinkRating rate(const Link& link, const RatingContext& context) {
  const Product* row = product_of(products(), context.device, context.board_id);
  LinkRating rating{lower_of(link.device_end.max_speed, link.peer_end.max_speed,
                             row != nullptr ? row->speed : std::nullopt, row),
                    lower_of(known(link.device_end.max_width), known(link.peer_end.max_width),
                             row != nullptr ? row->width : std::nullopt, row)};
  const SiteSlot* expected =
      context.site != nullptr ? context.site->slot(link.component, link.slot) : nullptr;
  if (expected == nullptr) return rating;
  const std::string origin = context.site->origin(expected->line);
  if (expected->speed) rating.speed = {*expected->speed, origin, true};
  if (expected->width) rating.width = {*expected->width, origin, true};
  return rating;
}

std::optional<Rated<double>> rate_port(const Port& port, const Interface* interface,
                                       const RatingContext& context) {
  const SitePort* expected = context.site != nullptr ? context.site->port(port) : nullptr;
  if (expected != nullptr && expected->rate_gbps)
    return Rated<double>{*expected->rate_gbps, context.site->origin(expected->line), true};
  const Product* row = product_of(products(), context.device, port.board_id);
  if (row != nullptr && row->port_gbps)
    return held_by_module({*row->port_gbps, row->origin()}, interface);
  if (interface != nullptr && interface->supported_gbps)
    return held_by_module({*interface->supported_gbps, "fastest mode that its interface supports"},
                          interface);
  if (const auto gbps = with_all_lanes_gbps(port))
    return Rated<double>{*gbps, "InfiniBand ports have four lanes"};
  return std::nullopt;
}

}  // namespace linkburn
