#include "bench/base/library.h"

#include <dlfcn.h>
#include <link.h>

#include <climits>
#include <cstdlib>
#include <string_view>

#include "bench/base/drill_mark.h"

namespace linkburn {
namespace {

std::string path_of(void* handle) {
  link_map* map = nullptr;
  if (::dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return {};
  char resolved[PATH_MAX];
  return ::realpath(map->l_name, resolved) != nullptr ? resolved : map->l_name;
}

/// The loader's words; a file that is not there at all needs no more than its name.
Error loader_error(const std::string& name, std::string_view words) {
  if (words.find(name + ": cannot open shared object file: No such file") != std::string_view::npos)
    return {Code::not_found, name + " is not installed", {}, {}};
  return {Code::io, std::string(words), {}, {}};
}

/// It stays loaded: its constructors may have started threads.
Status check_world(const LibraryHandle& library, bool in_drill) {
  if (library.software == in_drill) return {};
  if (in_drill)
    return Error{Code::mismatch, "a real library in a drill", library.path,
                 "name the drill's own library"};
  return Error{Code::mismatch, "a software device outside a drill", library.path,
               "name the library of the real device, or none"};
}

}  // namespace

Result<LibraryHandle> open_library(const std::string& name, const Clock& clock) {
  const bool in_drill = is_drill(clock);
  if (in_drill && name.find('/') == std::string::npos)
    return Error{Code::not_found, name + " is not looked for in a drill", {}, {}};
  void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* words = ::dlerror();
    return loader_error(name, words != nullptr ? words : "no reason given");
  }
  LibraryHandle library{handle, path_of(handle), ::dlsym(handle, kDrillSymbol) != nullptr};
  if (const Status fits = check_world(library, in_drill); !fits) return fits.error();
  return library;
}

LibraryFact probe_library(const LibraryNeed& need, const Clock& clock) {
  LibraryFact fact{need.part, false, {}, {}, need.purpose, need.fix};
  for (const std::string& soname : need.sonames) {
    const auto library = open_library(soname, clock);
    if (library) {
      fact.found = true;
      fact.path = library->path;
      fact.why.clear();
      ::dlclose(library->handle);
      return fact;
    }
    if (fact.why.empty()) fact.why = library.error().what;
  }
  return fact;
}

}  // namespace linkburn
