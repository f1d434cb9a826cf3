# What the build takes from a CUDA toolkit, when there is one: its headers, to compare ours with, and
# its runtime library, which is laid beside the program because compute nodes often have the driver
# and no toolkit. The CUDA licence allows to hand on libcudart [CUDA Toolkit EULA, Attachment A].
get_filename_component(LINKBURN_NVCC_FOLDER "${LINKBURN_NVCC}" DIRECTORY)
find_path(LINKBURN_CUDA_HEADERS cuda_runtime_api.h
          HINTS "${LINKBURN_NVCC_FOLDER}/../include" /usr/local/cuda/include)
find_path(LINKBURN_NVML_HEADERS nvml.h HINTS "${LINKBURN_CUDA_HEADERS}")

set(LINKBURN_CUDART "" CACHE STRING
    "Further CUDA runtime libraries to install with linkburn: files libcudart.so.12... (a list)")
file(GLOB found_runtimes "${LINKBURN_CUDA_HEADERS}/../lib64/libcudart.so.[0-9][0-9]"
                         "${LINKBURN_CUDA_HEADERS}/../lib/libcudart.so.[0-9][0-9]")
list(SORT found_runtimes)
set(LINKBURN_TOOLKIT_CUDART "")
if(found_runtimes)
  list(GET found_runtimes -1 LINKBURN_TOOLKIT_CUDART)
endif()

file(GLOB LINKBURN_TOOLKIT_DRIVER_STUB "${LINKBURN_CUDA_HEADERS}/../lib64/stubs/libcuda.so")

# The copies bear the soname that linkburn looks for, whatever the file was called.
set(LINKBURN_CUDART_COPIES "")
foreach(library IN LISTS LINKBURN_TOOLKIT_CUDART LINKBURN_CUDART)
  if(NOT EXISTS "${library}" OR NOT library MATCHES "libcudart[.]so[.]([0-9]+)")
    message(FATAL_ERROR "LINKBURN_CUDART: ${library} is no file with a name like libcudart.so.12")
  endif()
  set(copy "${CMAKE_BINARY_DIR}/lib/linkburn/libcudart.so.${CMAKE_MATCH_1}")
  file(REAL_PATH "${library}" file)
  file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/lib/linkburn")
  file(COPY_FILE "${file}" "${copy}" ONLY_IF_DIFFERENT)
  list(APPEND LINKBURN_CUDART_COPIES "${copy}")
endforeach()
list(REMOVE_DUPLICATES LINKBURN_CUDART_COPIES)
