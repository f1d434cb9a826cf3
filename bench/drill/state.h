// The state file of a drill: one mmap'ed file, the only truth about a world of software devices.
//
// Everything is plain data in fixed arrays, so that it means the same in every process that maps it
// and a killed process leaves no half-linked list. Two rules keep it whole:
//   - whoever reads or writes it holds the turn (turns.h); the ticker acts only while nobody does.
//     Only `Header`, `Participant::word` and `now_ns` are read without it.
//   - what is added to an array becomes valid by its last store: `used`, or the count of a ring.
//
// Times are nanoseconds of the drill clock, counted from the start of the world. Indices of things
// that are not there are -1.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace linkburn::drill {

inline constexpr std::uint32_t kStateMagic = 0x4c424452;  // "LBDR"
inline constexpr std::uint32_t kStateVersion = 1;
inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

inline constexpr int kMaxProcesses = 64, kMaxParticipants = 256;
inline constexpr int kMaxFunctions = 96, kMaxGpus = 16, kMaxNics = 16, kMaxNvmes = 16,
                     kMaxNumas = 8;
inline constexpr int kMaxNvlinks = 18, kMaxStreams = 256, kMaxOps = 256, kMaxPath = 16;
inline constexpr int kMaxCells = 64, kMaxFaults = 64, kMaxLogLines = 1024, kMaxXids = 32;
inline constexpr int kMaxSensors = 64;

/// Text in the state file, cut to its room and always terminated.
template <std::size_t N>
using Text = std::array<char, N>;

// ---- participants: whose turn it is (turns.h) ----

enum class Presence : std::uint32_t {
  free = 0,
  expected,  ///< announced by whoever starts it; time does not pass until it has come
  waiting,   ///< has said what it waits for
  running,   ///< holds the turn
  outside,  ///< did not come back in time from something that is no wait of ours; runs without turn
  leaving,  ///< of a process: has said that it ends; time does not pass until it is gone
};

enum class WaitKind : std::uint32_t {
  time,       ///< for the deadline alone
  files,      ///< for files to be ready: asked to look (`word`) whenever somebody else has run
  condition,  ///< for notify() of the address `object`
  op,         ///< until stream `object` has done its op `seq`
  thread,     ///< until participant `object` has left
};

enum class Word : std::uint32_t {
  wait = 0,  ///< sleep on this word
  run,       ///< you have the turn
  look,      ///< look at your files, then wait again or run on; you have the turn
};

/// Who waits owns nothing of its slot: the ticker does. Until then, and with `presence` said last,
/// the slot belongs to the thread.
struct Participant {
  std::atomic<Word> word;  ///< futex
  std::atomic<Presence> presence;
  std::atomic<std::int32_t> tid;  ///< 0: free; below 0: taken by thread -tid for one to come
  std::atomic<std::int32_t> pid;
  std::int32_t process;      ///< index of Process; -1 before its first turn
  std::uint32_t generation;  ///< counts the threads that have had this slot
  WaitKind kind;
  std::atomic<std::uint64_t> object;
  std::uint64_t seq;
  std::int64_t deadline_ns;
  std::int64_t woken_ns;  ///< since when it may run, kNever: it may not; orders those that may
  std::atomic<bool> notified;
  bool looked, timed_out;
  bool main;  ///< the first thread of its process
};

struct Process {
  bool used;
  Presence presence;         ///< expected, running, leaving
  std::int32_t pid;          ///< 0 while it is not known
  std::uint64_t start_time;  ///< of /proc/PID/stat, so that a reused pid is no mistake
  Text<32> name;
};

// ---- the node ----

enum class PortKind : std::uint32_t {
  root_port,
  switch_upstream,
  switch_downstream,
  endpoint,
  integrated,  ///< no link
};

enum class Device : std::uint32_t { bridge, gpu, nic, nvme, other };

/// What one end of a link has counted.
struct Errors {
  /// Correctable, by bit of the AER status register [PCIe 6.0, 7.8.4.5]; then the other two.
  std::array<std::uint64_t, 16> correctable;
  std::uint64_t nonfatal, fatal;
  std::uint32_t correctable_status, uncorrectable_status;  ///< sticky bits of the registers
};

