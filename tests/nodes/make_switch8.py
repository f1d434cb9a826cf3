#!/usr/bin/env python3
"""Writes switch8.tree: a two-socket node with 8 GPUs, 10 NICs and 12 NVMe disks, all healthy.

Each socket has two PCIe switches at 32 GT/s x16, and below each switch two GPUs with a rail NIC
each, so that a GPU and its NIC share a switch:

    root port -> upstream port -> 4 downstream ports -> GPU, NIC, GPU, NIC

and one switch at 16 GT/s x16 with six NVMe disks at x4. The two Ethernet NICs (16 GT/s x8) hang
directly below root ports of socket 0. Usage: make_switch8.py OUTPUT
"""
import pathlib
import sys

PARTS = pathlib.Path(__file__).resolve().parent / "parts"
GPUS_AND_RAILS = "gpu rail gpu rail".split()
CPUS = ["0-55,112-167", "56-111,168-223"]  # of the two sockets
NODE_KB = 1056000000  # 1 TB of memory on each socket

# class, vendor, device, subsystem vendor, subsystem device
IDS = {
    "root_port": "0x060400 0x8086 0x352a 0x8086 0x0000",
    "switch": "0x060400 0x1000 0xc030 0x1000 0x100b",
    "gpu": "0x030200 0x10de 0x2330 0x10de 0x16c1",
    "rail": "0x020700 0x15b3 0x1021 0x15b3 0x0023",
    "ethernet": "0x020000 0x15b3 0x101f 0x15b3 0x0016",
    "nvme": "0x010802 0x144d 0xa80a 0x144d 0xa801",
}


class Node:
    """Collects lines; hands out bus, slot and device numbers in the order of discovery."""

    def __init__(self):
        self.lines = ["# Written by make_switch8.py."]
        self.hcas = 0
        self.slots = 0

    def file(self, path, text):
        self.lines.append(f"{path} = {text}")

    def host(self):
        self.file("proc/sys/kernel/hostname", "switch8")
        self.file("proc/sys/kernel/random/boot_id", "d2b1f0aa-3c55-4f0b-9d4e-0b6c8f0a7e21")
        self.file("proc/version", "Linux version 6.8.0-51-generic (buildd@lcy02-amd64-001) "
                  "(x86_64-linux-gnu-gcc-13) #52-Ubuntu SMP PREEMPT_DYNAMIC")
        self.file("proc/uptime", "864000.00 190000000.00")
        self.file("proc/meminfo", f"MemTotal:       {2 * NODE_KB} kB\\n"
                  f"MemFree:        {2 * NODE_KB - 64000000} kB\\n"
                  f"MemAvailable:   {2 * NODE_KB - 32000000} kB")
        self.file("sys/devices/system/node/online", "0-1")
        for numa, cpus in enumerate(CPUS):
            folder = f"sys/devices/system/node/node{numa}"
            self.file(f"{folder}/cpulist", cpus)
            self.file(f"{folder}/meminfo", f"Node {numa} MemTotal:       {NODE_KB} kB\\n"
                      f"Node {numa} MemFree:        {NODE_KB - 32000000} kB\\n"
                      f"Node {numa} MemUsed:        32000000 kB")

    def function(self, parent, bdf, kind, numa, speed, width):
        """One PCI function below `parent` (a path below sys/devices); returns its own path."""
        path = f"{parent}/{bdf}"
        folder = f"sys/devices/{path}"
        self.lines.append(f"sys/bus/pci/devices/{bdf} -> ../../../devices/{path}")
        self.lines.append(f"@in {folder}")
        names = "class vendor device subsystem_vendor subsystem_device".split()
        for name, value in zip(names, IDS[kind].split()):
            self.file(name, value)
        self.file("numa_node", numa)
        self.file("local_cpulist", CPUS[numa])
        for which in "current", "max":
            self.file(f"{which}_link_speed", f"{speed:.1f} GT/s PCIe")
            self.file(f"{which}_link_width", width)
        self.lines += [f"@include {PARTS}/aer.part", "@in /"]
        return path

    def device(self, port, bus, kind, numa, speed, width):
        """A device below a port, in a slot of its own."""
        path = self.function(port, f"0000:{bus:02x}:00.0", kind, numa, speed, width)
        self.slots += 1
        self.file(f"sys/bus/pci/slots/{self.slots}/address", f"0000:{bus:02x}:00")
        if kind in ("rail", "ethernet"):
            self.hca(path, *(("InfiniBand", "400 Gb/sec (4X NDR)") if kind == "rail" else
                             ("Ethernet", "100 Gb/sec (4X EDR)")))

    def hca(self, path, link_layer, rate):
        name = f"mlx5_{self.hcas}"
        self.hcas += 1
        port = f"sys/devices/{path}/infiniband/{name}/ports/1"
        self.file(f"{port}/state", "4: ACTIVE")
        self.file(f"{port}/phys_state", "5: LinkUp")
        self.file(f"{port}/rate", rate)
        self.file(f"{port}/link_layer", link_layer)
        self.lines.append(
            f"sys/class/infiniband/{name} -> ../../devices/{path}/infiniband/{name}")

    def switch(self, bus, numa, kinds, speed, width):
        """A root port on `bus`, a switch below it and one device below each downstream port."""
        root = self.function(f"pci0000:{bus:02x}", f"0000:{bus:02x}:01.0", "root_port", numa,
                             speed, 16)
        upstream = self.function(root, f"0000:{bus + 1:02x}:00.0", "switch", numa, speed, 16)
        for place, kind in enumerate(kinds):
            down = self.function(upstream, f"0000:{bus + 2:02x}:{place:02x}.0", "switch", numa,
                                 speed, width)
            self.device(down, bus + 3 + place, kind, numa, speed, width)

    def direct(self, bus, numa, kind, speed, width):
        """A device directly below a root port."""
        root = self.function(f"pci0000:{bus:02x}", f"0000:{bus:02x}:02.0", "root_port", numa,
                             speed, width)
        self.device(root, bus + 1, kind, numa, speed, width)


def main():
    node = Node()
    node.host()
    for numa, base in enumerate((0x10, 0x90)):
        node.switch(base, numa, GPUS_AND_RAILS, 32, 16)
        node.switch(base + 0x10, numa, GPUS_AND_RAILS, 32, 16)
        node.switch(base + 0x20, numa, ["nvme"] * 6, 16, 4)
    node.direct(0x50, 0, "ethernet", 16, 8)
    node.direct(0x58, 0, "ethernet", 16, 8)
    pathlib.Path(sys.argv[1]).write_text("\n".join(node.lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
