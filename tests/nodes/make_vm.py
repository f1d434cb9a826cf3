#!/usr/bin/env python3
"""Writes vm.tree: a virtual machine with virtual functions of a NIC, from which no link is visible.

What was passed through hangs on the root bus, its port hidden: a virtual function reads as zero
there as it does on its host, and nothing tells that it is one but its device id. Usage:
make_vm.py OUTPUT
"""
import node_writer


def make():
    node = node_writer.Node("vm", "6.1.0-28-cloud-amd64", ["0-15"], 64000000,
                            "Standard PC (Q35 + ICH9, 2009)")
    bus = "pci0000:00"
    node.function(bus, "0000:00:00.0", "host_bridge", "integrated_endpoint", -1, files=False)
    node.function(bus, "0000:00:01.0", "virtio_net", "integrated_endpoint", -1, files=False)
    for place in (4, 5):
        path = node.function(bus, f"0000:00:{place:02x}.0", "virtual_ethernet", "endpoint", -1,
                             None, None)
        node.interface(path, f"ens{place}", node.mac(), 100, node_writer.MODES_100G, False)
    return node


if __name__ == "__main__":
    node_writer.main(make)
