# Optional parts. AUTO: built when what it needs is here. ON: configure fails when it is not. OFF: left
# out, and the program says so wherever the part would have been used.

# linkburn_part(NAME "what it is" FOUND): NAME is the option LINKBURN_NAME; FOUND is a truth value that
# says whether what the part needs was found. Sets LINKBURN_HAS_NAME.
function(linkburn_part name what found)
  set(LINKBURN_${name} AUTO CACHE STRING "${what}: AUTO, ON or OFF")
  set_property(CACHE LINKBURN_${name} PROPERTY STRINGS AUTO ON OFF)
  set(choice "${LINKBURN_${name}}")
  if(NOT choice MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "LINKBURN_${name}=${choice}: give AUTO, ON or OFF")
  endif()
  set(has OFF)
  if(choice STREQUAL "OFF")
    set(state "left out (LINKBURN_${name}=OFF)")
  elseif(found)
    set(has ON)
    set(state "in")
  elseif(choice STREQUAL "ON")
    message(FATAL_ERROR "LINKBURN_${name}=ON, but ${what} needs something that is not installed")
  else()
    set(state "left out: not found")
  endif()
  set(LINKBURN_HAS_${name} ${has} PARENT_SCOPE)
  set_property(GLOBAL APPEND PROPERTY LINKBURN_PART_LINES "${what}: ${state}")
endfunction()

function(linkburn_print_parts)
  get_property(lines GLOBAL PROPERTY LINKBURN_PART_LINES)
  foreach(line IN LISTS lines)
    message(STATUS "Part ${line}")
  endforeach()
endfunction()

# GPU driver layer: finds its libraries at run time, so AUTO always has it. ON asks for the toolkit too,
# whose compiler makes the GPU kernels.
find_program(LINKBURN_NVCC nvcc HINTS /usr/local/cuda/bin)
if(LINKBURN_NVCC OR NOT LINKBURN_CUDA STREQUAL "ON")
  linkburn_part(CUDA "GPU driver layer (CUDA, NVML, NCCL)" TRUE)
else()
  linkburn_part(CUDA "GPU driver layer (CUDA, NVML, NCCL)" FALSE)
endif()

# RDMA driver layer: types come from the verbs headers, libraries are found at run time.
find_path(LINKBURN_VERBS_HEADERS infiniband/verbs.h)
find_path(LINKBURN_RDMACM_HEADERS rdma/rdma_cma.h)
if(LINKBURN_VERBS_HEADERS AND LINKBURN_RDMACM_HEADERS)
  linkburn_part(RDMA "RDMA driver layer (libibverbs, librdmacm)" TRUE)
else()
  linkburn_part(RDMA "RDMA driver layer (libibverbs, librdmacm)" FALSE)
endif()
