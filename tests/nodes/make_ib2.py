#!/usr/bin/env python3
"""Writes ib2.tree: a CPU node with InfiniBand as a kernel of 2019 shows it, healthy.

Two sockets, one HDR card with two functions of one port each: the first is up, the second is not
used and disabled by its manager, and shows the placeholder rate of a port that is down. No power
states, no firmware table, long names of errors, speeds without "PCIe". Usage: make_ib2.py OUTPUT
"""
import node_writer


def make():
    node = node_writer.Node("ib2", "5.4.0-150-generic", ["0-31", "32-63"], 264000000, old=True)
    root = node.port("pci0000:40", "0000:40:01.1", 0, 16, 16, "amd_root_port", slot=2)
    first = node.device(root, "0000:41:00.0", "hdr", 0, 16, 16, "Slot 2")
    second = node.device(root, "0000:41:00.1", "hdr", 0, 16, 16)
    node.hca(first, "200 Gb/sec (4X HDR)", node.mac(), board="MT_0000000225",
             firmware="20.33.1048")
    node.hca(second, "", node.mac(), board="MT_0000000225", firmware="20.33.1048",
             states=[("1: DOWN", "3: Disabled", "10 Gb/sec (4X)")])
    disk = node.port("pci0000:80", "0000:80:03.1", 1, 8, 4, "amd_root_port", cap=(16, 4),
                     target_speed=16)
    node.device(disk, "0000:81:00.0", "nvme", 1, 8, 4)
    node.cpu_monitors()
    return node


if __name__ == "__main__":
    node_writer.main(make)
