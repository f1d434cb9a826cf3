#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/sensors/aer.h"
#include "bench/sensors/kernel_log.h"

namespace linkburn {
namespace {

TEST(AerText, NewAndOldNames) {
  const auto counts =
      parse_aer("aer_correctable", "RxErr 3\nReplay Timer Timeout 12\nTOTAL_ERR_COR 15\n");
  ASSERT_EQ(counts.size(), 3U);
  EXPECT_EQ(counts[0].name, "aer_correctable/RxErr");
  EXPECT_EQ(counts[0].value, 3);
  EXPECT_EQ(counts[1].name, "aer_correctable/Replay Timer Timeout");
  EXPECT_EQ(counts[1].value, 12);
}

TEST(AerText, OtherLinesAreLeftOut) {
  EXPECT_TRUE(parse_aer("g", "").empty());
  EXPECT_TRUE(parse_aer("g", "RxErr\nRxErr x\n 7\nRxErr -1\nRxErr 99999999999999999999\n").empty());
}

TEST(Kmsg, ARecordWithDictionary) {
  const auto record = parse_kmsg(
      "4,1234,56789,-,caller=T12;pcieport 0000:00:1c.0: PCIe Bus Error: severity=Corrected\n"
      " SUBSYSTEM=pci\n DEVICE=+pci:0000:5e:00.0\n");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->level, 4);
  EXPECT_EQ(record->facility, 0);
  EXPECT_EQ(record->sequence, 1234);
  EXPECT_EQ(record->time_us, 56789);
  const auto topic = topic_of(*record);
  ASSERT_TRUE(topic);
  EXPECT_EQ(topic->topic, "pcie_bus_error");
  EXPECT_EQ(topic->component->text(), "0000:5e:00.0");
}

TEST(Kmsg, TheAddressOfTheTextServesWithoutADictionary) {
  KmsgRecord record;
  record.text = "NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.";
  EXPECT_EQ(topic_of(record)->topic, "device_lost");
  record.text =
      "nvme 0000:3b:00.0: can't change power state from D3cold to D0 (config space inaccessible)";
  EXPECT_EQ(topic_of(record)->component->text(), "0000:3b:00.0");
}

TEST(Kmsg, UserSpaceCannotSpeakForTheKernel) {
  const auto record =
      parse_kmsg("12,1,2,-;pcieport 0000:00:1c.0: PCIe Bus Error: severity=Fatal\n");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->facility, 1);
  EXPECT_FALSE(topic_of(*record));
}

TEST(Kmsg, OtherLinesAreNotKept) {
  KmsgRecord record;
  record.text = "usb 1-1: new high-speed USB device number 4 using xhci_hcd";
  EXPECT_FALSE(topic_of(record));
}

TEST(Kmsg, NonsenseIsNothing) {
  for (const char* text : {"", ";", "a,b,c;x", "1,2;x", "-1,2,3;x", "6,1,2,-"})
    EXPECT_FALSE(parse_kmsg(text)) << text;
}

}  // namespace
}  // namespace linkburn
