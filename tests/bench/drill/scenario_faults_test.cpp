#include <gmock/gmock.h>

#include <functional>

#include "bench/drill/scenario.h"
#include "tests/support/drill_state.h"

namespace linkburn::drill {
namespace {

using testing::HasSubstr;

/// Ten lines; a fault that a test writes begins in line 11.
const std::string kNode =
    "schema = 1\nname = \"test\"\n[[switch]]\n[[gpu]]\ncount = 2\nbelow = \"uplink0\"\n"
    "[[nic]]\n[[nvlink]]\nlinks = 2\n\n";
/// What a fault needs besides its kind.
const std::string kRest = "at_s = 1\nfinding = \"none\"\n";

std::string refused(const std::string& text) {
  const auto scenario = parse_scenario(kNode + text, "test.toml");
  return scenario ? "taken" : scenario.error().line();
}

/// A scenario with one fault; a fault of nothing when it was refused.
struct OneFault {
  explicit OneFault(const std::string& text) : whole(test::small_drill_scenario()) {
    auto scenario = parse_scenario(kNode + "[[fault]]\n" + text, "test.toml");
    EXPECT_TRUE(scenario) << (scenario ? "" : scenario.error().line()) << "\n" << text;
    if (scenario) whole = std::move(*scenario);
  }
  const Fault& fault() const { return whole.state->faults[0]; }
  const Expected& expected() const { return whole.expected.at(0); }
  std::string on() const { return whole.state->functions[fault().function].name.data(); }

