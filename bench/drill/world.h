// A drill's folder: state file, sysfs tree and kernel log; how it is made, opened and swept away.
//
//   FOLDER/state   the state file (state.h), locked by its ticker as long as that lives
//   FOLDER/tree/   the node as the kernel would show it (tree.h), with the drill marker
//   FOLDER/tree/dev/kmsg  its kernel log (a regular file)
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "bench/base/fd.h"
#include "bench/base/result.h"
#include "bench/drill/state.h"

namespace linkburn::drill {

struct Scenario;  // scenario.h

/// The environment variable through which a participant finds its world: "FOLDER" or
/// "FOLDER#PROCESS", the number of the announced process.
inline constexpr const char* kWorldVariable = "LINKBURN_DRILL";

/// What that variable says.
struct Place {
  std::string folder;
  int process = -1;  ///< -1: of no announced process

  std::string tree() const { return folder + "/tree"; }
  bool operator==(const Place&) const = default;
};

/// The place of this process's world; nothing when the variable is not set, or empty.
std::optional<Place> place_in_environment();

/// A mapped state file. Many may be open in one process.
class World {
 public:
  /// Makes FOLDER and the state file from a scenario. Below drills_folder() it first takes away
  /// what dead drills left there.
  static Result<World> create(const std::string& folder, const Scenario& scenario,
                              std::uint64_t seed);
  /// Maps that of a running drill. Error: none there, or of another build.
  static Result<World> open(const std::string& folder);

  World(World&&) noexcept;
  World& operator=(World&&) noexcept;
  ~World();

  State& state() const { return *state_; }
  const std::string& folder() const { return folder_; }
  std::string tree() const { return Place{folder_}.tree(); }

 private:
  World() = default;
  std::string folder_;
  State* state_ = nullptr;
  Fd lock_;  ///< of the one who made it
};

/// Where drills of this user lie: below XDG_RUNTIME_DIR, else /dev/shm.
std::string drills_folder();

/// Removes what drills of this user left behind whose ticker is dead. Returns how many.
int sweep_drills();

}  // namespace linkburn::drill
