// The readers of tools that measure: what they take of whole texts, of parts, and of garbage.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/captures/nccl_debug.h"
#include "bench/captures/table.h"
#include "tests/bench/captures/read_text.h"

namespace linkburn {
namespace {

std::vector<std::string> names(const NodeDraft& node) {
  std::vector<std::string> names;
  for (const Measurement& one : node.measurements)
    names.push_back(one.component.text() + " " + one.direction + " " + one.text);
  return names;
}

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Nvbandwidth, CellsBecomeRatesOfGpus) {
  const NodeDraft node = read(
      "Device 0: NVIDIA H200 (00000000:19:00)\nDevice 1: NVIDIA H200\n"
      "Running device_to_host_memcpy_ce.\n"
      "memcpy CE CPU(row) <- GPU(column) bandwidth (GB/s)\n"
      "           0         1\n 0     55.06       N/A\n\nSUM device_to_host_memcpy_ce 55.06\n");
  EXPECT_THAT(names(node), ElementsAre("0000:19:00.0 d2h 55.06 GB/s"));
  EXPECT_EQ(node.measurements[0].test, "device_to_host_memcpy_ce");
  EXPECT_EQ(node.measurements[0].method, "copy_engine");
  EXPECT_DOUBLE_EQ(*node.measurements[0].rate_gbs, 55.06);
  ASSERT_EQ(node.gpus.size(), 2U);
  EXPECT_EQ(node.gpus[0].component.text(), "0000:19:00.0");
  EXPECT_EQ(node.gpus[1].component.text(), "gpu1");
  EXPECT_EQ(node.gpus[1].index, 1);
}

TEST(Nvbandwidth, ATableOfLatenciesAndOneOfSeveralNodesAreNoRates) {
  EXPECT_THAT(names(read("Running device_to_device_latency_sm.\n"
                         "Device to Device Latency SM GPU(row) <-> GPU(column) (ns)\n"
                         "   0   1\n 0   N/A   826.42\n")),
              IsEmpty());
  EXPECT_THAT(names(read("Running multinode_device_to_device_memcpy_read_ce.\n"
                         "Process 0 (node01): device 0: NVIDIA H100 (00000000:19:00)\n"
                         "memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)\n"
                         "   0   1\n 0   N/A   45.4\n")),
              IsEmpty());
}

TEST(Nvbandwidth, WithoutItsTitleTheNameOfTheTestTellsWhatATableIs) {
  EXPECT_THAT(names(read("Running host_to_device_memcpy_sm.\n  0  1\n 0  35.19  35.25\n")),
              ElementsAre("gpu0 h2d 35.19 GB/s", "gpu1 h2d 35.25 GB/s"));
  EXPECT_THAT(names(read("Running all_to_host_memcpy_ce.\n  0  1\n 0  35.19  35.25\n")), IsEmpty());
}

TEST(Nvbandwidth, TheNameOfATestComesAfterItsMatrixInJson) {
  const NodeDraft node = read(
      "{\n\"nvbandwidth\" :\n{\n\"testcases\" :\n[\n{\n"
      "\"bandwidth_description\" : \"memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s) \",\n"
      "\"bandwidth_matrix\" :\n[\n[\n\"12.3964\",\n\"N/A\",\n\"13.1\"\n]\n],\n"
      "\"max\" : 12.39,\n\"name\" : \"host_to_device_memcpy_ce\"\n}\n]\n}\n}\nsome words\n");
  EXPECT_THAT(names(node), ElementsAre("gpu0 h2d 12.3964 GB/s", "gpu2 h2d 13.1 GB/s"));
  EXPECT_EQ(node.measurements[0].test, "host_to_device_memcpy_ce");
}

TEST(Nvbandwidth, JsonInOneLine) {
  const NodeDraft node =
      read(R"({"nvbandwidth":{"testcases":[{"bandwidth_matrix":[["1.5"]],)"
           R"~("bandwidth_description":"memcpy SM CPU(row) <- GPU(column) bandwidth (GB/s)",)~"
           R"("name":"device_to_host_memcpy_sm"}]}})");
  EXPECT_THAT(names(node), ElementsAre("gpu0 d2h 1.5 GB/s"));
  EXPECT_EQ(node.measurements[0].method, "kernel");
}

TEST(BandwidthTest, UnitsOfBothAgesAndTheLargestSizeAlone) {
  const NodeDraft old = read(
      " Device 0: Tesla K80\n Host to Device Bandwidth, 1 Device(s)\n PINNED Memory Transfers\n"
      "   Transfer Size (Bytes)\tBandwidth(MB/s)\n   1024\t100.0\n   33554432\t\t\t10000.0\n");
  ASSERT_EQ(old.measurements.size(), 1U);
  EXPECT_NEAR(*old.measurements[0].rate_gbs, 10.48576, 1e-9);
  EXPECT_EQ(old.measurements[0].bytes, 33554432);
  EXPECT_EQ(old.measurements[0].memory, "pinned");
  const NodeDraft sum = read(
      "[CUDA Bandwidth Test] - Starting...\n Device 0: A\n Device 1: A\n"
      " Host to Device Bandwidth, 2 Device(s)\n PAGEABLE Memory Transfers\n"
      "   Transfer Size (Bytes)\tBandwidth(GB/s)\n   32000000\t\t\t12.0\n");
  EXPECT_THAT(names(sum), ElementsAre("node h2d 12.0 GB/s"));
  EXPECT_EQ(sum.measurements[0].memory, "pageable");
}

TEST(BandwidthTest, WithoutAUnitNoRate) {
  EXPECT_THAT(names(read(" Host to Device Bandwidth, 1 Device(s)\n   33554432   6343.6\n")),
              IsEmpty());
}

TEST(P2pBandwidth, OnlyRatesBetweenGpusWithPeerAccess) {
  const NodeDraft node = read(
      "Device: 1, NVIDIA H100 80GB HBM3, pciBusID: 3b, pciDeviceID: 0, pciDomainID:0\n"
      "Unidirectional P2P=Disabled Bandwidth Matrix (GB/s)\n   D\\D     0      1\n"
      "     0 2841.07  37.53\n     1  37.11 2888.00\n"
      "Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)\n   D\\D     0      1\n"
      "     0 2862.54 365.30\n");
  ASSERT_EQ(node.measurements.size(), 1U);
  EXPECT_EQ(node.measurements[0].component.text(), "0000:3b:00.0");
  EXPECT_EQ(node.measurements[0].peer->text(), "gpu0");
}

TEST(Perftest, MegabytesAreOfTwoToTheTwentiethAndGigabitsAreNot) {
  const std::string_view head =
      "                    RDMA_Write BW Test\n Dual-port : OFF  Device : mlx5_0\n"
      " #bytes     #iterations    BW peak[";
  const NodeDraft mega = read(std::string(head) +
                              "MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n"
                              " 65536      5000             0.00               23480.00   0.1\n"
                              " 2          5000             5.00               4.00   0.1\n");
  ASSERT_EQ(mega.measurements.size(), 1U);
  EXPECT_NEAR(*mega.measurements[0].rate_gbs, 24.6206, 1e-3);
  EXPECT_EQ(mega.measurements[0].component.text(), "mlx5_0/1");
  EXPECT_EQ(mega.measurements[0].test, "ib_write_bw");
  const NodeDraft giga = read(std::string(head) +
                              "Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"
                              " 65536      5000             198.00             197.00   0.1\n");
  EXPECT_NEAR(*giga.measurements.at(0).rate_gbs, 24.625, 1e-9);
}

TEST(Perftest, AFailedCompletionIsTold) {
  const NodeDraft node = read(
      " Dual-port       : OFF  Device         : mlx5_2\n Completion with error at client\n"
      " Failed status 12: wr_id 0 syndrom 0x81\nscnt=128, ccnt=0\n");
  ASSERT_EQ(node.records.size(), 1U);
  EXPECT_EQ(std::get<Reading>(node.records[0]).component.text(), "mlx5_2/1");
  EXPECT_EQ(std::get<Reading>(node.records[0]).text, "perftest: Failed status 12");
}

TEST(Perftest, LatenciesAreNoRates) {
  EXPECT_THAT(names(read("                    Send Latency Test\n Device : mlx5_0\n"
                         " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]\n"
                         " 2       1000          0.98           3.11         1.02\n")),
              IsEmpty());
}

TEST(NcclTests, RowsOfAllAges) {
  const auto wrong_of = [](std::string_view text) { return read(text).measurements.at(0).wrong; };
  constexpr std::string_view kNew = "# size count type redop root time algbw busbw #wrong\n";
  EXPECT_EQ(wrong_of("1024 256 float sum -1 11.7 91.20 170.99 2 11.7 91.19 170.99 3\n"), 5);
  EXPECT_EQ(wrong_of("1024 256 float none -1 11.7 91.20 170.99 0 11.7 91.19 170.99 N/A\n"), 0);
  EXPECT_EQ(wrong_of(std::string(kNew) +
                     "1024 256 float sum -1 11.7 91.20 170.99 1e+06 11.7 91.19 170.99 0\n"),
            1000000);
  EXPECT_EQ(wrong_of("1024 256 float sum 39235 0.86 0.86 1e-06 39141 0.86 0.86 0e+00\n"),
            std::nullopt);
  EXPECT_EQ(wrong_of("1024 256 float 21.03 0.9 0.9 0e+00 20.68 0.9 0.9 0e+00\n"), std::nullopt);
  EXPECT_EQ(wrong_of("1024 256 float sum -1 32.11 0.5 0.75\n"), std::nullopt);
}

TEST(NcclTests, TheFooterAloneTellsToo) {
  const NodeDraft node = read("# Out of bounds values : 12 FAILED\n");
  EXPECT_EQ(node.measurements.at(0).wrong, 12);
  EXPECT_FALSE(node.measurements[0].rate_gbs);
}

TEST(NcclDebug, HostsOfLines) {
  EXPECT_EQ(host_of_nccl_line("node01:123:456 [0] NCCL INFO Using network IB"), "node01");
  EXPECT_EQ(host_of_nccl_line("[2024-03-15 05:25:41] node02:9:10 [2] net_ib.cc:12 NCCL WARN x"),
            "node02");
  EXPECT_EQ(host_of_nccl_line("NCCL WARN Call to ibv_modify_qp failed"), std::nullopt);
  EXPECT_EQ(host_of_nccl_line("node01:123:456 [0] something else"), std::nullopt);
}

TEST(NcclDebug, EachThingIsTakenOnce) {
  const NodeDraft node = read(
      "a:1:2 [0] NCCL INFO Using network Socket\na:1:3 [1] NCCL INFO Using network Socket\n"
      "a:1:2 [0] misc/ibvwrap.cc:284 NCCL WARN Call to ibv_modify_qp failed with 110 Connection "
      "timed out, on dev mlx5_0:1, curr state INIT, next state RTR\n");
  ASSERT_EQ(node.records.size(), 2U);
  EXPECT_EQ(std::get<Reading>(node.records[0]).component.text(), "mlx5_0/1");
  EXPECT_EQ(std::get<Reading>(node.records[1]).quantity, "nccl_network");
}

/// Readers take whatever comes, also what begins as theirs and ends as something else.
TEST(Rates, GarbageIsTakenWithoutHarm) {
  for (const std::string_view start :
       {"nvbandwidth Version: v0.8\n", "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)\n",
        "{\n\"nvbandwidth\" :\n", "\"bandwidth_matrix\" : [", "[CUDA Bandwidth Test]\n",
        "bandwidthTest-H2D-Pinned, Bandwidth = \n", "#bytes #iterations BW average[Gb/sec]\n",
        "# nThread\n", "# Rank Pid\n", "1 1 float\n", "NCCL INFO \n", "NCCL WARN :::: hca dev\n",
        "[P2P (Peer-to-Peer) GPU Bandwidth\n", "Unidirectional P2P=Enabled x Matrix (GB/s)\n"})
    for (const std::string_view rest :
         {"", "\n\n\n", "]]]}}}[[[{{{\"\\\"", "0 1 2 3\n9 9 9 9\n", "-1 nan inf 1e999\n",
          "99999999999999999999 1 1 1\n", "\xff\xfe\x01 :\n", "Device 9999999999: x (zz)\n",
          "0\n0\n"})
      read(std::string(start) + std::string(rest));
}

}  // namespace
}  // namespace linkburn
