include_guard(GLOBAL)
# The bigger node trees are written by scripts, make_NAME.py: NAME.tree and NAME-user.overlay. Target
# linkburn_nodes makes them, LINKBURN_MADE_NODES_DIR is where they lie.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(LINKBURN_MADE_NODES_DIR "${CMAKE_BINARY_DIR}/nodes")
file(MAKE_DIRECTORY "${LINKBURN_MADE_NODES_DIR}")
set(nodes_dir "${CMAKE_SOURCE_DIR}/tests/nodes")
file(GLOB node_scripts CONFIGURE_DEPENDS "${nodes_dir}/make_*.py")
file(GLOB node_modules CONFIGURE_DEPENDS "${nodes_dir}/*.py")
set(made_nodes "")
foreach(script IN LISTS node_scripts)
  string(REGEX REPLACE ".*/make_(.*)[.]py" "\\1" name "${script}")
  set(tree "${LINKBURN_MADE_NODES_DIR}/${name}.tree")
  add_custom_command(OUTPUT "${tree}" "${LINKBURN_MADE_NODES_DIR}/${name}-user.overlay"
                     COMMAND Python3::Interpreter -B "${script}" "${tree}"
                     DEPENDS "${script}" ${node_modules} VERBATIM)
  list(APPEND made_nodes "${tree}")
endforeach()
add_custom_target(linkburn_nodes DEPENDS ${made_nodes})