/// One PCI function, with the link above it (endpoints and upstream ports) or none.
struct Function {
  bool used;
  PortKind kind;
  Device device;
  std::uint32_t domain;
  std::uint8_t bus, slot, function;  ///< the address
  std::uint16_t vendor, device_id, subsystem_vendor, subsystem_device;
  std::uint32_t class_code;
  std::int32_t parent;  ///< function above; -1: the root complex
  std::int32_t numa;
  std::int32_t slot_number;  ///< physical slot below a port; -1: none
  Text<32> slot_label;       ///< what the board calls that slot; empty: its number alone
  Text<32> name;             ///< as the scenario calls it: "gpu0", "uplink1"
  Text<16> driver;

  std::uint8_t cap_gen, cap_width;    ///< its own ability towards the link above it
  std::uint8_t port_gen, port_width;  ///< of a bridge: its ability towards the link below it
  std::uint8_t gen, width;            ///< the link above, as it runs now
  std::uint8_t full_gen, full_width;  ///< as it would run without what holds it down; 0: nothing
  std::uint8_t target_gen;            ///< Link Control 2 at the upper end
  bool training, bandwidth_changed;   ///< LT; LBMS at the upper end
  bool gone;                          ///< fallen off: reads are all ones
  bool suspended;                     ///< runtime power state
  std::uint64_t replays, rollovers, recoveries;
  double drift;            ///< share of the link's payload rate that is still there, 1 = all
  double errors_per_s[2];  ///< Receiver Error at the lower and upper end, from faults
  double replays_per_s;
  std::int64_t reports_from_ns;  ///< the kernel log takes a few reports of errors in a while
  std::int32_t reports;
  Errors lower, upper;  ///< counters of this function, and of the port above
};

struct Thermal {
  double ambient_c, c_per_w, tau_s, idle_w, full_w, slowdown_c, shutdown_c, memory_offset_c;
};

struct Xid {
  std::int64_t at_ns;
  std::uint32_t number;
};

struct Nvlink {
  bool used, active;
  std::int32_t peer_gpu;  ///< -1: a switch
  double rate_gbs;        ///< one direction
  std::uint64_t replays, recoveries, crc_errors;
};

struct Gpu {
  bool used;
  std::int32_t function;  ///< index of Function
  std::int32_t numa;
  Text<64> model, uuid;
  Text<32> serial;
  std::uint64_t memory_bytes;
  double copy_gbs[2];       ///< copy engines' own limit, to and from the device; 0: none
  double chip_to_chip_gbs;  ///< 0: the PCIe link carries the copies
  double fp32_tflops, tensor_tflops, memory_gbs;
  std::int32_t sms, clock_mhz, memory_clock_mhz, max_clock_mhz;
  std::int32_t compute_major, compute_minor;
  Thermal thermal;
  double temperature_c, power_w, power_limit_w;
  double busy;      ///< share of full power that its running ops ask for, now
  double busy_sum;  ///< the same times nanoseconds, since the last tick until busy_since_ns
  std::int64_t busy_since_ns;

  std::int64_t context_ms, teardown_ms;  ///< to create a context; how long its end stalls others
  std::int64_t idle_after_ms, wake_ms;   ///< until the idle link goes down; until it is up again
  std::uint8_t idle_gen;                 ///< the link's speed when idle; 0: stays
  bool asleep;                           ///< the link was lowered because the GPU is idle
  std::int64_t busy_until_ns;            ///< when its last op ended; kNever while one runs
  std::int64_t wake_at_ns;               ///< 0: not waking

