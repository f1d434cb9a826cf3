#include "bench/drill/world.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "bench/base/clock.h"
#include "bench/base/text.h"
#include "bench/drill/scenario.h"
#include "bench/drill/tasks.h"

namespace linkburn::drill {
namespace {

constexpr std::int64_t kWallAtStart = 1'767'225'600'000'000'000;  // 2026-01-01T00:00:00Z

constexpr int kLockAttempts = 20;
constexpr Duration kLockPause = std::chrono::milliseconds(5);
/// A folder without a whole state file may be one that is just being made; not after this time.
constexpr auto kMakingTakes = std::chrono::minutes(1);

std::string state_file(const std::string& folder) { return folder + "/state"; }

Result<State*> map_state(const Fd& file, const std::string& path) {
  void* at = ::mmap(nullptr, sizeof(State), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (at == MAP_FAILED) return errno_error(errno, "the drill's state cannot be mapped", path);
  return static_cast<State*>(at);
}

/// What lies between two offsets of a prepared state. Most of it is empty, and stays a hole of the
/// file.
void copy_between(State& to, const State& from, std::size_t begin, std::size_t end) {
  static const std::array<char, 4096> nothing{};
  auto* target = reinterpret_cast<char*>(&to);
  const auto* source = reinterpret_cast<const char*>(&from);
  for (std::size_t at = begin; at < end; at += nothing.size()) {
    const std::size_t bytes = std::min(nothing.size(), end - at);
    if (std::memcmp(source + at, nothing.data(), bytes) != 0)
      std::memcpy(target + at, source + at, bytes);
  }
}

/// The plain part of a prepared state. Streams are nearly all of its bytes, and few are in use.
void copy_plain(State& to, const State& from) {
  copy_between(to, from, offsetof(State, host), offsetof(State, streams));
  for (std::size_t n = 0; n < from.streams.size(); ++n)
    if (from.streams[n].used) to.streams[n] = from.streams[n];
  copy_between(to, from, offsetof(State, cells), sizeof(State));
}

void fill(State& to, const State& from, std::uint64_t seed) {
  copy_plain(to, from);
  to.header.magic = kStateMagic, to.header.version = kStateVersion;
  to.header.bytes = sizeof(State);
  to.header.ticker_pid = ::getpid();
  to.header.ticker_start_time = start_time(::getpid());
  to.header.turn = -1;
  to.header.wall_at_start_ns = kWallAtStart;
  to.header.seed = seed;
  to.header.ready = 1;
}

bool same_file(const Fd& file, const std::string& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(file.get(), &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

/// The state file of a folder, new and ours alone. Somebody who sweeps may hold it for a moment, or
/// take it away just before it is locked. What a dead one left goes, and is not used again: there
/// may be participants whose world it still is.
Result<Fd> make_locked_file(const std::string& folder) {
  const std::string path = state_file(folder);
  for (int attempt = 0; attempt < kLockAttempts; ++attempt) {
    if (attempt > 0) real_clock().sleep_until(real_clock().now() + kLockPause);
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return errno_error(error.value(), "no room for a drill", folder);
    Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file && errno == ENOENT) continue;
    if (!file) return errno_error(errno, "the drill's state cannot be made", path);
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0 || !same_file(file, path)) continue;
    if (::lseek(file.get(), 0, SEEK_END) == 0) return file;
    ::unlink(path.c_str());
  }
  return Error{Code::busy, "another drill runs in this folder", path, "give it another folder"};
}

/// Whether a locked state file is one that its maker has finished, or will never finish.
bool left_behind(const Fd& file, const std::filesystem::path& folder) {
  Header header{};
  const bool whole = file && ::pread(file.get(), &header, sizeof header, 0) == sizeof header;
  if (whole && header.ready == 1) return true;
  std::error_code error;
  const auto changed = std::filesystem::last_write_time(folder, error);
  return !error && std::filesystem::file_time_type::clock::now() - changed > kMakingTakes;
}

}  // namespace

std::optional<Place> place_in_environment() {
  const char* variable = std::getenv(kWorldVariable);
  if (variable == nullptr || *variable == '\0') return std::nullopt;
  const std::string_view text = variable;
  const std::size_t mark = text.rfind('#');
  const auto process =
      mark == std::string_view::npos ? std::nullopt : parse_int(text.substr(mark + 1));
  if (!process || *process < 0 || *process >= kMaxProcesses) return Place{std::string(text)};
  return Place{std::string(text.substr(0, mark)), static_cast<int>(*process)};
}

Result<World> World::create(const std::string& folder, const Scenario& scenario,
                            std::uint64_t seed) {
  if (folder.starts_with(drills_folder() + "/")) sweep_drills();
  auto lock = make_locked_file(folder);
  if (!lock) return lock.error();
  const std::string path = state_file(folder);
  World world;
  world.folder_ = folder;
  world.lock_ = std::move(*lock);
  if (::ftruncate(world.lock_.get(), sizeof(State)) != 0)
    return errno_error(errno, "no room for the drill's state", path);
  auto state = map_state(world.lock_, path);
  if (!state) return state.error();
  world.state_ = *state;
  fill(**state, *scenario.state, seed);
  return world;
}

Result<World> World::open(const std::string& folder) {
  const std::string path = state_file(folder);
  World world;
  world.folder_ = folder;
  const Fd file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!file) return errno_error(errno, "no drill runs here", path);
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0 || facts.st_size != static_cast<off_t>(sizeof(State)))
    return Error{Code::mismatch, "the drill's state is of another build", path, "use one build"};
  auto state = map_state(file, path);
  if (!state) return state.error();
  world.state_ = *state;
  const Header& header = (*state)->header;
  if (header.ready != 1 || header.magic != kStateMagic || header.version != kStateVersion ||
      header.bytes != sizeof(State))
    return Error{Code::mismatch, "the drill's state is of another build", path, "use one build"};
  return world;
}

World::World(World&& other) noexcept
    : folder_(std::move(other.folder_)),
      state_(std::exchange(other.state_, nullptr)),
      lock_(std::move(other.lock_)) {}

World& World::operator=(World&& other) noexcept {
  std::swap(folder_, other.folder_);
  std::swap(state_, other.state_);
  std::swap(lock_, other.lock_);
  return *this;
}

World::~World() {
  if (state_ != nullptr) ::munmap(state_, sizeof(State));
}

std::string drills_folder() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && *runtime == '/') return fmt::format("{}/linkburn-drills", runtime);
  return fmt::format("/dev/shm/linkburn-drills-{}", ::geteuid());
}

int sweep_drills() {
  int swept = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(drills_folder(), error)) {
    const Fd file(::open(state_file(entry.path()).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    if (file && ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) continue;  // its ticker lives
    if (!left_behind(file, entry.path())) continue;
    if (std::filesystem::remove_all(entry.path(), error) > 0) ++swept;
  }
  return swept;
}

}  // namespace linkburn::drill
