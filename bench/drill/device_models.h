// The devices that a scenario can name: what each is by default. Numbers that software can see
// (ids, link, memory rate, clocks) are those of the product; memory is small and the heat model
// rough, because they are those of a software device.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/drill/state.h"

namespace linkburn::drill {

/// What every card has, as its configuration space says it.
struct CardModel {
  std::string_view word;  ///< as scenarios name it
  Device device;
  std::uint16_t vendor, device_id, subsystem_vendor, subsystem_device;
  std::uint32_t class_code;
  std::uint8_t gen, width;
  std::string_view driver;
  std::uint8_t link_width;  ///< at most this, whatever both ends can: a nominal link has one lane
};

struct GpuModel {
  CardModel card;
  std::string_view product;  ///< what NVML calls it
  double fp32_tflops, tensor_tflops, memory_gbs;
  std::int32_t sms, clock_mhz, memory_clock_mhz, compute_major, compute_minor;
  double idle_w, full_w, c_per_w, slowdown_c;
  double chip_to_chip_gbs, to_device_gbs, from_device_gbs;
};

struct NicModel {
  CardModel card;
  double rated_gbps;
};

/// The first of each is what a table without `model` means.
std::span<const GpuModel> gpu_models();
std::span<const NicModel> nic_models();
std::span<const CardModel> nvme_models();
std::span<const CardModel> switch_models();
std::span<const CardModel> other_models();

inline const CardModel& card_of(const CardModel& model) { return model; }
inline const CardModel& card_of(const GpuModel& model) { return model.card; }
inline const CardModel& card_of(const NicModel& model) { return model.card; }

template <class Model>
std::vector<std::string> words_of_models(std::span<const Model> models) {
  std::vector<std::string> words;
  for (const Model& model : models) words.emplace_back(card_of(model).word);
  return words;
}

/// An endpoint (or the upstream port of a switch) of that model, without place and name.
Function function_of_model(const CardModel& model);

/// A GPU of that model at its rest temperature; `function` and `numa` are the caller's.
Gpu gpu_of_model(const GpuModel& model);

}  // namespace linkburn::drill
