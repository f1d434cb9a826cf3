#include "kernels/nvml_device.h"

#include <gtest/gtest.h>

namespace linkburn {
namespace {

/// What the pretended NVML below answers.
struct Script {
  nvml::Return result = nvml::kSuccess;
  unsigned value = 0;
  unsigned processes = 0;
  int shutdowns = 0;
};
Script script;

nvml::NvmlTable pretended() {
  nvml::NvmlTable nvml;
  nvml.nvmlInit_v2 = [] { return nvml::kSuccess; };
  nvml.nvmlShutdown = [] {
    ++script.shutdowns;
    return nvml::kSuccess;
  };
  nvml.nvmlErrorString = [](nvml::Return) { return "some words"; };
  nvml.nvmlDeviceGetHandleByPciBusId_v2 = [](const char*, nvml::Device* device) {
    *device = reinterpret_cast<nvml::Device>(&script);
    return nvml::kSuccess;
  };
  nvml.nvmlDeviceGetCurrPcieLinkWidth = [](nvml::Device, unsigned* width) {
    *width = script.value;
    return script.result;
  };
  nvml.nvmlDeviceGetNvLinkState = [](nvml::Device, unsigned, int* active) {
    *active = static_cast<int>(script.value);
    return script.result;
  };
  nvml.nvmlDeviceGetTotalEccErrors = [](nvml::Device, int type, int, unsigned long long* count) {
    *count = type == nvml::kErrorCorrected ? 7 : 2;
    return script.result;
  };
  nvml.nvmlEventSetCreate = [](nvml::EventSet* set) {
    *set = reinterpret_cast<nvml::EventSet>(&script);
    return nvml::kSuccess;
  };
  nvml.nvmlEventSetFree = [](nvml::EventSet) { return nvml::kSuccess; };
  nvml.nvmlEventSetWait_v2 = [](nvml::EventSet, nvml::EventData* data, unsigned) {
    data->data = script.value;
    return script.result;
  };
  return nvml;
}

class NvmlDeviceTest : public testing::Test {
 protected:
  void SetUp() override { script = {}; }

  NvmlDevice device() {
    nvml_.emplace(std::move(*Nvml::start(table_)));
    return *NvmlDevice::find(*nvml_, "0000:17:00.0");
  }

