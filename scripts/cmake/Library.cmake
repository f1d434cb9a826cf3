# linkburn_library(NAME SOURCES ... LINKS ...): one static library per layer. Links are PRIVATE: a layer
# sees only what it names.
function(linkburn_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE linkburn_settings ${ARG_LINKS})
  if(name STREQUAL "linkburn_base")
    target_precompile_headers(${name} PRIVATE
      <algorithm> <map> <memory> <optional> <string> <variant> <vector> <fmt/format.h>)
  else()
    target_precompile_headers(${name} REUSE_FROM linkburn_base)
  endif()
endfunction()

# linkburn_sources(VAR FOLDER...): the .cpp files of folders; a new file needs no edit here.
macro(linkburn_sources var)
  set(${var})
  foreach(folder IN ITEMS ${ARGN})
    file(GLOB found CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp")
    list(APPEND ${var} ${found})
  endforeach()
endmacro()

# linkburn_embed(TARGET FUNCTION FILE...): the files' bytes as data of the program, so that it needs no
# data folder. FUNCTION, which returns them, is declared in bench/base/embedded.h.
function(linkburn_embed target LINKBURN_EMBEDDED_BY)
  set(entries "")
  foreach(file IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    file(READ "${file}" text)
    get_filename_component(name "${file}" NAME)
    string(APPEND entries "    {\"${name}\", R\"linkburn-data(${text})linkburn-data\"},\n")
  endforeach()
  set(LINKBURN_EMBEDDED "${entries}")
  set(out "${CMAKE_CURRENT_BINARY_DIR}/${target}_embedded.cpp")
  configure_file("${CMAKE_SOURCE_DIR}/scripts/cmake/embedded.cpp.in" "${out}" @ONLY)
  target_sources(${target} PRIVATE "${out}")
  set_source_files_properties("${out}" PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()
