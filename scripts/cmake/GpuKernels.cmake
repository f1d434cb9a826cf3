# kernels/kernels.cu as data. LINKBURN_GPU_ARCHS says what it is compiled for:
#   all-major  SASS for each major architecture, and PTX for compute_75 that drivers of newer GPUs
#              compile: one fatbin, by nvcc. Any other architecture that nvcc's -arch takes will do
#   ptx        PTX for compute_75 alone; takes a second instead of five
#   none       no kernels: the program says that it was built without
# Without nvcc, clang makes the PTX, of an older ISA. Without both there are no kernels either.
set(LINKBURN_GPU_ARCHS all-major CACHE STRING "What GPU kernels are compiled for: all-major, ptx, none")

find_program(LINKBURN_CUDA_CLANG NAMES clang-14 clang-15 clang-16 clang-17 clang-18 clang-19 clang)
set(gpu_kernels_source "${CMAKE_SOURCE_DIR}/kernels/kernels.cu")
# Loops over register arrays are unrolled only at -O3. PTX 6.5 is the first with m16n8k8 [PTX ISA,
# release notes]; the headers of the toolkit are not needed.
set(clang_ptx_flags -x cuda --cuda-device-only --cuda-gpu-arch=sm_75 -nocudainc -nocudalib
    -Xclang -target-feature -Xclang +ptx65 -Wno-unknown-cuda-version -std=c++20 -O3 -S
    "-I${CMAKE_SOURCE_DIR}")
# Of the host's compiler nvcc needs only the preprocessor here: any will do.
set(nvcc_flags -allow-unsupported-compiler -std=c++20 --expt-relaxed-constexpr "-I${CMAKE_SOURCE_DIR}")

# Not every clang can make PTX: Debian's can, others may lack the target.
if(LINKBURN_CUDA_CLANG AND NOT LINKBURN_CLANG_TRIED STREQUAL LINKBURN_CUDA_CLANG)
  execute_process(COMMAND "${LINKBURN_CUDA_CLANG}" ${clang_ptx_flags} "${gpu_kernels_source}" -o /dev/null
                  RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(failed)
    set(LINKBURN_CUDA_CLANG LINKBURN_CUDA_CLANG-NOTFOUND CACHE FILEPATH "clang that makes PTX" FORCE)
  endif()
  set(LINKBURN_CLANG_TRIED "${LINKBURN_CUDA_CLANG}" CACHE INTERNAL "")
endif()

# linkburn_compile_gpu_kernels(OUT COMPILER FLAG...)
function(linkburn_compile_gpu_kernels out compiler)
  get_filename_component(name "${out}" NAME)
  add_custom_command(OUTPUT "${out}"
    COMMAND "${compiler}" ${ARGN} -MD -MT "${name}" -MF "${name}.d" "${gpu_kernels_source}" -o "${name}"
    DEPENDS "${gpu_kernels_source}" DEPFILE "${out}.d" WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}"
    COMMENT "Compiling GPU kernels: ${name}" VERBATIM)
endfunction()

# linkburn_gpu_kernels(TARGET SOURCE): library TARGET, whose SOURCE embeds the kernels.
function(linkburn_gpu_kernels target source)
  set(image "${CMAKE_CURRENT_BINARY_DIR}/kernels.image")
  if(LINKBURN_GPU_ARCHS STREQUAL "none")
    set(made "")
    set(state "left out (LINKBURN_GPU_ARCHS=none)")
  elseif(LINKBURN_NVCC AND LINKBURN_GPU_ARCHS STREQUAL "ptx")
    set(made "PTX for compute_75, by nvcc")
    linkburn_compile_gpu_kernels("${image}" "${LINKBURN_NVCC}" -ptx -arch=compute_75 ${nvcc_flags})
  elseif(LINKBURN_NVCC)
    set(made "${LINKBURN_GPU_ARCHS} and PTX for compute_75, by nvcc")
    linkburn_compile_gpu_kernels("${image}" "${LINKBURN_NVCC}" -fatbin "-arch=${LINKBURN_GPU_ARCHS}"
                                 -gencode=arch=compute_75,code=compute_75 ${nvcc_flags})
  elseif(LINKBURN_CUDA_CLANG)
    set(made "PTX for compute_75, by clang")
    linkburn_compile_gpu_kernels("${image}" "${LINKBURN_CUDA_CLANG}" ${clang_ptx_flags})
  else()
    set(made "")
    set(state "left out: neither nvcc nor a clang that makes PTX was found")
  endif()

  linkburn_library(${target} SOURCES "${source}")
  if(made)
    set(state "in: ${made}")
    set_source_files_properties("${source}" PROPERTIES OBJECT_DEPENDS "${image}" COMPILE_DEFINITIONS
      "LINKBURN_KERNEL_IMAGE=\"${image}\";LINKBURN_KERNELS_MADE=\"${made}\"")
  endif()
  set_property(GLOBAL APPEND PROPERTY LINKBURN_PART_LINES "GPU kernels: ${state}")
endfunction()

# linkburn_ptx_of_each_compiler(VAR): the PTX that each compiler here makes, as files for tests to read.
function(linkburn_ptx_of_each_compiler var)
  set(files "")
  if(LINKBURN_CUDA_CLANG)
    list(APPEND files "${CMAKE_CURRENT_BINARY_DIR}/clang.ptx")
    linkburn_compile_gpu_kernels("${CMAKE_CURRENT_BINARY_DIR}/clang.ptx" "${LINKBURN_CUDA_CLANG}"
                                 ${clang_ptx_flags})
  endif()
  if(LINKBURN_NVCC)
    list(APPEND files "${CMAKE_CURRENT_BINARY_DIR}/nvcc.ptx")
    linkburn_compile_gpu_kernels("${CMAKE_CURRENT_BINARY_DIR}/nvcc.ptx" "${LINKBURN_NVCC}"
                                 -ptx -arch=compute_75 ${nvcc_flags})
  endif()
  set(${var} "${files}" PARENT_SCOPE)
endfunction()
