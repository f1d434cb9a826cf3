#!/usr/bin/env python3
"""Writes grace.tree: a Grace-type node whose GPU hangs on a chip-to-chip link, healthy.

The GPU shows a nominal PCIe link of 2.5 GT/s x1 below a port of its own vendor; an NDR adapter and
two NVMe disks have real links. The GPU's memory is a NUMA node without CPUs. Usage:
make_grace.py OUTPUT
"""
import node_writer


def make():
    node = node_writer.Node("grace", "6.8.0-1021-nvidia-64k", ["0-71", ""], 502000000)
    port = node.port("pci0009:00", "0009:00:00.0", 0, None, None, "grace_root_port", cap=(32, 16))
    gpu = node.device(port, "0009:01:00.0", "gh200", 0, 2.5, 1, cap=(2.5, 16))
    assert gpu
    rail = node.port("pci0000:00", "0000:00:00.0", 0, 32, 16, "grace_root_port", slot=1)
    path = node.device(rail, "0000:01:00.0", "rail", 0, 32, 16, "Slot 1")
    node.hca(path, "400 Gb/sec (4X NDR)", node.mac())
    node.monitor(path, "mlx5", [("asic", 55, None, 105)])
    for index, domain in enumerate((4, 5)):
        disk = node.port(f"pci{domain:04x}:00", f"{domain:04x}:00:00.0", 0, 16, 4,
                         "grace_root_port", cap=(32, 8), target_speed=32, slot=index + 2)
        node.device(disk, f"{domain:04x}:01:00.0", "nvme", 0, 16, 4, f"Slot {index + 2}")
    return node


if __name__ == "__main__":
    node_writer.main(make)
