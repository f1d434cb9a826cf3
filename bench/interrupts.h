// SIGINT, SIGTERM and SIGHUP as something that can be waited for.
#pragma once

namespace linkburn {

/// Installed once, by main(). The first signal makes fd() readable and ends the run cleanly; a
/// second one leaves at once with 128+N (workers die with us, evidence is already on disk).
class Interrupts {
 public:
  /// SIGPIPE is ignored: a reader that goes away must not cost evidence. A SIGHUP that is ignored
  /// when we start (nohup) stays ignored.
  static void install();

  /// Readable after the first signal; -1 before install().
  static int fd();

  /// The first signal, or 0.
  static int signal();
};

}  // namespace linkburn
