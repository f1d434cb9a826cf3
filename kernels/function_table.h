// Turns a list of functions (runtime_functions.h) into a struct of function pointers with their own
// names. A list is expanded inside the namespace of its types.
#pragma once

#define LINKBURN_TABLE_MEMBER(name, result, parameters) result(*name) parameters = nullptr;

#define LINKBURN_TABLE_ENTRY_NEEDED(name, result, parameters) {#name, true},
#define LINKBURN_TABLE_ENTRY_OPTIONAL(name, result, parameters) {#name, false},
