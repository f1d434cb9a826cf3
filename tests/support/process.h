// What the kernel says about this process, and ways to try something in another one.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace linkburn::test {

/// Sanitizers swallow mlock(2) and cannot live with a limit on address space.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// The number in a line of /proc/self/status, "Threads" or "VmLck" (KiB).
std::int64_t status_number(std::string_view name);

/// The threads of this process before a test starts its own. A sanitizer starts a thread of its own
/// beside the first of ours, so one is started and joined before counting.
std::int64_t threads_at_rest();

/// True as soon as `condition` is; false when it is not after half a minute.
bool eventually(const std::function<bool()>& condition);

/// Runs `body` in a forked child and returns its text; "died" when it ended in any other way.
std::string in_child(const std::function<std::string()>& body);

/// Runs one test of this very program, disabled or not, with more in its environment. Returns the
/// exit code.
int run_own_test(const std::string& filter, const std::vector<std::string>& environment);

}  // namespace linkburn::test
