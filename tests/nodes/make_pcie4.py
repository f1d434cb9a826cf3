#!/usr/bin/env python3
"""Writes pcie4.tree: a PCIe-only box with 4 GPUs below root ports and 2 Ethernet NICs, all healthy.

One socket; each GPU (16 GT/s x16, less than its port can do) has a root port of its own. Each NIC
is a card with 2 ports, of which one is used, and the first has 4 virtual functions given to
containers. The NIC on the board runs at 2.5 GT/s x1, which is all it can do. Usage:
make_pcie4.py OUTPUT
"""
import node_writer


def gpu(node, index):
    bus = 0x01 + 0x20 * index
    root = node.port(f"pci0000:{bus - 1:02x}", f"0000:{bus - 1:02x}:01.1", 0, 16, 16,
                     "amd_root_port", cap=(32, 16), target_speed=32, slot=index + 1)
    node.device(root, f"0000:{bus:02x}:00.0", "l40s", 0, 16, 16, f"PCIE{index + 1}")


def nic(node, bus, name, ipv4, functions):
    root = node.port(f"pci0000:{bus - 1:02x}", f"0000:{bus - 1:02x}:03.1", 0, 16, 16,
                     "amd_root_port", slot=node.slot_count + 1)
    slot = f"PCIE{node.slot_count + 1}"
    path = node.device(root, f"0000:{bus:02x}:00.0", "ethernet100", 0, 16, 16, slot)
    node.device(root, f"0000:{bus:02x}:00.1", "ethernet100", 0, 16, 16)
    mac = node.mac()
    node.interface(path, name, mac, 100, node_writer.MODES_100G)
    node.hca(path, "100 Gb/sec (4X EDR)", mac, netdev=name, ipv4=ipv4, board="MT_0000000359",
             firmware="22.39.1002")
    node.monitor(path, "mlx5", [("asic", 61, None, 105)])
    for index in range(functions):
        node.virtual_function(root, f"0000:{bus:02x}:00.{index + 2}", "virtual_ethernet",
                              f"0000:{bus:02x}:00.0", index)


def make():
    node = node_writer.Node("pcie4", "6.1.0-28-amd64", ["0-63"], 528000000)
    for index in range(4):
        gpu(node, index)
    nic(node, 0x81, "enp129s0f0np0", "10.30.0.42", 4)
    nic(node, 0xa1, "enp161s0f0np0", "10.31.0.42", 0)
    board = node.port("pci0000:e0", "0000:e0:05.2", 0, 2.5, 1, "amd_root_port", cap=(16, 1))
    path = node.device(board, "0000:e1:00.0", "gigabit", 0, 2.5, 1)
    node.interface(path, "eno1", node.mac(), 1, "1000baseT/Full 100baseT/Full 10baseT/Full", False)
    node.onboard.append(("Onboard LAN", "0000:e1:00.0"))
    return node


if __name__ == "__main__":
    node_writer.main(make)
