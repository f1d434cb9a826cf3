// What kind of component a PCI function is.
#pragma once

#include <string>
#include <string_view>

namespace linkburn {

/// Component::type of a function; class code and vendor as in sysfs: "0x030200", "0x10de".
std::string type_of_class(std::string_view class_code, std::string_view vendor_id);

}  // namespace linkburn
