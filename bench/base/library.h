// Libraries that are found at run time. dlopen runs the library's constructors, which for a driver
// library is a driver call: only worker processes do this.
//
// Software devices are libraries too, under other names (drill_mark.h). That they are used in
// drills alone, and nothing else there, stands here: no other file opens a library.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/base/clock.h"
#include "bench/base/result.h"

namespace linkburn {

/// A library that was opened: what dlopen returned, and its file with links resolved.
struct LibraryHandle {
  void* handle = nullptr;
  std::string path;
  bool software = false;  ///< a software device: what is measured with it is DRILL
};

/// Opens a library by soname or path; the Error has the loader's words, and is not_found when there
/// is no such file. All its symbols are bound at once (one that is missing is told here, and not by
/// the end of the process in the middle of a load), and none of them is visible to libraries that
/// are opened later.
///
/// `clock` is that of the process: in a drill a soname is not looked for (not_found), and a real
/// library is refused; elsewhere a software device is (mismatch, before anything of it is called).
Result<LibraryHandle> open_library(const std::string& name, const Clock& clock);

/// Whether a library can be loaded here, and which file it is.
struct LibraryFact {
  std::string part;  ///< "cuda_driver"
  bool found = false;
  std::string path;     ///< of the loaded file, links resolved
  std::string why;      ///< the loader's words when it was not found
  std::string purpose;  ///< what cannot be done without it
  std::string fix;
};

/// A library that some part of linkburn asks for: its sonames, newest first.
struct LibraryNeed {
  std::string part, purpose, fix;
  std::vector<std::string> sonames;
};

/// Loads the first of the sonames that can be loaded, and lets go of it again.
LibraryFact probe_library(const LibraryNeed& need, const Clock& clock);

}  // namespace linkburn