  double clock_factor;    ///< below 1 while throttled
  bool hot;               ///< throttled by its heat
  std::uint64_t reasons;  ///< NVML clock event reasons
  bool lost;              ///< fallen off the bus
  bool mig;
  std::int32_t compute_mode;                 ///< 0 default, 2 prohibited, 3 exclusive process
  std::int32_t foreign_pid;                  ///< another's process on the GPU; 0: none
  std::int32_t owner_process;                ///< in exclusive mode: who has the context; -1
  std::array<bool, kMaxProcesses> contexts;  ///< which processes have one
  std::array<std::uint64_t, kMaxProcesses> memory_of;  ///< what they use of its memory
  bool fabric_ready;
  std::uint64_t ecc_corrected, ecc_uncorrected, remapped_rows;
  std::int32_t xid_count;
  std::array<Xid, kMaxXids> xids;  ///< ring, newest at (xid_count - 1) % kMaxXids
  std::array<Nvlink, kMaxNvlinks> nvlinks;
};

struct Nic {
  bool used;
  std::int32_t function;
  Text<16> name, interface_name;  ///< "mlx5_0", "eth0"
  bool infiniband, up;
  double rated_gbps, rate_gbps;
  double temperature_c;
};

struct Nvme {
  bool used;
  std::int32_t function;
  double temperature_c;
};

struct Numa {
  bool used;
  Text<64> cpus;      ///< "0-31"
  double memory_gbs;  ///< reads and writes together
  double far_gbs;     ///< to the other sockets, each direction
};

// ---- load: what runs on the devices (model.h) ----

enum class OpKind : std::uint32_t {
  copy,          ///< `work` bytes over `path`
  kernel,        ///< `work` units of `unit`
  fixed,         ///< `work` ns, whatever else runs (launch latency, context work)
  record_event,  ///< done when its turn in the stream comes
  wait_op,       ///< until stream `other` has done op `other_seq`
  wait_cell,     ///< until cell `other` holds at least `other_seq`
  write_cell,    ///< sets cell `other` to `other_seq`
  gate,          ///< until `open`; its owner opens it
};

/// Which power of a GPU a kernel uses; what its `work` counts.
enum class Engine : std::uint32_t { fp32_flop, tensor_flop, memory_byte };

/// Resources that transfers share: each direction of each link, memory, engines. A number made by
/// the functions below.
using Resource = std::int32_t;
enum class Direction : std::uint32_t { to_device, from_device };

/// How an op gets on: `rest` of its work at `settled_ns`, units a second since then, when it will
/// be through.
struct Pace {
  double rest, rate;
  std::int64_t settled_ns, due_ns;
};

struct Op {
  OpKind kind;
  double work;  ///< asked for
  Engine unit;
  std::int32_t gpu;
  std::int32_t path_length;
  std::array<Resource, kMaxPath> path;
  std::int32_t other;
  std::uint64_t other_seq;
  bool open, failed, flipped;
  std::int64_t submitted_ns, start_ns, end_ns;
  std::uint64_t tag;  ///< the owner's own
  // The model's own. A participant that submits changes the pace of the ops of others, and may be
  // killed meanwhile: the new pace is made beside the old one and counts by one store.
  std::array<Pace, 2> paces;
  std::uint32_t pace;  ///< which of them counts
  std::uint32_t gpus;  ///< bit set of those it keeps busy

  const Pace& current() const { return paces[pace]; }
};

/// Ops of a stream run one after the other. seq counts from 1, and on when another process opens
/// the stream anew; op seq lies at (seq - 1) % kMaxOps.
struct Stream {
  bool used;
  std::int32_t process, gpu;
  std::uint64_t submitted, done;  ///< seq of the last op of each kind
  std::array<Op, kMaxOps> ops;
};

struct Cell {
  bool used;
  std::int32_t process;
  std::uint64_t value;
};

// ---- faults ----

enum class FaultKind : std::uint32_t {
  retrain,   ///< link of `function` runs at gen/width; 0 keeps that one
  off_bus,   ///< the device is gone; a GPU reports Xid 79
  hang,      ///< call `text` of `gpu` never returns
  flip,      ///< one bit in the next op of kind `text`: "copy" or "burn"
  throttle,  ///< clocks times `amount`, reasons `number`
  errors,    ///< `amount` correctable errors a second at the link's `number`: 0 lower, 1 upper end
  replays,   ///< `amount` replays a second
  failed_wake,  ///< the link stays at its idle speed when work comes
  drift,        ///< payload rate falls by the share `amount` an hour
  xid,          ///< Xid `number`
  busy,         ///< another's process `number` computes on the GPU
  ecc,          ///< `number` uncorrected errors
  nvlink_down,  ///< link `number` of the GPU
  port_rate,    ///< a NIC's port runs at `amount` Gb/s
  port_down,
  ambient,  ///< air of the GPU at `amount` °C
};

