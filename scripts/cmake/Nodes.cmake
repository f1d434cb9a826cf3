include_guard(GLOBAL)
# The big node tree is written by a script; its text would be 1,200 lines. Target linkburn_nodes makes
# it, LINKBURN_MADE_NODES_DIR is where it lies.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(LINKBURN_MADE_NODES_DIR "${CMAKE_BINARY_DIR}/nodes")
file(MAKE_DIRECTORY "${LINKBURN_MADE_NODES_DIR}")
set(switch8 "${LINKBURN_MADE_NODES_DIR}/switch8.tree")
set(make_switch8 "${CMAKE_SOURCE_DIR}/tests/nodes/make_switch8.py")
add_custom_command(OUTPUT "${switch8}" COMMAND Python3::Interpreter "${make_switch8}" "${switch8}"
                   DEPENDS "${make_switch8}" VERBATIM)
add_custom_target(linkburn_nodes DEPENDS "${switch8}")
