#!/usr/bin/env python3
"""Writes workstation.tree: a workstation with a Thunderbolt box and disks behind VMD, healthy.

A GPU at x16 in its slot; a GPU in a box at the end of a Thunderbolt cable, the links of the tunnel
reading 2.5 GT/s x4; two NVMe disks whose root ports lie below a VMD controller in a domain of their
own. Usage: make_workstation.py OUTPUT
"""
import node_writer

TUNNEL = {"speed": 2.5, "width": 4, "aer": False}


def box(node):
    """Controller in the node, cable, controller in the box, GPU."""
    root = node.port("pci0000:00", "0000:00:1c.0", 0, 8, 4)
    up = node.port(root, "0000:02:00.0", 0, 8, 4, "thunderbolt", "switch_upstream")
    down = node.port(up, "0000:03:01.0", 0, kind="thunderbolt", port_type="switch_downstream",
                     slot=1, **TUNNEL)
    far = node.port(down, "0000:04:00.0", 0, kind="thunderbolt_box", port_type="switch_upstream",
                    cap=(8, 4), **TUNNEL)
    node.file(f"sys/devices/{far}/removable", "removable")
    out = node.port(far, "0000:05:01.0", 0, kind="thunderbolt_box",
                    port_type="switch_downstream", **TUNNEL)
    gpu = node.device(out, "0000:06:00.0", "radeon", 0, cap=(16, 16), **TUNNEL)
    node.file(f"sys/devices/{gpu}/removable", "removable")
    node.monitor(gpu, "amdgpu", [("edge", 44, None, 100), ("junction", 46, None, 110)])


def make():
    node = node_writer.Node("workstation", "6.11.0-17-generic", ["0-31"], 131000000)
    root = node.port("pci0000:00", "0000:00:01.0", 0, 16, 16, cap=(32, 16), target_speed=32)
    node.device(root, "0000:01:00.0", "l40s", 0, 16, 16, "PCIEX16_1")
    box(node)
    vmd = node.function("pci0000:00", "0000:00:0e.0", "vmd", "integrated_endpoint", 0)
    for index in range(2):
        port = node.port(f"{vmd}/pci10000:e0", f"10000:e0:0{6 + index}.0", 0, 16, 4, size=256)
        node.device(port, f"10000:e{1 + index}:00.0", "nvme", 0, 16, 4, size=256)
    node.cpu_monitors()
    return node


if __name__ == "__main__":
    node_writer.main(make)
