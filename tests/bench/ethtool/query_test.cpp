// Questions to the kernel of this machine: to the loopback interface, and to a pair of virtual
// interfaces in a network namespace of the test's own.
#include "bench/ethtool/query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>

#include "bench/base/fd.h"
#include "bench/ethtool/link_detail.h"
#include "bench/inventory/ethtool_text.h"
#include "tests/support/as_nobody.h"

namespace linkburn {
namespace {

using testing::HasSubstr;

Interface taken(const std::string& text) {
  Interface interface;
  std::vector<Counter> counters;
  take_ethtool_text(text, interface, counters);
  return interface;
}

/// As root plainly; else as root of a user namespace, which programs need to be told of.
bool enter_network_namespace() {
  if (::unshare(CLONE_NEWNET) == 0) return true;
  const std::string map = "0 " + std::to_string(::getuid()) + " 1";
  return ::unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 &&
         static_cast<bool>(std::ofstream("/proc/self/uid_map") << map << std::flush);
}

/// What `work` says in a network namespace that holds the interfaces pair0 and pair1; nothing when
/// this machine does not allow one.
std::optional<std::string> in_namespace(const std::function<std::string()>& work) {
  int ends[2];
  if (::pipe(ends) != 0) return std::nullopt;
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    const bool ready =
        enter_network_namespace() &&
        std::system("ip link add pair0 type veth peer name pair1 2>/dev/null") == 0 &&
        std::system("ip link set pair0 up 2>/dev/null") == 0;
    const std::string text = ready ? work() : "";
    const bool told =
        ::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    ::_exit(ready && told ? 0 : 1);
  }
  ::close(ends[1]);
  const Fd in(ends[0]);
  std::string text;
  std::array<char, 4096> chunk{};
  for (ssize_t got = 0; (got = ::read(in.get(), chunk.data(), chunk.size())) > 0;)
    text.append(chunk.data(), static_cast<std::size_t>(got));
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? std::optional(text) : std::nullopt;
}

/// The output of a command; empty when it is not there.
std::string output_of(const std::string& command) {
  FILE* pipe = ::popen((command + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return {};
  std::string text;
  std::array<char, 4096> chunk{};
  while (std::fgets(chunk.data(), chunk.size(), pipe) != nullptr) text += chunk.data();
  ::pclose(pipe);
  return text;
}

TEST(QueryEthtool, AnInterfaceThatIsNotThereIsAnError) {
  const auto text = query_ethtool("no-such-one");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Code::not_found);
  EXPECT_FALSE(query_ethtool("a-name-that-is-longer-than-any"));
  EXPECT_FALSE(query_ethtool(""));
}

TEST(QueryEthtool, AnInterfaceWithoutHardwareSaysWhyItHasNoModes) {
  const auto text = query_ethtool("lo");
  if (!text) GTEST_SKIP() << "no loopback interface here";
  const Interface interface = taken(*text);
  EXPECT_EQ(interface.modes_source, "");
  EXPECT_NE(interface.modes_absent, "");
  EXPECT_EQ(interface.module, std::nullopt);
  EXPECT_NE(interface.module_absent, "");
  EXPECT_EQ(interface.supported_gbps, std::nullopt);
}

TEST(QueryEthtool, WithoutRootTheModuleNeedsRoot) {
  const test::AsNobody nobody;
  if (!nobody.bound_by_permissions()) GTEST_SKIP() << "root's rights cannot be dropped here";
  const auto text = query_ethtool("lo");
  if (!text) GTEST_SKIP() << "no loopback interface here";
  EXPECT_EQ(taken(*text).module_absent, "needs root");
}

TEST(QueryEthtool, AVirtualPairAnswersAsEthtoolShowsIt) {
  const auto text = in_namespace([] { return query_ethtool("pair0").value_or("failed"); });
  if (!text) GTEST_SKIP() << "no network namespace of one's own here";
  const Interface interface = taken(*text);
  EXPECT_NE(interface.modes_source, "") << *text;
  EXPECT_EQ(interface.supported_gbps, std::nullopt);
  EXPECT_EQ(interface.autonegotiation, false);
  const auto shown = in_namespace([] { return output_of("ethtool pair0"); });
  if (!shown || shown->empty()) GTEST_SKIP() << "no ethtool here";
  if (interface.speed_gbps)
    EXPECT_THAT(*shown,
                HasSubstr("Speed: " +
                          std::to_string(static_cast<int>(*interface.speed_gbps * 1000)) + "Mb/s"));
  else
    EXPECT_THAT(*shown, HasSubstr("Speed: Unknown"));
  EXPECT_THAT(*shown, HasSubstr("Auto-negotiation: off"));
}

TEST(LinkDetail, IsInWords) {
  EXPECT_EQ(link_detail(4, 0), "No cable");
  EXPECT_EQ(link_detail(0, 1), "Autoneg, No partner detected");
  EXPECT_EQ(link_detail(3, 99), "Bad signal integrity, substate 99");
  EXPECT_EQ(link_detail(200, 0), "state 200");
}

}  // namespace
}  // namespace linkburn
