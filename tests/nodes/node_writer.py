"""Collects the lines of a node tree; what the make_*.py scripts have in common.

A script makes a Node, adds what the node has, and writes it: NAME.tree as root sees it, and
NAME-user.overlay, after which it is what an ordinary user sees: 64 bytes of config space, no
firmware table, no kernel log, no module memory.
"""
import pathlib
import sys

import smbios
from config_space import config_bytes, hex_text

PARTS = pathlib.Path(__file__).resolve().parent / "parts"

# vendor, device, class, subsystem vendor and device, driver
IDS = {
    "root_port": (0x8086, 0x352a, 0x060400, 0, 0, "pcieport"),
    "amd_root_port": (0x1022, 0x14ab, 0x060400, 0, 0, "pcieport"),
    "grace_root_port": (0x10de, 0x22b1, 0x060400, 0, 0, "pcieport"),
    "switch": (0x1000, 0xc030, 0x060400, 0, 0, "pcieport"),
    "thunderbolt": (0x8086, 0x15ea, 0x060400, 0, 0, "pcieport"),
    "thunderbolt_box": (0x8086, 0x1578, 0x060400, 0, 0, "pcieport"),
    "gpu": (0x10de, 0x2330, 0x030200, 0x10de, 0x16c1, "nvidia"),
    "l40s": (0x10de, 0x26b9, 0x030200, 0x10de, 0x1851, "nvidia"),
    "gh200": (0x10de, 0x2342, 0x030200, 0x10de, 0x16eb, "nvidia"),
    "radeon": (0x1002, 0x73bf, 0x030000, 0x1002, 0x0e3a, "amdgpu"),
    "rail": (0x15b3, 0x1021, 0x020700, 0x15b3, 0x0023, "mlx5_core"),
    "hdr": (0x15b3, 0x101b, 0x020700, 0x15b3, 0x0008, "mlx5_core"),
    "ethernet": (0x15b3, 0x101f, 0x020000, 0x15b3, 0x0016, "mlx5_core"),
    "ethernet100": (0x15b3, 0x101d, 0x020000, 0x15b3, 0x0043, "mlx5_core"),
    "virtual_ethernet": (0x15b3, 0x101e, 0x020000, 0x15b3, 0x0043, "mlx5_core"),
    "gigabit": (0x8086, 0x1533, 0x020000, 0x8086, 0x1533, "igb"),
    "nvme": (0x144d, 0xa80a, 0x010802, 0x144d, 0xa801, "nvme"),
    "nvme_x2": (0x15b7, 0x5011, 0x010802, 0x15b7, 0x5011, "nvme"),
    "vmd": (0x8086, 0x467f, 0x010400, 0x8086, 0x0000, "vmd"),
    "virtio_net": (0x1af4, 0x1041, 0x020000, 0x1af4, 0x1100, "virtio-pci"),
    "host_bridge": (0x8086, 0x29c0, 0x060000, 0x1af4, 0x1100, ""),
}
MODES_100G = ("100000baseKR4/Full 100000baseSR4/Full 100000baseCR4/Full 50000baseCR2/Full "
              "25000baseCR/Full 10000baseKR/Full")
LONG_AER = ["Receiver Error", "Bad TLP", "Bad DLLP", "RELAY_NUM Rollover",
            "Replay Timer Timeout", "Advisory Non-Fatal Error", "Corrected Internal Error",
            "Header Log Overflow"]  # until kernel 5.8 [linux drivers/pci/pcie/aer.c]


def gts(value, old=False):
    """A speed as the kernel prints it; before 5.7 without "PCIe" and trailing zero."""
    if not value:
        return "Unknown speed" if old else "Unknown"
    return f"{value:g} GT/s" if old else f"{value:.1f} GT/s PCIe"


def eui64(mac):
    """The GUID of a Mellanox adapter with this Ethernet address."""
    digits = mac.replace(":", "")
    digits = digits[:6] + "0300" + digits[6:]
    return ":".join(digits[i:i + 4] for i in range(0, 16, 4))


def link_local(mac):
    octets = [int(o, 16) for o in mac.split(":")]
    octets = [octets[0] ^ 2, *octets[1:3], 0xff, 0xfe, *octets[3:]]
    digits = "fe80" + 12 * "0" + "".join(f"{o:02x}" for o in octets)
    return ":".join(digits[i:i + 4] for i in range(0, 32, 4))


