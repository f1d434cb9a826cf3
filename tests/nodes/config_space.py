#!/usr/bin/env python3
"""Makes the config space of PCIe functions for node trees.

Generators import it:

    lines.append("config =x " + hex_text(config_bytes(0x10de, 0x2330, 0x030200, "endpoint",
                                                      32, 16, 32, 16)))

By hand, `config_space.py 0x10de 0x2330 0x030200 endpoint 32 16 32 16 target_speed=8 lane_errors=0x4`
prints such a line. Where things lie is the same in every function, so that an overlay can patch a
register: `config =x@62 03 11` is a Link Status of 8 GT/s x16.

    40 power management    50 PCI Express: 5c LnkCap  60 LnkCtl  62 LnkSta  64 SltCap  6a SltSta
                                           7c LnkCap2  80 LnkCtl2  82 LnkSta2
    100 AER: 104 uncorrectable status  110 correctable status  114 its mask
    140 secondary PCI Express: 148 lane errors
"""
import struct
import sys

PORT_TYPES = {  # [linux include/uapi/linux/pci_regs.h, PCI_EXP_TYPE_*]
    "endpoint": 0, "legacy_endpoint": 1, "root_port": 4, "switch_upstream": 5,
    "switch_downstream": 6, "pcie_to_pci_bridge": 7, "pci_to_pcie_bridge": 8,
    "integrated_endpoint": 9, "event_collector": 10}
SPEED_CODES = {2.5: 1, 5: 2, 8: 3, 16: 4, 32: 5, 64: 6}
HAS_LINK = {0, 1, 4, 5, 6, 7}
BRIDGES = {4, 5, 6, 7, 8}
PCIE, AER, SECONDARY = 0x50, 0x100, 0x140
ASPM_CODES = {"none": 0, "L0s": 1, "L1": 2, "L0s L1": 3}


def speed_code(gts):
    """A speed in GT/s as its code; 0 stays 0 (no link)."""
    return SPEED_CODES[gts] if gts else 0


def config_bytes(vendor, device, class_code, port_type, max_speed=0, max_width=0, speed=None,
                 width=None, target_speed=None, slot_number=None, header_type=None, aer=True,
                 lane_errors=0, presence=None, dl_active=None, version=2, subsystem=(0, 0),
                 aer_correctable=0, aer_correctable_mask=0x2000, aer_uncorrectable=0,
                 link_disabled=False, training=False, bandwidth_managed=False,
                 bandwidth_changed=False, aspm_supported="L1", aspm="none", max_payload=256,
                 max_payload_supported=512, max_read_request=512, tags=256, flit=False,
                 retimer=False, secondary_bus=0, size=4096):
    """The bytes of `config`. Speeds are in GT/s, sizes in bytes; `speed` and `width` not given are
    the maxima. `aer=False` leaves AER out. `slot_number` (0 is one) makes the port have a slot;
    `presence` not given is whether a link is up, and so is `dl_active`. `size` 64 is what a user
    without rights sees, 256 what an old kernel or a hidden domain shows."""
    kind = PORT_TYPES[port_type]
    speed = max_speed if speed is None else speed
    width = max_width if width is None else width
    up = width > 0 if dl_active is None else dl_active
    present = up if presence is None else presence
    bridge = kind in BRIDGES if header_type is None else header_type == 1
    space = bytearray(4096)

    def put(at, form, value):
        struct.pack_into("<" + form, space, at, value)

    put(0x00, "H", vendor)
    put(0x02, "H", device)
    put(0x04, "H", 0x0406)  # memory, bus master, no INTx
    put(0x06, "H", 0x0010)  # has a capability list
    put(0x08, "I", class_code << 8)
    space[0x0e] = (1 if bridge else 0) if header_type is None else header_type
    if bridge:
        space[0x19] = space[0x1a] = secondary_bus
    else:
        put(0x2c, "H", subsystem[0])
        put(0x2e, "H", subsystem[1])
    space[0x34] = 0x40
    put(0x40, "I", 0x48035001 | PCIE << 8)  # power management, version 3

    pcie_flags = version | kind << 4 | (0x100 if slot_number is not None else 0)
    put(PCIE, "I", 0x10 | pcie_flags << 16)
    put(PCIE + 0x04, "I", payload_code(max_payload_supported) | (0x20 if tags >= 256 else 0))
    put(PCIE + 0x08, "H", payload_code(max_payload) << 5 | payload_code(max_read_request) << 12
        | (0x100 if tags >= 256 else 0) | 0x0f)
    if kind in HAS_LINK:
        downstream = kind in (4, 6)
        put(PCIE + 0x0c, "I", speed_code(max_speed) | max_width << 4
            | ASPM_CODES[aspm_supported] << 10 | (0x300000 if downstream else 0))
        put(PCIE + 0x10, "H", ASPM_CODES[aspm] | (0x10 if link_disabled else 0) | 0x40)
        put(PCIE + 0x12, "H", speed_code(speed) | width << 4 | (0x800 if training else 0) | 0x1000
            | (0x2000 if downstream and up else 0) | (0x4000 if bandwidth_managed else 0)
            | (0x8000 if bandwidth_changed else 0))
    if slot_number is not None:
        put(PCIE + 0x14, "I", slot_number << 19)
        put(PCIE + 0x1a, "H", 0x40 if present else 0)
    if version >= 2:
        put(PCIE + 0x24, "I", 0x30000 if tags >= 1024 else 0)
        put(PCIE + 0x28, "H", 0x1000 if tags >= 1024 else 0)
        if kind in HAS_LINK:
            code = speed_code(max_speed)
            put(PCIE + 0x2c, "I", ((1 << code) - 1) << 1 | (0x1800000 if retimer else 0x0))
            target = max_speed if target_speed is None else target_speed
            put(PCIE + 0x30, "H", speed_code(target))
            put(PCIE + 0x32, "H", (0x40 if retimer else 0) | (0x400 if flit else 0))

    secondary = kind in HAS_LINK and max_speed >= 8
    if aer:
        put(AER, "I", 0x00020001 | (SECONDARY << 20 if secondary else 0))
        put(AER + 0x04, "I", aer_uncorrectable)
        put(AER + 0x10, "I", aer_correctable)
        put(AER + 0x14, "I", aer_correctable_mask)
    if secondary:
        if not aer:  # the list begins at 0x100: an entry that only leads on
            put(0x100, "I", 0x00010002 | SECONDARY << 20)
        put(SECONDARY, "I", 0x00010019)
        put(SECONDARY + 0x08, "I", lane_errors)
    return bytes(space[:size])


def payload_code(size):
    """128 bytes is 0, 256 is 1, up to 4096, which is 5."""
    return (size // 128).bit_length() - 1


def hex_text(data):
    """The bytes as a tree file has them after `=x`; runs of zeros become `00*COUNT`."""
    words, zeros = [], 0
    for byte in data + b"\1":  # the last one ends a run and is not written
        if byte == 0:
            zeros += 1
            continue
        if zeros > 3:
            words.append(f"00*{zeros}")
        else:
            words += ["00"] * zeros
        zeros = 0
        words.append(f"{byte:02x}")
    return " ".join(words[:-1])


def main():
    def number(text):
        return float(text) if "." in text else int(text, 0)

    def value(text):
        try:
            return number(text)
        except ValueError:
            return {"True": True, "False": False}.get(text, text)

    positional = [value(word) for word in sys.argv[1:] if "=" not in word]
    named = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
    data = config_bytes(*positional, **{name: value(text) for name, text in named.items()})
    print("config =x " + hex_text(data))


if __name__ == "__main__":
    main()
