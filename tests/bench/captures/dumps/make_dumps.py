#!/usr/bin/env python3
"""Writes ports.txt, as `lspci -xxxx` would print functions of every type and speed.

The bytes are those of tests/nodes/config_space.py; the extended space is cut after 512 bytes.
"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "nodes"))
from config_space import config_bytes  # noqa: E402  (found through the line above)

NVIDIA, AMD, INTEL, MELLANOX, BROADCOM = 0x10de, 0x1022, 0x8086, 0x15b3, 0x1000
GPU, NIC, NVME, BRIDGE, HUB = 0x030200, 0x020000, 0x010802, 0x060400, 0x080700


def functions():
    """Address, vendor, device, class, port type and what differs from config_bytes' own values."""
    yield "00:01.0", INTEL, 0x352a, BRIDGE, "root_port", 32, 16, dict(
        slot_number=5, secondary_bus=1, aspm="L1", bandwidth_managed=True)
    yield "00:02.0", AMD, 0x1483, BRIDGE, "root_port", 16, 16, dict(
        speed=8, width=8, slot_number=0, secondary_bus=2, target_speed=8, bandwidth_changed=True)
    yield "00:03.0", AMD, 0x14ab, BRIDGE, "root_port", 32, 8, dict(
        speed=2.5, width=0, slot_number=77, secondary_bus=3, link_disabled=True)
    yield "00:04.0", AMD, 0x14ab, BRIDGE, "root_port", 64, 16, dict(
        secondary_bus=4, flit=True, retimer=True, training=True)
    yield "00:05.0", INTEL, 0x0998, HUB, "event_collector", 0, 0, {}
    yield "00:06.0", INTEL, 0x0cfe, 0x088000, "integrated_endpoint", 0, 0, {}
    yield "00:07.0", INTEL, 0x244e, BRIDGE, "pcie_to_pci_bridge", 2.5, 1, dict(secondary_bus=7, version=1)
    yield "00:08.0", BROADCOM, 0x0087, BRIDGE, "pci_to_pcie_bridge", 0, 0, dict(secondary_bus=8, aer=False)
    yield "01:00.0", NVIDIA, 0x2330, GPU, "endpoint", 32, 16, dict(
        speed=2.5, aspm_supported="none", max_payload_supported=256, tags=1024, max_read_request=4096)
    yield "02:00.0", NVIDIA, 0x20b2, GPU, "endpoint", 16, 16, dict(
        speed=8, width=8, aer_correctable=0x11c1, aer_uncorrectable=0x100000, lane_errors=0x8421)
    yield "03:00.0", MELLANOX, 0x1021, NIC, "endpoint", 32, 16, dict(
        speed=0, width=0, tags=32, aer_correctable_mask=0)
    yield "04:00.0", MELLANOX, 0x1023, NIC, "endpoint", 64, 16, dict(flit=True, aspm="L0s L1", aspm_supported="L0s L1")
    yield "05:00.0", BROADCOM, 0xc030, BRIDGE, "switch_upstream", 32, 16, dict(speed=16, secondary_bus=6)
    yield "06:00.0", BROADCOM, 0xc030, BRIDGE, "switch_downstream", 32, 4, dict(
        speed=5, width=1, slot_number=1, presence=False, dl_active=False, secondary_bus=9)
    yield "09:00.0", 0x144d, 0xa808, NVME, "endpoint", 8, 4, dict(size=256, aspm="L1")
    yield "0a:00.0", 0x144d, 0xa80a, NVME, "endpoint", 16, 4, dict(size=64)
    yield "0b:00.0", 0x1b21, 0x1242, 0x0c0330, "legacy_endpoint", 5, 2, dict(version=1, aspm="L0s", aspm_supported="L0s")


def main():
    with open(HERE / "ports.txt", "w", encoding="ascii") as out:
        for address, vendor, device, kind, port, speed, width, rest in functions():
            size = min(rest.pop("size", 4096), 512)
            data = config_bytes(vendor, device, kind, port, speed, width, **rest)[:size]
            print(f"{address} {kind >> 8:04x}: {vendor:04x}:{device:04x}", file=out)
            for at in range(0, size, 16):
                print(f"{at:02x}:", " ".join(f"{byte:02x}" for byte in data[at:at + 16]), file=out)
            print(file=out)


main()
