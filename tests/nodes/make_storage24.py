#!/usr/bin/env python3
"""Writes storage24.tree: a storage node with 24 NVMe disks behind switches, healthy.

Two sockets with a switch each (16 GT/s x16) for 14 bays: ten with a disk at x4, two with a smaller
disk that has two lanes, two empty. A NIC of 100 Gb/s on each socket. Usage:
make_storage24.py OUTPUT
"""
import node_writer

BAYS = ["x4"] * 10 + ["x2"] * 2 + ["empty"] * 2


def shelf(node, bus, numa):
    root = node.port(f"pci0000:{bus:02x}", f"0000:{bus:02x}:01.0", numa, 16, 16)
    up = node.port(root, f"0000:{bus + 1:02x}:00.0", numa, 16, 16, "switch", "switch_upstream")
    for place, bay in enumerate(BAYS):
        number = len(node.slots) + 1
        bdf = f"0000:{bus + 2:02x}:{place:02x}.0"
        if bay == "empty":
            node.empty_port(up, bdf, number, numa)
            continue
        lanes = int(bay[1:])
        down = node.port(up, bdf, numa, 16, lanes, "switch", "switch_downstream", slot=number,
                         cap=(16, 4))
        node.device(down, f"0000:{bus + 3 + place:02x}:00.0", "nvme" if lanes == 4 else "nvme_x2",
                    numa, 16, lanes, f"Bay {number}")


def nic(node, bus, numa, name, ipv4):
    root = node.port(f"pci0000:{bus:02x}", f"0000:{bus:02x}:02.0", numa, 16, 16)
    path = node.device(root, f"0000:{bus + 1:02x}:00.0", "ethernet100", numa, 16, 16)
    mac = node.mac()
    node.interface(path, name, mac, 100, node_writer.MODES_100G)
    node.hca(path, "100 Gb/sec (4X EDR)", mac, netdev=name, ipv4=ipv4, board="MT_0000000359",
             firmware="22.39.1002")


def make():
    node = node_writer.Node("storage24", "6.14.0-15-generic", ["0-31", "32-63"], 264000000)
    shelf(node, 0x10, 0)
    shelf(node, 0x80, 1)
    nic(node, 0x40, 0, "ens40", "10.50.0.42")
    nic(node, 0xc0, 1, "ens192", "10.51.0.42")
    node.cpu_monitors()
    return node


if __name__ == "__main__":
    node_writer.main(make)
