#include "bench/drill/world.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "bench/drill/scenario.h"

namespace linkburn::drill {
namespace {

constexpr std::int64_t kWallAtStart = 1'767'225'600'000'000'000;  // 2026-01-01T00:00:00Z

std::string state_file(const std::string& folder) { return folder + "/state"; }

Result<State*> map_state(const Fd& file, const std::string& path) {
  void* at = ::mmap(nullptr, sizeof(State), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (at == MAP_FAILED) return errno_error(errno, "the drill's state cannot be mapped", path);
  return static_cast<State*>(at);
}

/// The plain part of a prepared state; atomics are set one by one.
void fill(State& to, const State& from, std::uint64_t seed) {
  constexpr std::size_t plain = offsetof(State, host);
  std::memcpy(reinterpret_cast<char*>(&to) + plain, reinterpret_cast<const char*>(&from) + plain,
              sizeof(State) - plain);
  to.header.magic = kStateMagic, to.header.version = kStateVersion;
  to.header.bytes = sizeof(State);
  to.header.ticker_pid = ::getpid();
  to.header.turn = -1;
  to.header.wall_at_start_ns = kWallAtStart;
  to.header.seed = seed;
  to.header.ready = 1;
}

}  // namespace

Result<World> World::create(const std::string& folder, const Scenario& scenario,
                            std::uint64_t seed) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return errno_error(error.value(), "no room for a drill", folder);
  const std::string path = state_file(folder);
  World world;
  world.folder_ = folder;
  world.lock_ = Fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!world.lock_) return errno_error(errno, "the drill's state cannot be made", path);
  if (::flock(world.lock_.get(), LOCK_EX | LOCK_NB) != 0)
    return Error{Code::busy, "another drill runs in this folder", path, "give it another folder"};
  if (::ftruncate(world.lock_.get(), 0) != 0 || ::ftruncate(world.lock_.get(), sizeof(State)) != 0)
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
    if (std::filesystem::remove_all(entry.path(), error) > 0) ++swept;
  }
  return swept;
}

}  // namespace linkburn::drill