class Node:
    def __init__(self, name, kernel, cpus, memory_kb, machine="Example Server 1", old=False):
        """`cpus` is a list with the CPU list of each socket; "" is a node with memory alone."""
        self.name, self.cpus, self.old, self.machine = name, cpus, old, machine
        self.lines = [f"# Written by make_{name}.py."]
        self.user = [f"# {name}.tree: as a user without rights sees it."]
        self.errors, self.slots, self.onboard = [], [], []
        self.hcas = self.hwmons = self.serials = self.slot_count = 0
        self.drivers = set()
        self.file("proc/sys/kernel/hostname", f"{name}-042")
        self.file("proc/sys/kernel/random/boot_id", "d2b1f0aa-3c55-4f0b-9d4e-0b6c8f0a7e21")
        self.file("proc/version", f"Linux version {kernel} (build@example) (gcc 12.2.0) #1 SMP")
        self.file("proc/uptime", "864000.00 190000000.00")
        self.file("sys/class/dmi/id/product_name", machine)
        self.memory(memory_kb)

    def memory(self, kb):
        self.file("proc/meminfo", f"MemTotal:       {kb * len(self.cpus)} kB")
        self.file("sys/devices/system/node/online", f"0-{len(self.cpus) - 1}")
        for numa, cpus in enumerate(self.cpus):
            folder = f"sys/devices/system/node/node{numa}"
            self.file(f"{folder}/cpulist", cpus)
            self.file(f"{folder}/meminfo", f"Node {numa} MemTotal:       {kb} kB\\n"
                      f"Node {numa} MemFree:        {kb // 2} kB")

    # Small parts.

    def file(self, path, text):
        self.lines.append(f"{path} = {text}" if text != "" else f"{path} =")

    def link(self, path, target):
        self.lines.append(f"{path} -> {target}")

    def serial(self):
        self.serials += 1
        return f"SN-{self.name[:3].upper()}{self.serials:07}"

    def mac(self):
        self.serials += 1
        return f"b8:ce:f6:0a:{self.serials >> 8:02x}:{self.serials & 0xff:02x}"

    # PCI.

    def function(self, parent, bdf, kind, port_type, numa=0, speed=None, width=None, cap=None,
                 files=True, status="active", slot=None, domain_root=None, **config):
        """One function below `parent`, a path below sys/devices; returns its own path.

        `speed` and `width` are what it runs at, `cap` its ability if that is more. None: no link.
        """
        path = f"{parent}/{bdf}"
        folder = f"sys/devices/{path}"
        vendor, device, class_code, sub_vendor, sub_device, driver = IDS[kind]
        cap_speed, cap_width = cap or (speed or 0, width or 0)
        self.link(f"sys/bus/pci/devices/{bdf}", f"../../../devices/{path}")
        self.lines.append(f"@in {folder}")
        self.file("class", f"0x{class_code:06x}")
        self.file("vendor", f"0x{vendor:04x}")
        self.file("device", f"0x{device:04x}")
        self.file("subsystem_vendor", f"0x{sub_vendor:04x}")
        self.file("subsystem_device", f"0x{sub_device:04x}")
        self.file("numa_node", numa)
        self.file("local_cpulist", self.cpus[max(numa, 0)])
        if driver:
            self.link("driver", "../" * (path.count("/") + 2) + f"bus/pci/drivers/{driver}")
            self.drivers.add(driver)
        if files:
            self.file("current_link_speed", gts(speed, self.old))
            self.file("max_link_speed", gts(cap_speed, self.old))
            self.file("current_link_width", width or 0)
            self.file("max_link_width", cap_width)
        if not self.old:
            self.file("power/runtime_status", status)
        self.lines.append("@in /")
        space = config_bytes(vendor, device, class_code, port_type, cap_speed, cap_width, speed or 0,
                             width or 0, slot_number=slot, subsystem=(sub_vendor, sub_device),
                             **config)
        self.lines.append(f"{folder}/config =x {hex_text(space)}")
        self.user.append(f"{folder}/config =x {hex_text(space[:64])}")
        return path

    def aer(self, path):
        """Error counters, all zero, where the kernel shows them."""
        folder = f"sys/devices/{path}"
        if not self.old:
            self.lines += [f"@in {folder}", f"@include {PARTS}/aer.part", "@in /"]
            return
        counts = "".join(f"{name} 0\\n" for name in LONG_AER)
        self.file(f"{folder}/aer_dev_correctable", counts + "TOTAL_ERR_COR 0")

    def port(self, parent, bdf, numa=0, speed=32, width=16, kind="root_port",
             port_type="root_port", **more):
        path = self.function(parent, bdf, kind, port_type, numa, speed, width, **more)
        self.aer(path)
        return path

    def device(self, port, bdf, kind, numa=0, speed=32, width=16, slot=None, **more):
        """A device below a port; with a slot's name it is in that slot."""
        path = self.function(port, bdf, kind, more.pop("port_type", "endpoint"), numa, speed,
                             width, **more)
        if more.get("files", True):
            self.aer(path)
        if slot:
            self.slot_count += 1
            self.file(f"sys/bus/pci/slots/{self.slot_count}/address", bdf[:-2])
            self.slots.append((slot, self.slot_count, bdf, True))
        if kind.startswith("nvme"):
            self.nvme_monitor(path)
        return path

    def empty_port(self, parent, bdf, number, numa=0, kind="switch", cap=(16, 4)):
        """A port with a slot and nothing in it: its registers hold their reset values."""
        path = self.function(parent, bdf, kind, "switch_downstream", numa, 2.5, 1, cap=cap,
                             slot=number, presence=False, dl_active=False)
        self.aer(path)
        self.slots.append((f"Bay {number}", number, bdf, False))
        return path

    def virtual_function(self, parent, bdf, kind, physical, index, numa=0):
        """Has no link of its own: what it shows is zero."""
        path = self.function(parent, bdf, kind, "endpoint", numa, None, None)
        self.link(f"sys/devices/{path}/physfn", f"../{physical}")
        self.link(f"sys/devices/{parent}/{physical}/virtfn{index}", f"../{bdf}")
        return path

    # Monitors of temperature.

    def monitor(self, device, name, sensors):
        """`sensors`: a list of (label, C, max, critical); what is None is not shown."""
        folder = f"sys/devices/{device}/hwmon/hwmon{self.hwmons}"
        self.link(f"sys/class/hwmon/hwmon{self.hwmons}", f"../../{folder[4:]}")
        self.hwmons += 1
        self.file(f"{folder}/name", name)
        for number, (label, *values) in enumerate(sensors, 1):
            if label:
                self.file(f"{folder}/temp{number}_label", label)
            for ending, value in zip(("input", "max", "crit"), values):
                if value is not None:
                    self.file(f"{folder}/temp{number}_{ending}", round(value * 1000))

    def nvme_monitor(self, path):
        self.monitor(f"{path}/nvme/nvme{self.hwmons}", "nvme", [("Composite", 41.85, 81.85, 84.85)])

    def cpu_monitors(self):
        for socket in range(sum(1 for cpus in self.cpus if cpus)):
            self.monitor(f"platform/coretemp.{socket}", "coretemp",
                         [(f"Package id {socket}", 52, 93, 103), ("Core 0", 50, 93, 103)])

    # RDMA and Ethernet.

    def hca(self, path, rate, mac, ports=1, netdev=None, ipv4=None, board="MT_0000000838",
            firmware="28.39.1002", states=()):
        """An RDMA device; `netdev` makes it RoCE. `states`: (state, phys, rate) of each port."""
        name = f"mlx5_{self.hcas}"
        self.hcas += 1
        folder = f"sys/devices/{path}/infiniband/{name}"
        self.link(f"sys/class/infiniband/{name}", f"../../{folder[4:]}")
        self.link(f"{folder}/device", "../..")
        self.file(f"{folder}/node_guid", eui64(mac))
        self.file(f"{folder}/sys_image_guid", eui64(mac))
        self.file(f"{folder}/board_id", board)
        self.file(f"{folder}/fw_ver", firmware)
        self.file(f"{folder}/node_type", "1: CA")
        for number in range(1, ports + 1):
            state, phys, its_rate = (states or [("4: ACTIVE", "5: LinkUp", rate)] * ports)[number - 1]
            port = f"{folder}/ports/{number}"
            self.file(f"{port}/state", state)
            self.file(f"{port}/phys_state", phys)
            self.file(f"{port}/rate", its_rate)
            self.file(f"{port}/link_layer", "Ethernet" if netdev else "InfiniBand")
            up = state == "4: ACTIVE"
            self.file(f"{port}/lid", "0x0" if netdev else f"0x{0x40 + self.hcas:x}" if up else "0xffff")
            self.file(f"{port}/sm_lid", "0x1" if up and not netdev else "0x0")
            self.gids(port, mac, netdev, ipv4)
            self.port_counters(port)
        return name

    def gids(self, port, mac, netdev, ipv4):
        entries = [("fe80:0000:0000:0000:" + eui64(mac), "IB/RoCE v1")]
        if netdev:
            entries = [(link_local(mac), kind) for kind in ("IB/RoCE v1", "RoCE v2")]
        if ipv4:
            a, b, c, d = (int(part) for part in ipv4.split("."))
            mapped = f"0000:0000:0000:0000:0000:ffff:{a:02x}{b:02x}:{c:02x}{d:02x}"
            entries += [(mapped, "IB/RoCE v1"), (mapped, "RoCE v2")]
        for index in range(8 if netdev else 1):
            gid, kind = (entries + [("0000:" * 7 + "0000", "")] * 8)[index]
            self.file(f"{port}/gids/{index}", gid)
            if kind:
                self.file(f"{port}/gid_attrs/types/{index}", kind)
            if kind and netdev:
                self.file(f"{port}/gid_attrs/ndevs/{index}", netdev)

    def port_counters(self, port):
        for name in ("symbol_error", "link_error_recovery", "link_downed", "port_rcv_errors",
                     "port_xmit_discards", "local_link_integrity_errors",
                     "excessive_buffer_overrun_errors"):
            self.file(f"{port}/counters/{name}", 0)
        for name in ("out_of_sequence", "packet_seq_err", "local_ack_timeout_err"):
            self.file(f"{port}/hw_counters/{name}", 0)

    def interface(self, path, name, mac, gbps, modes=None, module=True, dev_port=0):
        """A network interface that is up."""
        folder = f"sys/devices/{path}/net/{name}"
        self.link(f"sys/class/net/{name}", f"../../{folder[4:]}")
        self.link(f"{folder}/device", "../..")
        values = {"address": mac, "operstate": "up", "carrier": 1, "speed": gbps * 1000,
                  "duplex": "full", "mtu": 9000, "flags": "0x1003", "type": 1,
                  "dev_port": dev_port, "carrier_changes": 2, "carrier_up_count": 1,
                  "carrier_down_count": 1, "statistics/rx_errors": 0,
                  "statistics/rx_crc_errors": 0, "statistics/tx_errors": 0}
        for file, value in values.items():
            self.file(f"{folder}/{file}", value)
        if modes:
            self.ethtool(name, gbps, modes, module)

    def ethtool(self, name, gbps, modes, module):
        lines = ["source = netlink", f"supported = {modes}", f"advertised = {modes}",
                 f"partner = {modes}", "autonegotiation = on", f"speed_mbps = {gbps * 1000}",
                 f"lanes = {4 if gbps >= 100 else 1}", "duplex = Full"]
        if gbps >= 25:
            lines.append("fec = RS")
        private = []
        if module:
            lower = bytearray(128)
            lower[0] = 0x11  # QSFP28 [SFF-8024, table 4-1]
            page = bytearray(128)
            page[20:36] = b"Example Cables".ljust(16)
            page[40:56] = b"EX-100G-CR4".ljust(16)
            page[64] = 0x0b  # 100GBASE-CR4 [SFF-8024, table 4-4]
            page[68:84] = self.serial().encode().ljust(16)
            private = [f"module.lower = {lower.hex()}", f"module.page0 = {page.hex()}"]
        path = f"linkburn/ethtool/{name}"
        self.file(path, "\\n".join(lines + private))
        if module:
            self.user.append(f"{path} = " + "\\n".join(
                lines + ["module.error = Operation not permitted"]))

    # The files.

    def firmware(self):
        table = smbios.system(self.machine, self.serial(), self.serial())
        for name, number, bdf, used in self.slots:
            table += smbios.slot(len(table), name, number, bdf, used)
        for name, bdf in self.onboard:
            table += smbios.onboard(len(table), name, bdf)
        for bank in range(4):
            table += smbios.memory_device(len(table), f"DIMM {bank}", self.serial())
        self.lines.append(f"sys/firmware/dmi/tables/DMI =x {hex_text(table + smbios.END)}")
        self.errors.append(("sys/firmware/dmi/tables/DMI", "permission",
                            "cannot open: Permission denied"))

    def kernel_log(self):
        """Records of /dev/kmsg with nothing about links, and with much that tells whose node it is."""
        texts = ["Linux version 6.8.0 (build@example)",
                 f"DMI: Example {self.machine}, BIOS 1.0, serial: {self.serial()}",
                 "Command line: root=UUID=7d3f0a55-9c1e-4b42-8a70-2f1c9d0e6b11 ip=10.99.0.42::10.99.0.1",
                 f"systemd[1]: Hostname set to <{self.name}-042>.",
                 f"usb 1-1: SerialNumber: {self.serial()}",
                 "igb 0000:e1:00.0 eno1: (PCIe:2.5Gb/s:Width x1) b8:ce:f6:0a:ff:01"]
        records = [f"6,{number},{number * 1000},-;{text}" for number, text in enumerate(texts)]
        self.file("linkburn/kmsg", "\\n".join(records))
        self.errors.append(("linkburn/kmsg", "permission", "cannot be read: Permission denied"))

    def write(self, output):
        self.kernel_log()
        if not self.old:
            self.firmware()
        for driver in sorted(self.drivers):
            self.lines.append(f"sys/bus/pci/drivers/{driver}/")
        output = pathlib.Path(output)
        output.write_text("\n".join(self.lines) + "\n", encoding="utf-8")
        if self.errors:
            self.user.append("linkburn/errors = " +
                             "\\n".join("\t".join((*error, "")) for error in self.errors))
        user = output.with_name(output.stem + "-user.overlay")
        user.write_text("\n".join(self.user) + "\n", encoding="utf-8")


def main(make):
    """Of a script: writes what `make` returns to the file that is named."""
    make().write(sys.argv[1])