enum class Trigger : std::uint32_t {
  at,           ///< at_ns
  temperature,  ///< `gpu` above `above_c`; with repeats != 1 and no end: while it is hot
  after,        ///< at_ns after fault `after` has begun
  on_wake,      ///< when the link of `function` comes up from idle
};

struct Fault {
  bool used;
  FaultKind kind;
  Trigger trigger;
  Text<32> id;
  std::int32_t function, gpu, nic;
  std::int64_t at_ns;
  double above_c;
  std::int32_t after;    ///< index of Fault
  std::int64_t for_ns;   ///< then it ends; kNever: it stays
  std::int32_t repeats;  ///< how often it may begin again; 1 = once, 0 = whenever triggered
  std::uint8_t gen, width;
  double amount;
  std::int64_t number;
  Text<48> text;

  bool active;
  bool passed;         ///< of Trigger::temperature: began, and it has not cooled down since
  std::int32_t begun;  ///< how often it has begun
  std::int64_t begun_ns, ends_ns;
  double old_amount;  ///< what it changed, as it was before
};

struct LogLine {
  std::int64_t at_ns;
  std::uint8_t level;
  Text<160> text;
  Text<32> device;  ///< "+pci:0000:17:00.0", or empty
};

// ---- all of it ----

struct Header {
  std::uint32_t magic, version;
  std::uint64_t bytes;  ///< sizeof(State), so that builds that differ do not mix
  std::atomic<std::uint32_t> ready;
  std::atomic<std::int32_t> ticker_pid;
  std::atomic<std::uint64_t> ticker_start_time;  ///< of /proc/PID/stat
  std::atomic<std::uint32_t> ended;         ///< by its ticker, or because that is dead; see Turns
  std::atomic<std::int64_t> ended_real_ns;  ///< when, on real_clock()
  std::atomic<std::uint32_t> doorbell;      ///< futex: participants ring, the ticker listens
  std::atomic<std::int32_t> turn;           ///< participant that holds it; -1: nobody
  std::atomic<std::int64_t> now_ns;
  std::int64_t wall_at_start_ns;  ///< from the scenario, not from this machine
  std::uint64_t seed;
};

struct Statistics {
  std::uint64_t turns, looks, forced_turns, deaths, events, ticks;
};

struct State {
  Header header;
  Statistics statistics;
  std::array<Process, kMaxProcesses> processes;
  std::array<Participant, kMaxParticipants> participants;

  Text<64> host, scenario;
  std::array<Numa, kMaxNumas> numas;
  std::array<Function, kMaxFunctions> functions;
  std::array<Gpu, kMaxGpus> gpus;
  std::array<Nic, kMaxNics> nics;
  std::array<Nvme, kMaxNvmes> nvmes;

  double copy_efficiency;  ///< share of the line-coded rate that payload gets, 0.87
  double jitter;           ///< relative spread of op durations, from the seed
  std::int64_t tick_ns;    ///< of thermal model and error rates
  std::int64_t last_tick_ns;
  std::int64_t stall_until_ns;  ///< a context is being torn down: driver calls wait until then

  std::array<std::uint64_t, kMaxStreams / 64> busy_streams;  ///< bit set: has ops to do
  std::array<Stream, kMaxStreams> streams;
  std::array<Cell, kMaxCells> cells;
  std::array<Fault, kMaxFaults> faults;
  std::uint64_t log_count;
  std::array<LogLine, kMaxLogLines> log;  ///< line n lies at n % kMaxLogLines
};

static_assert(std::is_standard_layout_v<State>);
static_assert(std::atomic<Word>::is_always_lock_free &&
              std::atomic<std::int64_t>::is_always_lock_free);

}  // namespace linkburn::drill
