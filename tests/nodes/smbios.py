"""Structures of an SMBIOS table [DMTF DSP0134, System Management BIOS 3.6, section 7]."""
import struct

END = b"\x7f\x04\xff\xff\0\0"


def structure(kind, handle, body, strings):
    text = b"".join(string.encode() + b"\0" for string in strings) or b"\0"
    return struct.pack("<BBH", kind, 4 + len(body), handle) + body + text + b"\0"


def place(bdf):
    """Segment, bus, and device with function."""
    segment, bus, rest = bdf.split(":")
    device, function = rest.split(".")
    return struct.pack("<HBB", int(segment, 16), int(bus, 16),
                       int(device, 16) << 3 | int(function))


def system(product, serial, board_serial):
    """Types 1 and 2: the system with its UUID, and its board."""
    uuid = bytes.fromhex("4c4c4544004b5810804ac7c04f4a5931")
    body = bytes([1, 2, 0, 3]) + uuid + bytes([6, 0, 0])
    board = bytes([1, 2, 0, 3, 0])
    return (structure(1, 1, body, ["Example", product, serial]) +
            structure(2, 2, board, ["Example", "Board", board_serial]))


def slot(handle, name, number, bdf, used):
    """Type 9: a slot; x16, PCI Express Gen 5."""
    body = bytes([1, 0xb6, 0x0d, 4 if used else 3, 4]) + struct.pack("<H", number) + b"\x04\x01"
    return structure(9, handle, body + place(bdf), [name])


def onboard(handle, name, bdf):
    """Type 41: an Ethernet device on the board."""
    return structure(41, handle, bytes([1, 0x85, 1]) + place(bdf), [name])


def memory_device(handle, name, serial):
    """Type 17 up to the asset tag: strings for locator, maker, serial number."""
    body = bytearray(0x1b - 4)
    body[0x10 - 4] = 1
    body[0x17 - 4] = 2
    body[0x18 - 4] = 3
    return structure(17, handle, bytes(body), [name, "Example", serial])
