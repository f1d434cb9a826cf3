#include "bench/worker/message.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

namespace linkburn {
namespace {

struct Pair {
  Pair() {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    a = Channel(Fd(ends[0]));
    raw = ends[1];
  }
  ~Pair() { ::close(raw); }
  Channel a;
  int raw;
};

Instant soon() { return real_clock().now() + std::chrono::seconds(5); }

TEST(Channel, FramesArriveWholeWhateverTheSplit) {
  Pair pair;
  const std::string bytes("\x06\0\0\0\x06hello\x01\0\0\0\x08", 15);
  for (char byte : bytes) {
    ASSERT_EQ(::send(pair.raw, &byte, 1, 0), 1);
    ASSERT_TRUE(pair.a.fill());
  }
  const auto first = pair.a.next();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->type, MessageType::ready);
  EXPECT_EQ(first->body, "hello");
  const auto second = pair.a.next();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->body, "");
  EXPECT_FALSE(pair.a.next());
}

TEST(Channel, AFrameAboveTheLimitOrEmptyIsAnError) {
  for (const std::string& header :
       {std::string("\xff\xff\xff\xff\x01", 5), std::string("\0\0\0\0\x01", 5)}) {
    Pair pair;
    ASSERT_EQ(::send(pair.raw, header.data(), header.size(), 0), 5);
    EXPECT_FALSE(pair.a.fill());
    EXPECT_FALSE(pair.a.next());
  }
}

TEST(Channel, APeerThatClosedIsToldFromSilence) {
  Pair pair;
  EXPECT_TRUE(*pair.a.fill());
  ::shutdown(pair.raw, SHUT_WR);
  EXPECT_FALSE(*pair.a.fill());
}

TEST(Channel, APeerThatDoesNotReadEndsInATimeout) {
  Pair pair;
  const Message big{MessageType::record, std::string(Channel::kMaxBodyBytes - 1, 'x')};
  Status status;
  while (status)
    status = pair.a.send(big, real_clock(), real_clock().now() + std::chrono::milliseconds(20));
  EXPECT_EQ(status.error().code, Code::timeout);
}

TEST(Channel, SendingToAClosedPeerIsAnErrorAndNoSignal) {
  Pair pair;
  ::close(pair.raw);
  pair.raw = ::dup(0);
  EXPECT_FALSE(pair.a.send({MessageType::lease, {}}, real_clock(), soon()));
}

TEST(Messages, RoundTrip) {
  Job job;
  job.kind = "lane";
  job.step = "host_copy-1";
  job.component = ComponentId::numa_path(0, 1);
  job.params = {{"from_node", "0"}};
  job.paths = {"sys/class"};
  job.period_ms = 7;
  const auto back = decode_job(encode(job));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->component, job.component);
  EXPECT_EQ(back->params, job.params);
  EXPECT_EQ(back->paths, job.paths);
  EXPECT_EQ(decode_gate(encode(Gate{5, 6, 7, 8}))->windows, 7);
  EXPECT_EQ(decode_doing(encode(Doing{"x", 9}))->allowed_ms, 9);
  EXPECT_EQ(decode_outcome(encode(JobOutcome{"error", "why", {{"a", "b"}}}))->facts.at("a"), "b");
}

TEST(Messages, NonsenseIsAnError) {
  for (const char* body : {"", "{", "[]", "7", "{\"kind\":1}", "{\"start_ns\":\"a\"}"}) {
    EXPECT_FALSE(decode_job(body)) << body;
    EXPECT_FALSE(decode_gate(body)) << body;
    EXPECT_FALSE(decode_doing(body)) << body;
    EXPECT_FALSE(decode_outcome(body)) << body;
  }
}

}  // namespace
}  // namespace linkburn
