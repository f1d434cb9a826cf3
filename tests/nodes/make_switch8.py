#!/usr/bin/env python3
"""Writes switch8.tree: a two-socket node with 8 GPUs, 10 NICs and 12 NVMe disks, all healthy.

Each socket has two PCIe switches at 32 GT/s x16, and below each switch two GPUs with a rail NIC
each, so that a GPU and its NIC share a switch:

    root port -> upstream port -> 4 downstream ports -> GPU, NIC, GPU, NIC

and one switch at 16 GT/s x16 with six NVMe disks at x4. The two Ethernet NICs (16 GT/s x8) hang
directly below root ports of socket 0. Usage: make_switch8.py OUTPUT
"""
import node_writer

GPUS_AND_RAILS = "gpu rail gpu rail".split()


class Switch8(node_writer.Node):
    def __init__(self):
        super().__init__("switch8", "6.8.0-51-generic", ["0-55,112-167", "56-111,168-223"],
                         1056000000)

    def slot_of(self, kind):
        return f"{kind.upper()} slot {self.slot_count + 1}"

    def switch(self, bus, numa, kinds, speed, width):
        """A root port on `bus`, a switch below it and one device below each downstream port."""
        root = self.port(f"pci0000:{bus:02x}", f"0000:{bus:02x}:01.0", numa, speed, 16)
        up = self.port(root, f"0000:{bus + 1:02x}:00.0", numa, speed, 16, "switch",
                       "switch_upstream")
        for place, kind in enumerate(kinds):
            down = self.port(up, f"0000:{bus + 2:02x}:{place:02x}.0", numa, speed, width, "switch",
                             "switch_downstream", slot=self.slot_count + 1)
            path = self.device(down, f"0000:{bus + 3 + place:02x}:00.0", kind, numa, speed, width,
                               self.slot_of(kind))
            if kind == "rail":
                self.hca(path, "400 Gb/sec (4X NDR)", self.mac())
                self.monitor(path, "mlx5", [("asic", 58, None, 105)])

    def ethernet(self, bus, name, ipv4):
        """A NIC directly below a root port."""
        root = self.port(f"pci0000:{bus:02x}", f"0000:{bus:02x}:02.0", 0, 16, 8,
                         slot=self.slot_count + 1)
        path = self.device(root, f"0000:{bus + 1:02x}:00.0", "ethernet", 0, 16, 8,
                           self.slot_of("ethernet"))
        mac = self.mac()
        self.interface(path, name, mac, 100, node_writer.MODES_100G)
        self.hca(path, "100 Gb/sec (4X EDR)", mac, netdev=name, ipv4=ipv4, board="MT_0000000531",
                 firmware="26.39.1002")


def make():
    node = Switch8()
    for numa, base in enumerate((0x10, 0x90)):
        node.switch(base, numa, GPUS_AND_RAILS, 32, 16)
        node.switch(base + 0x10, numa, GPUS_AND_RAILS, 32, 16)
        node.switch(base + 0x20, numa, ["nvme"] * 6, 16, 4)
    node.ethernet(0x50, "ens50", "10.20.0.42")
    node.ethernet(0x58, "ens58", "10.21.0.42")
    node.cpu_monitors()
    return node


if __name__ == "__main__":
    node_writer.main(make)
