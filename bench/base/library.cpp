#include "bench/base/library.h"

#include <dlfcn.h>
#include <link.h>

#include <climits>
#include <cstdlib>
#include <string_view>

namespace linkburn {
namespace {

std::string path_of(void* handle) {
  link_map* map = nullptr;
  if (::dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return {};
  char resolved[PATH_MAX];
  return ::realpath(map->l_name, resolved) != nullptr ? resolved : map->l_name;
}

/// The loader's words; a file that is not there at all needs no more than its name.
std::string reason(const std::string& soname, std::string_view words) {
  if (words.find(soname + ": cannot open shared object file: No such file") !=
      std::string_view::npos)
    return soname + " is not installed";
  return std::string(words);
}

}  // namespace

LibraryFact probe_library(const LibraryNeed& need) {
  LibraryFact fact{need.part, false, {}, {}, need.purpose, need.fix};
  for (const std::string& soname : need.sonames) {
    void* handle = ::dlopen(soname.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) {
      fact.found = true;
      fact.path = path_of(handle);
      fact.why.clear();
      ::dlclose(handle);
      return fact;
    }
    const char* words = ::dlerror();
    if (words != nullptr && fact.why.empty()) fact.why = reason(soname, words);
  }
  return fact;
}

}  // namespace linkburn