  nvml::NvmlTable table_ = pretended();
  std::optional<Nvml> nvml_;
};

TEST_F(NvmlDeviceTest, AReadingIsItsValue) {
  script.value = 16;
  EXPECT_EQ(device().link_width().value_or(std::nullopt), 16U);
}

TEST_F(NvmlDeviceTest, NotSupportedIsNoValueAndNoError) {
  script.result = nvml::kNotSupported;
  const auto width = device().link_width();
  ASSERT_TRUE(width);
  EXPECT_FALSE(width->has_value());
}

TEST_F(NvmlDeviceTest, AMissingFunctionIsNoValueAndNoError) {
  const auto generation = device().gpu_max_link_generation();
  ASSERT_TRUE(generation);
  EXPECT_FALSE(generation->has_value());
}

TEST_F(NvmlDeviceTest, ALostGpuIsAnErrorThatNamesCallAndDevice) {
  script.result = nvml::kGpuLost;
  const auto width = device().link_width();
  ASSERT_FALSE(width);
  EXPECT_EQ(width.error().what, "nvmlDeviceGetCurrPcieLinkWidth on 0000:17:00.0: some words (15)");
}

TEST_F(NvmlDeviceTest, EventReasonsAreReadUnderEitherName) {
  table_.nvmlDeviceGetCurrentClocksThrottleReasons = [](nvml::Device, unsigned long long* bits) {
    *bits = nvml::kReasonSwThermal;
    return nvml::kSuccess;
  };
  EXPECT_EQ(device().event_reasons().value_or(std::nullopt), nvml::kReasonSwThermal);
  table_.nvmlDeviceGetCurrentClocksEventReasons = [](nvml::Device, unsigned long long* bits) {
    *bits = nvml::kReasonPowerCap;
    return nvml::kSuccess;
  };
  EXPECT_EQ(device().event_reasons().value_or(std::nullopt), nvml::kReasonPowerCap);
}

TEST_F(NvmlDeviceTest, BothKindsOfMemoryErrorsAreCounted) {
  const auto errors = device().ecc_errors();
  ASSERT_TRUE(errors && *errors);
  EXPECT_EQ((*errors)->corrected, 7U);
  EXPECT_EQ((*errors)->uncorrected, 2U);
  script.result = nvml::kNotSupported;
  const auto without = device().ecc_errors();
  ASSERT_TRUE(without);
  EXPECT_FALSE(without->has_value());
}

TEST_F(NvmlDeviceTest, ALinkBeyondTheLastIsNoLink) {
  script.result = nvml::kInvalidArgument;
  const auto active = device().nvlink_active(99);
  ASSERT_TRUE(active);
  EXPECT_FALSE(active->has_value());
}

TEST_F(NvmlDeviceTest, EachFieldHasItsOwnResultAndType) {
  table_.nvmlDeviceGetFieldValues = [](nvml::Device, int count, nvml::FieldValue* values) {
    EXPECT_EQ(count, 5);
    EXPECT_EQ(values[1].scope, 4U);
    values[0].value_type = nvml::kTypeUnsigned;
    values[0].value.u = 5;
    values[1].value_type = nvml::kTypeUnsignedLongLong;
    values[1].value.ull = 1ULL << 40;
    values[2].result = nvml::kNotSupported;
    values[3].result = nvml::kGpuLost;
    values[4].value_type = 99;
    return nvml::kSuccess;
  };
  const NvmlField questions[] = {{nvml::kFieldReplays, 0},
                                 {nvml::kFieldNvlinkReplays, 4},
                                 {nvml::kFieldBadTlps, 0},
                                 {nvml::kFieldBadDllps, 0},
                                 {nvml::kFieldRecoveries, 0}};
  const auto answers = device().fields(questions);
  ASSERT_TRUE(answers);
  ASSERT_EQ(answers->size(), 5U);
  EXPECT_EQ((*answers)[0].value_or(std::nullopt), 5.0);
  EXPECT_EQ((*answers)[1].value_or(std::nullopt), 1099511627776.0);
  EXPECT_TRUE((*answers)[2] && !(*answers)[2]->has_value());
  EXPECT_FALSE((*answers)[3]);
  EXPECT_TRUE((*answers)[4] && !(*answers)[4]->has_value());
}

TEST_F(NvmlDeviceTest, ManyProcessesAreAskedForAgain) {
  table_.nvmlDeviceGetComputeRunningProcesses_v3 = [](nvml::Device, unsigned* count,
                                                      nvml::ProcessInfo* infos) {
    const unsigned room = *count;
    *count = 40;
    if (room < 40) return nvml::kInsufficientSize;
    for (unsigned i = 0; i < 40; ++i) infos[i].pid = 100 + i;
    return nvml::kSuccess;
  };
  const auto ids = device().process_ids();
  ASSERT_TRUE(ids && *ids);
  ASSERT_EQ((*ids)->size(), 40U);
  EXPECT_EQ((*ids)->back(), 139U);
}

TEST_F(NvmlDeviceTest, AWaitWithoutAnEventIsNoEventAndNoError) {
  device();
  const auto events = XidEvents::create(*nvml_);
  ASSERT_TRUE(events);
  script.result = nvml::kTimeout;
  const auto none = events->wait(10);
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->has_value());
  script = {nvml::kSuccess, 79, 0, 0};
  const auto event = events->wait(10);
  ASSERT_TRUE(event && *event);
  EXPECT_EQ((*event)->xid, 79U);
}

TEST_F(NvmlDeviceTest, NvmlIsEndedOnce) {
  {
    auto nvml = Nvml::start(table_);
    ASSERT_TRUE(nvml);
    const Nvml moved = std::move(*nvml);
  }
  EXPECT_EQ(script.shutdowns, 1);
}

}  // namespace
}  // namespace linkburn
