// One end of a link: from config space where it can be read, since that is live and says most, else
// from the kernel's link files, which everybody may read.
#include "bench/base/text.h"
#include "bench/inventory/config_space.h"
#include "bench/inventory/sources.h"

namespace linkburn {
namespace {

/// A width file: the lane count as the kernel prints it, odd values included.
std::optional<LinkWidth> parse_link_width(const Result<std::string>& text) {
  const auto lanes = text ? parse_int(*text) : std::nullopt;
  if (!lanes || *lanes < 0 || *lanes > 255) return std::nullopt;
  return LinkWidth{static_cast<int>(*lanes)};
}

std::optional<LinkSpeed> parse_speed_file(const Result<std::string>& text) {
  return text ? parse_link_speed(*text) : std::nullopt;
}

void read_link_files(const Sysroot& folder, LinkEnd& end) {
  const auto speed = folder.read_line("current_link_speed");
  const auto width = folder.read_line("current_link_width");
  const auto max_speed = folder.read_line("max_link_speed");
  const auto max_width = folder.read_line("max_link_width");
  const auto there = [](const Result<std::string>& text) {
    return text.has_value() || text.error().code != Code::not_found;
  };
  end.files = there(speed) || there(width) || there(max_speed) || there(max_width);
  if (end.files) end.source = "files";
  end.speed = parse_speed_file(speed);
  end.width = parse_link_width(width);
  end.max_speed = parse_speed_file(max_speed);
  end.max_width = parse_link_width(max_width);
  // Width 63 is the six bits of a register read as all ones [linux drivers/pci/pci-sysfs.c].
  if (end.width && end.width->lanes == 63 && !end.speed) end.all_ones = true;
  // The registers of a device that was disconnected cannot be read any more, while the abilities
  // that were kept at enumeration still can [linux drivers/pci/access.c, pci_dev_is_disconnected].
  const auto refused = [](const Result<std::string>& text) {
    return !text && text.error().code != Code::not_found && text.error().code != Code::permission;
  };
  if (refused(speed) && refused(width) && end.max_width) end.all_ones = true;
}

/// The link as config space has it. A maximum that it does not tell may be known to the kernel.
void take_config(const Sysroot& folder, const ConfigSpace& config, LinkEnd& end) {
  end.files = true;
  end.source = "config";
  end.speed = config.speed;
  end.width = config.width;
  end.max_speed =
      config.max_speed ? config.max_speed : parse_speed_file(folder.read_line("max_link_speed"));
  end.max_width =
      config.max_width ? config.max_width : parse_link_width(folder.read_line("max_link_width"));
}

}  // namespace

ConfigSpace read_config_space(const Sysroot& folder) {
  ConfigSpace nothing;
  const auto file = folder.open_file("config");
  if (!file) {
    const Error& error = file.error();
    nothing.registers_absent = error.code == Code::permission  ? std::string(kNeedsRoot)
                               : error.code == Code::not_found ? "no config file"
                                                               : error.what;
    return nothing;
  }
  return decode_config_space([&](std::size_t offset, std::size_t size) {
    return folder.read_part(*file, "config", offset, size);
  });
}

bool is_integrated(const LinkRegisters& registers) {
  return registers.port_type == "integrated_endpoint" || registers.port_type == "event_collector";
}

LinkEnd sleeping_end(const Sysroot& folder, std::string runtime_status) {
  LinkEnd end;
  end.runtime_status = std::move(runtime_status);
  end.files = folder.exists("current_link_width");
  end.registers_absent = "asleep (runtime suspended), was not woken";
  return end;
}

LinkEnd read_link_end(const Sysroot& folder, const ConfigSpace& config,
                      std::string runtime_status) {
  LinkEnd end;
  end.runtime_status = std::move(runtime_status);
  end.registers = config.registers;
  end.registers_absent = config.registers_absent;
  if (config.has_link) {
    take_config(folder, config, end);
  } else if (!config.registers && config.registers_absent != kNotPcie) {
    read_link_files(folder, end);
    end.all_ones = end.all_ones || config.all_ones;
  }
  return end;
}

}  // namespace linkburn
