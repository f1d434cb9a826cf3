#include "rdma/libraries.h"

namespace linkburn {

std::vector<LibraryNeed> rdma_libraries() {
  return {
      {"libibverbs",
       "RDMA ports cannot be loaded",
       "install rdma-core (libibverbs1)",
       {"libibverbs.so.1"}},
      {"librdmacm",
       "iWARP ports cannot be connected",
       "install rdma-core (librdmacm1)",
       {"librdmacm.so.1"}},
  };
}

}  // namespace linkburn
