# linkburn_fuzz(NAME [RUNS N] LINKS ...): tests/fuzz/NAME.cpp as a libFuzzer program, and a short run of it as
# a CTest test that starts from the files in tests/fuzz/NAME. Fixed seed, fixed number of inputs and
# an empty working corpus make that run the same every time; for a longer one start
# build/fuzz/tests/NAME by hand. A dictionary is tests/fuzz/NAME.dict.
function(linkburn_fuzz name)
  cmake_parse_arguments(ARG "" "RUNS" "LINKS" ${ARGN})
  if(NOT ARG_RUNS)
    set(ARG_RUNS 20000)
  endif()
  add_executable(${name} "fuzz/${name}.cpp")
  add_dependencies(linkburn_tests ${name})
  target_link_libraries(${name} PRIVATE linkburn_settings ${ARG_LINKS})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set(found "${CMAKE_CURRENT_BINARY_DIR}/${name}_found")  # new inputs go to the first folder named
  set(seeds "${CMAKE_CURRENT_SOURCE_DIR}/fuzz/${name}")
  set(words "")
  if(EXISTS "${seeds}.dict")
    set(words "-dict=${seeds}.dict")
  endif()
  add_test(NAME ${name} COMMAND sh -c
    "rm -rf '${found}' && mkdir '${found}' && exec '$<TARGET_FILE:${name}>' -seed=1 -runs=${ARG_RUNS} -max_len=4096 -timeout=10 ${words} '${found}' '${seeds}'")
  set_tests_properties(${name} PROPERTIES LABELS fuzz TIMEOUT 300)
endfunction()