  Scenario whole;
};

TEST(ScenarioFaults, BeginOnceAndStayUnlessSaid) {
  const OneFault one("kind = \"retrain\"\non = \"gpu1\"\ngen = 3\n" + kRest);
  EXPECT_TRUE(one.fault().used);
  EXPECT_FALSE(one.fault().active);
  EXPECT_EQ(one.fault().kind, FaultKind::retrain);
  EXPECT_EQ(one.fault().trigger, Trigger::at);
  EXPECT_EQ(one.fault().at_ns, 1'000'000'000);
  EXPECT_EQ(one.fault().for_ns, kNever);
  EXPECT_EQ(one.fault().repeats, 1);
  EXPECT_EQ(one.fault().gen, 3);
  EXPECT_EQ(one.fault().width, 0);
  EXPECT_EQ(one.fault().gpu, 1);
  EXPECT_EQ(one.fault().nic, -1);
  EXPECT_EQ(one.fault().after, -1);
  EXPECT_STREQ(one.fault().id.data(), "fault0");
  EXPECT_EQ(one.on(), "gpu1");
  EXPECT_FALSE(one.whole.state->faults[1].used);
}

TEST(ScenarioFaults, EachKindHasItsKeys) {
  struct Row {
    const char* text;
    FaultKind kind;
    std::function<bool(const Fault&)> right;
  };
  const auto any = [](const Fault&) { return true; };
  const std::vector<Row> rows{
      {"kind = \"retrain\"\non = \"uplink0\"\nwidth = 8\n", FaultKind::retrain,
       [](const Fault& f) { return f.width == 8 && f.gen == 0 && f.gpu == -1; }},
      {"kind = \"off_bus\"\non = \"nic0\"\n", FaultKind::off_bus,
       [](const Fault& f) { return f.nic == 0 && f.function >= 0; }},
      {"kind = \"hang\"\non = \"gpu0\"\ncall = \"cudaMalloc\"\n", FaultKind::hang,
       [](const Fault& f) { return f.text.data() == std::string("cudaMalloc"); }},
      {"kind = \"flip\"\non = \"gpu0\"\nin = \"burn\"\n", FaultKind::flip,
       [](const Fault& f) { return f.text.data() == std::string("burn"); }},
      {"kind = \"throttle\"\non = \"gpu0\"\nreason = \"power_brake\"\nclock_factor = 0.25\n",
       FaultKind::throttle, [](const Fault& f) { return f.amount == 0.25 && f.number == 0x80; }},
      {"kind = \"throttle\"\non = \"gpu0\"\n", FaultKind::throttle,
       [](const Fault& f) { return f.amount == 0.5 && f.number == 8; }},
      {"kind = \"errors\"\non = \"gpu0\"\nerrors_per_s = 40\nend = \"port\"\n", FaultKind::errors,
       [](const Fault& f) { return f.amount == 40 && f.number == 1; }},
      {"kind = \"replays\"\non = \"gpu0\"\nreplays_per_s = 3\n", FaultKind::replays,
       [](const Fault& f) { return f.amount == 3; }},
      {"kind = \"failed_wake\"\non = \"gpu0\"\n", FaultKind::failed_wake, any},
      {"kind = \"drift\"\non = \"gpu0\"\nshare_per_hour = 0.1\n", FaultKind::drift,
       [](const Fault& f) { return f.amount == 0.1; }},
      {"kind = \"xid\"\non = \"gpu0\"\nxid = 74\n", FaultKind::xid,
       [](const Fault& f) { return f.number == 74; }},
      {"kind = \"busy\"\non = \"gpu0\"\npid = 99\n", FaultKind::busy,
       [](const Fault& f) { return f.number == 99; }},
      {"kind = \"ecc\"\non = \"gpu0\"\nerrors = 2\n", FaultKind::ecc,
       [](const Fault& f) { return f.number == 2; }},
      {"kind = \"nvlink_down\"\non = \"gpu0\"\nnvlink = 1\n", FaultKind::nvlink_down,
       [](const Fault& f) { return f.number == 1; }},
      {"kind = \"port_rate\"\non = \"nic0\"\nrate_gbps = 25\n", FaultKind::port_rate,
       [](const Fault& f) { return f.amount == 25; }},
      {"kind = \"port_down\"\non = \"nic0\"\n", FaultKind::port_down, any},
      {"kind = \"ambient\"\non = \"gpu0\"\nambient_c = 45\n", FaultKind::ambient,
       [](const Fault& f) { return f.amount == 45; }},
  };
  for (const Row& row : rows) {
    const OneFault one(row.text + kRest);
    EXPECT_EQ(one.fault().kind, row.kind) << row.text;
    EXPECT_TRUE(row.right(one.fault())) << row.text;
  }
}

TEST(ScenarioFaults, TimesAreInTheUnitOfTheirKey) {
  const std::string kind = "kind = \"off_bus\"\non = \"gpu0\"\nfinding = \"none\"\n";
  EXPECT_EQ(OneFault(kind + "at_ms = 1.5\n").fault().at_ns, 1'500'000);
  EXPECT_EQ(OneFault(kind + "at_minutes = 2\n").fault().at_ns, 120'000'000'000);
  EXPECT_EQ(OneFault(kind + "at_s = 0\nfor_ms = 200\n").fault().for_ns, 200'000'000);
  EXPECT_EQ(OneFault(kind + "at_s = 36000000\n").fault().at_ns, 36'000'000'000'000'000);
  EXPECT_THAT(refused("[[fault]]\n" + kind + "at_s = 36000001\n"), HasSubstr("'at_s' must be"));
  EXPECT_THAT(refused("[[fault]]\n" + kind + "at_s = -1\n"),
              HasSubstr("'at_s' must be a number from 0"));
  EXPECT_THAT(refused("[[fault]]\n" + kind + "at_s = 1\nfor_s = 0\n"),
              HasSubstr("'for_s' must be a number from"));
  EXPECT_THAT(refused("[[fault]]\n" + kind + "at_s = 1\nat_ms = 1\n"),
              HasSubstr("'at' is given in two units"));
}

TEST(ScenarioFaults, BeginByHeatOrOnWakingOrAfterAnother) {
  const std::string kind = "kind = \"retrain\"\ngen = 3\nfinding = \"none\"\n";
  const OneFault hot(kind + "on = \"gpu1\"\ntemperature_above_c = 75\nrepeats = 0\n");
  EXPECT_EQ(hot.fault().trigger, Trigger::temperature);
  EXPECT_EQ(hot.fault().above_c, 75);
  EXPECT_EQ(hot.fault().gpu, 1);
  EXPECT_EQ(hot.fault().repeats, 0);
  const OneFault far(kind + "on = \"uplink0\"\ntemperature_above_c = 75\nof = \"gpu0\"\n");
  EXPECT_EQ(far.fault().gpu, 0);
  EXPECT_EQ(far.on(), "uplink0");
  const OneFault wake(kind + "on = \"gpu1\"\non_wake = true\n");
  EXPECT_EQ(wake.fault().trigger, Trigger::on_wake);
  const OneFault chain(kind + "on = \"gpu1\"\nafter = \"first\"\ndelay_s = 2\n[[fault]]\n" + kind +
                       "id = \"first\"\non = \"gpu0\"\nat_s = 1\n");
  EXPECT_EQ(chain.fault().trigger, Trigger::after);
  EXPECT_EQ(chain.fault().after, 1);
  EXPECT_EQ(chain.fault().at_ns, 2'000'000'000);
}

TEST(ScenarioFaults, ExactlyOneThingBeginsThem) {
  const std::string fault =
      "[[fault]]\nkind = \"retrain\"\ngen = 3\nfinding = \"none\"\non = \"gpu0\"\n";
  EXPECT_EQ(refused(fault),
            "a fault needs one of 'at_s', 'temperature_above_c', 'after', 'on_wake': test.toml:11");
  EXPECT_THAT(refused(fault + "at_s = 1\non_wake = true\n"), HasSubstr("needs one of"));
  EXPECT_THAT(refused(fault + "at_s = 1\ndelay_s = 1\n"), HasSubstr("a delay needs 'after'"));
  const std::string uplink =
      "[[fault]]\nkind = \"retrain\"\ngen = 3\nfinding = \"none\"\non = \"uplink0\"\n";
  EXPECT_EQ(refused(uplink + "temperature_above_c = 75\n"),
            "whose temperature? Name a GPU with 'of': test.toml:16");
  EXPECT_THAT(refused(uplink + "temperature_above_c = 75\nof = \"nic0\"\n"),
              HasSubstr("there is no GPU 'nic0'"));
  EXPECT_THAT(refused(fault + "temperature_above_c = 75\nof = \"gpu1\"\n"),
              HasSubstr("its own temperature"));
  EXPECT_THAT(refused(uplink + "on_wake = true\n"), HasSubstr("only the link of a GPU"));
}

TEST(ScenarioFaults, ChainsMustEnd) {
  const auto fault = [](const std::string& id, const std::string& after) {
    return "[[fault]]\nkind = \"off_bus\"\non = \"gpu0\"\nfinding = \"none\"\nid = \"" + id +
           "\"\nafter = \"" + after + "\"\n";
  };
  EXPECT_EQ(refused(fault("a", "b")), "there is no fault 'b': test.toml:11");
  EXPECT_EQ(refused(fault("a", "a")),
            "fault 'a' waits for itself: 'after' goes in a circle: test.toml:11");
  EXPECT_THAT(refused(fault("a", "b") + fault("b", "c") + fault("c", "a")),
              HasSubstr("goes in a circle"));
  EXPECT_THAT(refused(fault("a", "b") + fault("a", "b")), HasSubstr("two faults have the id 'a'"));
}

TEST(ScenarioFaults, HappenToSomethingThatCanHaveThem) {
  const auto on = [](const std::string& kind, const std::string& device) {
    return refused("[[fault]]\nkind = \"" + kind + "\"\non = \"" + device + "\"\n" + kRest);
  };
  EXPECT_EQ(on("off_bus", "gpu9"), "there is no device 'gpu9': test.toml:13");
  EXPECT_EQ(refused("[[fault]]\nkind = \"off_bus\"\n" + kRest),
            "key 'on' is missing: test.toml:11");
  EXPECT_THAT(on("failed_wake", "nic0"), HasSubstr("is a fault of a GPU, and 'nic0' is none"));
  EXPECT_THAT(on("port_down", "gpu0"), HasSubstr("is a fault of a NIC, and 'gpu0' is none"));
  EXPECT_THAT(on("off_bus", "gpu0-port"), HasSubstr("name the device below it"));
  EXPECT_THAT(on("of_bus", "gpu0"), HasSubstr("did you mean 'off_bus'?"));
}

TEST(ScenarioFaults, NumbersAreBounded) {
  const auto with = [](const std::string& text) {
    return refused("[[fault]]\non = \"gpu0\"\n" + text + kRest);
  };
  EXPECT_EQ(with("kind = \"retrain\"\ngen = 5\nwidth = 16\n"), "taken");
  EXPECT_THAT(with("kind = \"retrain\"\ngen = 6\n"), HasSubstr("whole number from 1 to 5"));
  EXPECT_THAT(with("kind = \"retrain\"\n"), HasSubstr("needs 'gen' or 'width'"));
  EXPECT_THAT(with("kind = \"retrain\"\nwidth = 12\n"), HasSubstr("1, 2, 4, 8 or 16"));
  EXPECT_THAT(with("kind = \"hang\"\n"), HasSubstr("key 'call' is missing"));
  EXPECT_THAT(with("kind = \"hang\"\ncall = \"a b\"\n"), HasSubstr("name of a driver's function"));
  EXPECT_THAT(with("kind = \"flip\"\nin = \"disk\"\n"), HasSubstr("words copy, burn"));
  EXPECT_THAT(with("kind = \"errors\"\n"), HasSubstr("key 'errors_per_s' is missing"));
  EXPECT_THAT(with("kind = \"errors\"\nerrors_per_s = 0\n"), HasSubstr("must be a number"));
  EXPECT_EQ(with("kind = \"throttle\"\nclock_factor = 0.01\n"), "taken");
  EXPECT_THAT(with("kind = \"throttle\"\nclock_factor = 0\n"), HasSubstr("must be a number"));
  EXPECT_EQ(with("kind = \"xid\"\nxid = 1\n"), "taken");
  EXPECT_THAT(with("kind = \"xid\"\nxid = 0\n"), HasSubstr("must be a whole number"));
  EXPECT_EQ(with("kind = \"nvlink_down\"\nnvlink = 1\n"), "taken");
  EXPECT_THAT(with("kind = \"nvlink_down\"\nnvlink = 2\n"), HasSubstr("the GPU has no NVLink 2"));
  EXPECT_THAT(with("kind = \"xid\"\nxid = 1\nwidth = 8\n"), HasSubstr("unknown key 'width'"));
  std::string many;
  for (int n = 0; n < kMaxFaults; ++n)
    many += "[[fault]]\nkind = \"off_bus\"\non = \"gpu0\"\n" + kRest;
  EXPECT_EQ(refused(many), "taken");
  EXPECT_THAT(refused(many + "[[fault]]\n"), HasSubstr("more than 64 faults"));
}

TEST(ScenarioFaults, ALinkNarrowByDesignCannotRetrainWider) {
  const std::string text =
      "schema = 1\nname = \"test\"\n[[gpu]]\nport_width = 8\n[[fault]]\nkind = \"retrain\"\n"
      "on = \"gpu0\"\n" +
      kRest;
  EXPECT_TRUE(parse_scenario(text + "width = 8\n", "test.toml"));
  const auto wider = parse_scenario(text + "width = 16\n", "test.toml");
  ASSERT_FALSE(wider);
  EXPECT_EQ(wider.error().line(), "the link has no more than 8 lanes: test.toml:10");
}

TEST(ScenarioExpectations, NameCodeComponentAndClass) {
  const std::string kind = "kind = \"off_bus\"\non = \"gpu0\"\nat_s = 1\n";
  const OneFault plain(kind + "finding = \"LB-DEV-LOST\"\nclass = \"lost\"\n");
  EXPECT_EQ(plain.expected().code, "LB-DEV-LOST");
  EXPECT_EQ(plain.expected().finding_class, "lost");
  EXPECT_EQ(plain.expected().component, "0000:03:00.0") << "where the fault is";
  const auto component = [&](const std::string& name) {
    return OneFault(kind + "finding = \"LB-DEV-LOST\"\nclass = \"lost\"\ncomponent = \"" + name +
                    "\"\n")
        .expected()
        .component;
  };
  EXPECT_EQ(component("uplink0"), "0000:01:00.0");
  EXPECT_EQ(component("0000:01:00.0"), "0000:01:00.0");
  EXPECT_EQ(component("mlx5_0/1"), "mlx5_0/1");
  EXPECT_EQ(component("ib0"), "ib0");
  EXPECT_EQ(component("numa1"), "numa1");
  EXPECT_EQ(component("node"), "node");
  const OneFault port(
      "kind = \"port_down\"\non = \"nic0\"\nat_s = 1\n"
      "finding = \"LB-PORT-STATE\"\nclass = \"lost\"\n");
  EXPECT_EQ(port.expected().component, "mlx5_0/1");
  const OneFault hidden(kind + "finding = \"none\"\n");
  EXPECT_EQ(hidden.expected().code, "");
  EXPECT_EQ(hidden.expected().component, "");
}

TEST(ScenarioExpectations, MustBeSaid) {
  const auto with = [](const std::string& text) {
    return refused("[[fault]]\nkind = \"off_bus\"\non = \"gpu0\"\nat_s = 1\n" + text);
  };
  EXPECT_EQ(with(""), "key 'finding' is missing: test.toml:11");
  EXPECT_THAT(with("finding = \"LB-DEV-LOST\"\n"), HasSubstr("key 'class' is missing"));
  EXPECT_THAT(with("finding = \"LB-DEV-LOST\"\nclass = \"lots\"\n"),
              HasSubstr("did you mean 'lost'?"));
  EXPECT_THAT(with("finding = \"lost\"\nclass = \"lost\"\n"), HasSubstr("a code such as"));
  EXPECT_THAT(with("finding = \"none\"\nclass = \"lost\"\n"), HasSubstr("there is no 'class'"));
  EXPECT_EQ(with("finding = \"LB-DEV-LOST\"\nclass = \"lost\"\ncomponent = \"gpu7\"\n"),
            "there is no component 'gpu7': test.toml:11");
}

}  // namespace
}  // namespace linkburn::drill
