#!/usr/bin/env python3
"""Writes qemu.txt: the config space of devices that QEMU emulates, read through its qtest protocol.

No guest runs: bus numbers are set here. Needs qemu-system-x86_64.
"""
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ECAM = 0xb0000000  # where firmware puts it on this chipset

DEVICES = """
pcie-root-port,id=r1,addr=2.0,multifunction=on,slot=1,chassis=1,x-speed=16,x-width=16
pcie-root-port,id=r2,addr=2.1,slot=2,chassis=2,x-speed=8,x-width=4
pcie-root-port,id=r3,addr=2.2,slot=3,chassis=3,x-speed=2_5,x-width=1,power_controller_present=off
pcie-root-port,id=r4,addr=2.3,slot=4,chassis=4,x-speed=16,x-width=32
ioh3420,id=r5,addr=3.0,slot=5,chassis=5
x3130-upstream,id=u1,bus=r1
xio3130-downstream,id=d1,bus=u1,slot=11,chassis=11
xio3130-downstream,id=d2,bus=u1,slot=12,chassis=12
pcie-pci-bridge,id=b1,bus=r4
nvme,serial=a,bus=r2
e1000e,bus=d1
virtio-net-pci,bus=r5,aer=on
nec-usb-xhci,addr=5.0
virtio-balloon-pci,addr=7.0
megasas-gen2,bus=d2
""".split()

# Bus of each bridge: (its bus, device, function) and its secondary and subordinate bus.
BRIDGES = [((0, 2, 0), 1, 4), ((1, 0, 0), 2, 4), ((2, 0, 0), 3, 3), ((2, 1, 0), 4, 4), ((0, 2, 1), 5, 5),
           ((0, 2, 2), 6, 6), ((0, 2, 3), 7, 8), ((7, 0, 0), 8, 8), ((0, 3, 0), 9, 9)]


class Machine:
    def __init__(self):
        command = ["qemu-system-x86_64", "-M", "q35", "-accel", "tcg", "-S", "-nodefaults", "-display",
                   "none", "-qtest", "stdio", "-qtest-log", "/dev/null"]
        addresses = {"x3130-upstream": ",addr=0"}
        for device in DEVICES:
            command += ["-device", device + addresses.get(device.split(",")[0], "")]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        while True:
            answer = self.process.stdout.readline().split()
            if answer and answer[0] in ("OK", "FAIL", "ERR"):
                return answer[1] if len(answer) > 1 else ""
            if not answer:
                raise SystemExit("qemu has ended")

    def enable_ecam(self):
        """PCIEXBAR of the host bridge, at 0x60 [Intel Q35 data sheet, section 5.1.16]."""
        self.ask("outl 0xcf8 0x80000064")
        self.ask("outl 0xcfc 0")
        self.ask("outl 0xcf8 0x80000060")
        self.ask(f"outl 0xcfc {ECAM | 1:#x}")

    def space(self, bus, device, function):
        return ECAM + (bus << 20) + (device << 15) + (function << 12)

    def set_buses(self):
        for place, secondary, subordinate in BRIDGES:
            at = self.space(*place) + 0x18
            self.ask(f"writel {at:#x} {place[0] | secondary << 8 | subordinate << 16:#x}")

    def read(self, place, size):
        return bytes.fromhex(self.ask(f"read {self.space(*place):#x} {size:#x}")[2:])


def main():
    machine = Machine()
    machine.enable_ecam()
    machine.set_buses()
    with open(HERE / "qemu.txt", "w", encoding="ascii") as out:
        for bus in range(10):
            for slot in range(32):
                for function in range(8):
                    place = (bus, slot, function)
                    data = machine.read(place, 64)
                    if data[:2] == b"\xff\xff":
                        continue
                    data = machine.read(place, 512)
                    kind, ids = data[0x0b] << 8 | data[0x0a], data[1] << 8 | data[0]
                    print(f"{bus:02x}:{slot:02x}.{function} {kind:04x}: {ids:04x}:{data[3]:02x}{data[2]:02x}",
                          file=out)
                    for at in range(0, len(data), 16):
                        print(f"{at:02x}:", " ".join(f"{b:02x}" for b in data[at:at + 16]), file=out)
                    print(file=out)
    machine.process.kill()


main()
