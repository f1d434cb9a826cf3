#include "report/catalogue.h"

#include <algorithm>
#include <array>

#include "bench/base/result.h"

namespace linkburn {
namespace {

const std::vector<CatalogueRow> kRows{
    {"LB-HEALTHY",
     "judged, and nothing is wrong",
     "Every reading of this component agrees with what it is rated for.",
     {}},

    {"LB-DEV-LOST",
     "device does not answer",
     "The device was there and does not answer any more, or its registers read as all ones. "
     "Everything below it is gone with it.",
     {"read the kernel log around that time for link down, DPC or fatal error lines",
      "power the node off and on (a warm reboot does not always reset the link)",
      "reseat the card and its power cables; check the riser and clean the contacts",
      "swap the card with one from a healthy slot: if the fault follows the card, send it to RMA; "
      "if it stays, replace riser or board"}},

    {"LB-DEV-ASLEEP",
     "device is asleep",
     "The device is runtime-suspended. Its link registers mean nothing while it sleeps, and "
     "linkburn wakes no device just to look at it.",
     {"look again while the device is in use, or run a profile that loads it"}},

    {"LB-DEV-DROPPED",
     "device was gone and came back",
     "By the kernel log the link of this device went down or the device stopped answering, and it "
     "answers again. Once is a warning; again and again means that the link does not hold.",
     {"ask whether somebody swapped or reset the card at that time; then this is nothing",
      "read the kernel log around that time for what came first",
      "check the seating of card, riser, cable and power cables, and clean the contacts",
      "swap with an identical card to tell card from slot; send the one at fault to RMA"}},

    {"LB-DEV-FAULT",
     "driver gave up on the device",
     "The driver says that the firmware of this device does not respond or has failed.",
     {"read the kernel log around that time; save the driver's health report if there is one",
      "update the firmware of the device",
      "power the node off and on; if it comes back, send the card to RMA"}},

    {"LB-DEV-HOT",
     "device is too hot, its driver says",
     "A driver reported a temperature above its limit. Heat makes links retrain and drop.",
     {"check fans, airflow and the inlet temperature of the node",
      "check that heat sinks and optical modules sit as they should, and clean out dust"}},

    {"LB-XID-BUS",
     "GPU reports a fault of its PCIe link",
     "The GPU driver logged an Xid that speaks of the bus.",
     {"read the kernel log around that time for PCIe errors of the same GPU",
      "power the node off, reseat the GPU, check riser and cables, clean the contacts",
      "swap with an identical GPU to tell card from slot; send the one at fault to RMA"}},

    {"LB-XID-NVLINK",
     "GPU or switch reports a fault of its NVLinks",
     "The GPU driver logged an error of an NVLink. Jobs that used it failed or were slow.",
     {"look at the state and error counters of its NVLinks: nvidia-smi nvlink -s and -e",
      "reset the GPUs, with the fabric manager where there is one, and run again",
      "if it comes back: reseat GPU or baseboard; send the one at fault to RMA"}},

    {"LB-XID-DEVICE",
     "GPU reports a fault that is not of a link",
     "The GPU driver logged an error of the GPU's memory or firmware. Links are not meant, but "
     "jobs can fail.",
     {"look the number up in NVIDIA's Xid catalogue and do what it says",
      "read ECC counters and row remapping: nvidia-smi -q",
      "reset the GPU or reboot the node; if it comes back, send the GPU to RMA"}},

    {"LB-PCIE-WIDTH",
     "link width below rating",
     "The link runs on fewer lanes than it is rated for. Links do not narrow to save power: lanes "
     "are bad, dirty or not connected. Its bandwidth falls with the lanes.",
     {"power the node off, reseat the card and check that it sits fully in the slot",
      "check the riser or cable and its seating; clean the contacts of card and slot",
      "check the BIOS settings of this slot: bifurcation and forced link width",
      "swap the card with an identical one: if the fault follows the card, send it to RMA; if it "
      "stays with the slot, replace riser or board"}},

    {"LB-PCIE-SPEED",
     "link speed below rating",
     "The link stayed below the speed that both of its ends can do while it was loaded, or it "
     "never "
     "came up at that speed. Idle links may run slow, loaded ones may not.",
     {"check the BIOS settings of this slot: maximum link speed and power saving",
      "check temperatures and airflow at the slot; heat makes links retrain",
      "power the node off, reseat the card, check riser and retimer, clean the contacts",
      "swap the card with an identical one: if the fault follows the card, send it to RMA; if it "
      "stays with the slot, replace riser or board"}},

    {"LB-PCIE-RETRAIN",
     "link left its rating and came back",
     "The link retrained to a lower speed or width and returned. Once is a warning; again and "
     "again means that the link does not hold what it is rated for.",
     {"run the burn-in profile on this node to see whether it comes back when hot",
      "check temperatures and airflow at the slot",
      "power the node off, reseat the card, check riser and retimer, clean the contacts",
      "swap with an identical card to tell card from slot; send the one at fault to RMA"}},

    {"LB-PCIE-LIMITED",
     "device could do more than its slot gives",
     "The link runs at its rating, and the device itself could do more. The slot, the riser or the "
     "host is the limit. That is no fault if the machine was built that way.",
     {"compare with the machine's manual: is the card in the slot that it belongs in?",
      "check bifurcation and link speed settings of this slot in the BIOS",
      "move the card to a slot that gives all its lanes, if there is one"}},

    {"LB-PCIE-TARGET",
     "link held below its rating by a setting",
     "The port above is set to a target link speed below what both ends can do, and the link runs "
     "at just that. Firmware, an operator or the kernel set it; card and slot may be good.",
     {"check the BIOS settings of this slot: maximum link speed",
      "where the kernel log says that it retrained this link at 2.5GT/s: power the node off and "
      "on, "
      "and update the kernel, in which this cap is known to stay on good devices",
      "see whether a tool of the site sets link speeds, or thermal control does on a hot node",
      "if it is wanted, say so in the site file: a rated speed, or an exception"}},

    {"LB-PCIE-DISABLED",
     "link switched off",
     "A card is plugged in and the port above has its link switched off, so nobody can use it.",
     {"check the BIOS settings: is this slot disabled?",
      "see whether somebody switched the slot off: power in /sys/bus/pci/slots",
      "power the node off and on; if the link stays off, ask the vendor of the board"}},

    {"LB-PCIE-REPLAY",
     "GPU sent many packets again",
     "The driver counts many replays on the PCIe link of this GPU: packets arrived damaged, or "
     "their answers did. Since when is not known, so this is a warning.",
     {"read the counters again after an hour of load: nvidia-smi -q, Replays Since Reset",
      "read the error counters of both ends of the link: lspci -vvv, or aer_dev_correctable in "
      "/sys",
      "if they rise: reseat the card, check riser and cable, clean the contacts"}},

    {"LB-GPU-SLOWED",
     "GPU is slowed down by its hardware",
     "Something outside of the GPU, most often the power supply, asks it to run slower. Rates that "
     "are measured meanwhile prove nothing.",
     {"check power supplies, power cables and power limits of the node",
      "look again when it is over: nvidia-smi -q -d PERFORMANCE"}},

    {"LB-NVLINK-DOWN",
     "NVLinks are inactive",
     "Links between this GPU and others, or a switch of such links, are not up. Collectives get "
     "slow or take the way over PCIe.",
     {"see whether a GPU at the other end is missing or failed: nvidia-smi -L, nvidia-smi topo -m",
      "read the kernel log for NVLink lines and Xid 74, and the state of the fabric manager where "
      "there is one",
      "reset the GPUs or power the node off and on",
      "reseat the bridge, or GPU and baseboard; send the one at fault to RMA"}},

    {"LB-NVLINK-RATE",
     "NVLinks run at a lower rate",
     "Active links of this GPU run slower than those of its equals.",
     {"reset the GPUs or power the node off and on, then look again: nvidia-smi nvlink -s",
      "where cards are joined by bridges: see that all bridges are of one kind",
      "if it stays, send the GPU or its baseboard to RMA"}},

    {"LB-PCIE-LANES",
     "lanes with errors",
     "The link has lost lanes or damages packets, and the receivers named the lanes on which they "
     "saw errors.",
     {"clean the contacts of card and slot and reseat the card: look at the named lanes first",
      "check riser, cable and retimer",
      "swap with an identical card to tell card from slot; send the one at fault to RMA"}},

    {"LB-PCIE-PATH",
     "uplink gives less than a device below can take",
     "Every link on the way runs at its rating, and the narrowest one carries less than the link "
     "of a device below it. That is no fault if the machine was built that way.",
     {"compare with the machine's manual: is the card in the slot that it belongs in?",
      "move the card to a slot whose path gives all of its link, if there is one"}},

    {"LB-NEEDS-LOAD",
     "link is slow while it is not loaded",
     "The link runs below its rated speed, but nothing loaded it. Devices lower their link when "
     "idle, so this settles nothing.",
     {"run linkburn with a profile that loads this device, when no job runs on the node"}},

    {"LB-AER-CORRECTED",
     "corrected errors on the link",
     "Packets were damaged on the link and sent again. A clean link shows none over a day. The end "
     "that counts is the one that received; the cause can be at the other end.",
     {"check the seating of card, riser and cable, and clean the contacts",
      "check temperatures and airflow at the slot",
      "compare cold and hot: errors that grow with heat point to contacts or retimers",
      "swap with an identical card to tell card from slot; send the one at fault to RMA"}},

    {"LB-AER-UNCORRECTED",
     "uncorrected errors on the link",
     "The link lost or damaged a transaction that could not be sent again. Jobs on this device can "
     "fail or hang.",
     {"take the node out of service until the cause is known",
      "read the kernel log for the PCIe Bus Error lines: they name the kind of error",
      "update the firmware of card and board if the vendor knows this error",
      "power the node off, reseat the card, check riser and cable, clean the contacts",
      "swap with an identical card to tell card from slot; send the one at fault to RMA"}},

    {"LB-DATA-WRONG",
     "data arrived changed",
     "Words read back differ from those that were written. Links protect their packets, so memory, "
     "the device or a bridge on the way is at fault. Results of jobs cannot be trusted.",
     {"take the node out of service",
      "read memory error counters (EDAC, and ECC of the device) and the kernel log",
      "run again: does the same component fail?",
      "swap the component that fails with an identical one; send the one at fault to RMA"}},

    {"LB-PORT-STATE",
     "port is not active",
     "The port is not up. Where nobody told whether it has to be, an unused port looks the same as "
     "one with a bad cable.",
     {"if it should be up: check that the cable is plugged at both ends and the partner is on",
      "reseat the cable or transceiver, then try a known good one",
      "try another port of the switch; if the fault stays, swap the card and send it to RMA",
      "if it is not used: switch it off, or say so in a site file (expect = \"down\")"}},

    {"LB-PORT-NO-SM",
     "no subnet manager serves this port",
     "The cable is good and the link is up, but no subnet manager has activated the port, so no "
     "traffic can flow.",
     {"check that a subnet manager runs on this fabric, in the switch or on a node",
      "check that the port is plugged into the fabric that it belongs to"}},

    {"LB-PORT-WIDTH",
     "port runs on fewer lanes than it has",
     "The port is up on fewer lanes than it has: dirty or damaged contacts, a bad cable or "
     "transceiver, or a cable that splits it. Jobs on it get slow without failing.",
     {"clean and reseat the cable or transceiver at both ends", "try a known good cable",
      "try another port of the switch; if the fault stays, swap the card and send it to RMA"}},

    {"LB-PORT-RATE",
     "port runs below its rated rate",
     "The port is up, and its partner and it agreed on less than it is rated for, or it was set to "
     "less. Jobs on it get slow without failing.",
     {"check the speed settings of both ends: the interface (ethtool) and the switch port",
      "reseat the cable or transceiver, then try a known good one",
      "try another port of the switch; if the fault stays, swap the card and send it to RMA",
      "if the fabric gives no more: put the rate of this port into a site file"}},

    {"LB-PORT-LIMITED",
     "port could do more than its cable or partner gives",
     "The port runs at what its cable, its transceiver or its partner gives, and could do more. "
     "That is no fault if the fabric was built that way.",
     {"compare with the plan of the fabric: is this the cable and the switch port that belong "
      "here?",
      "use a cable or transceiver of the port's rate, if the fabric is to run at it"}},

    {"LB-PORT-FLAP",
     "port lost its link",
     "The link of the port went down and came up again. Each loss stalls or ends the jobs that use "
     "it.",
     {"look in the logs of node and switch for what happened at that time: maintenance, or nothing",
      "reseat the cable or transceiver at both ends, then try a known good one",
      "check the temperature of transceiver and adapter",
      "try another port of the switch; if it goes on, swap the card and send it to RMA"}},

    {"LB-PORT-ERRORS",
     "errors on the port's link",
     "Packets were damaged on the way to this port, or the link had to recover. The end that "
     "counts "
     "is the one that received; the cause can be the cable or the other end.",
     {"clean and reseat the cable or transceiver at both ends",
      "try a known good cable, then another port of the switch",
      "compare cold and hot: errors that grow with heat point to the transceiver",
      "if the errors stay with the card, send it to RMA"}},

    {"LB-PORT-HOT",
     "module or adapter is too hot",
     "The transceiver or the adapter says that it is hotter than it may be. It may slow down, make "
     "errors or switch itself off.",
     {"check airflow, fans and dust at the adapter and its cages",
      "compare with the same port of other nodes",
      "replace a transceiver that is hot where others are not"}},

    {"LB-PORT-MODULE",
     "adapter complains about its module or cable",
     "The adapter's firmware reports a fault of the module or cable, or that it was pulled out "
     "during a run.",
     {"read the line: it names the module and what is wrong with it",
      "reseat the module or cable, then try a known good one",
      "check that the adapter's firmware supports this module"}},

    {"LB-PORT-POWER",
     "slot gives the adapter too little power",
     "The adapter says that its slot does not grant the power that it needs. It may keep its ports "
     "down or refuse transceivers that need much.",
     {"check in the machine's manual what power this slot gives, and move the card if it is too "
      "little",
      "update BIOS and adapter firmware if they announce the slot's power wrongly",
      "connect the card's auxiliary power cable, if it has one"}},

    {"LB-PORT-GID",
     "RoCE port has no usable address",
     "RDMA over Ethernet addresses its partners by GIDs, which are made from the IP addresses of "
     "the interface. Without a routable one, or with one that another port has too, connections "
     "fail or time out.",
     {"give the interface its IP address (ip address show DEV), and check that it stays",
      "check for two ports with the same address",
      "choose the index by address, never by number: it changes when the link flaps",
      "if the port is not used for RDMA: switch it off, or say so in a site file"}},

    {"LB-PORT-SLOT-LIMIT",
     "slot carries less than the adapter's ports",
     "The links of the adapter run at their rating, and its active ports together run faster than "
     "they can carry. That is no fault if the machine was built that way.",
     {"compare with the machine's manual: is the card in the slot that it belongs in?",
      "move the card to a slot with more lanes or a higher speed, if there is one",
      "count with the slot's rate, not with the port's, when judging jobs on this node"}},

    {"LB-EXPECT-MISSING",
     "what the site expects is not there",
     "The site file says that this belongs to the node, and the node does not show it: the device "
     "is off, broken, not seated or not plugged in, or the site file is out of date.",
     {"read the kernel log since boot for the slot: link down, DPC, failed enumeration",
      "power the node off, reseat the card and its power cables; check riser and cabling",
      "check the BIOS: is the slot enabled, is its bifurcation right?",
      "swap with a card from a healthy slot; send what the fault follows to RMA, card or board",
      "if it was taken out on purpose: correct the site file"}},

    {"LB-EXPECT-OTHER",
     "slot holds another device than the site expects",
     "There is a device in this slot, of another type than the site file says. Cards were swapped "
     "or moved, or the site file is out of date.",
     {"compare the slot with the machine's plan: which card belongs there?",
      "put the cards where they belong, or correct the site file"}},

    {"LB-EXPECT-UNKNOWN",
     "what the site expects cannot be told",
     "The site file expects something here, and the evidence does not show whether it is there.",
     {"run linkburn on the host, as root, with all of /sys visible",
      "if slots or ports have other names now: correct the site file"}},

    {"LB-ODD-ONE-OUT",
     "unlike its equals in this node",
     "Most of the same model in this node are rated for more, or run faster. Its slot, riser, "
     "cable or a setting gives it less, or it is another variant of the model.",
     {"compare the BIOS settings of this slot with those of its equals: bifurcation, link speed",
      "check riser and cable: are they of the same kind as those of its equals?",
      "swap with one of its equals: if it follows the card, send the card to RMA",
      "if the machine is built that way: say so in a site file"}},

    {"LB-RATE-LOW",
     "copies far below what the link or its equals give",
     "Other tools measured copies between host and GPU, or between GPUs, far below what the link "
     "carries or what equal links of this node give. A link that lost lanes or speed looks like "
     "this; so do memory of another NUMA node, an IOMMU and a shared uplink, which is why one low "
     "rate alone is never a fault here.",
     {"read speed and width at both ends while a copy runs: sudo lspci -vvv",
      "where it is between GPUs: look at their links: nvidia-smi nvlink -s and nvidia-smi topo -m",
      "run the same test again, bound to the NUMA node of the GPU",
      "if the link is below its rating: power off, reseat the card, check riser and cables",
      "swap with an identical GPU to tell card from slot"}},

    {"LB-RATE-ODD",
     "copies are slower than those of equal GPUs",
     "One GPU got less than its equals in a test of another tool. Equal links of a node agree "
     "within one per cent; one such test alone is a warning.",
     {"run the same test again when nothing else runs on the node",
      "read speed and width at both ends while a copy runs: sudo lspci -vvv",
      "between GPUs: look at the state of their links: nvidia-smi nvlink -s"}},

    {"LB-RATE-NETWORK",
     "RDMA test below the rate of its port",
     "The port runs at its rate, and a test over it got clearly less. Settings of the test, the "
     "PCIe slots of both adapters, congestion and the other node all look like this.",
     {"repeat with several queue pairs and large messages: -q 4 -s 1048576, and the other way "
      "round",
      "repeat with a third node to tell which end is slow",
      "check the MTU, the slot of each adapter, and that the test runs on the adapter's NUMA node",
      "look at the counters of pauses, congestion and discards at both ends"}},

    {"LB-NCCL-SOCKET",
     "NCCL uses sockets although RDMA is there",
     "NCCL fell back to TCP sockets, or was told to, while an RDMA port of this node is active. "
     "Jobs over several nodes run at a fraction of the fabric's rate.",
     {"check NCCL_IB_DISABLE, NCCL_IB_HCA and NCCL_NET in the job's environment",
      "in a container: pass /dev/infiniband in and allow locked memory (ulimit -l unlimited)",
      "look at the first NET/IB lines of NCCL_DEBUG=INFO: they say why no device was taken"}},

    {"LB-RDMA-CONNECT",
     "an RDMA connection failed",
     "A connection between two nodes was not made, or its packets got no answer. Mostly that is "
     "addressing: GID index, RoCE version, VLAN, MTU or a filter; no hardware of this node is "
     "shown to be at fault.",
     {"compare the GID tables of both ends: show_gids or ibv_devinfo -v",
      "let NCCL choose the entry: unset NCCL_IB_GID_INDEX; else set it to the RoCE v2 entry of the "
      "routed address at both ends",
      "try the same pair with ib_write_bw and the same GID index",
      "look at the port counters of both ends, and for the peer that every message names"}},

    {"LB-STEP-INCOMPLETE",
     "a planned load did not run to its end",
     "What the profile planned here was not done or not finished, so nothing is proven for this "
     "component.",
     {"read the reason; look for a hung driver call in the kernel log",
      "run again when no job runs on the node",
      "if it hangs again, reboot the node; if that does not help, treat the device as lost"}},

    {"LB-NO-EVIDENCE",
     "the evidence does not settle it",
     "Something that is needed to judge this was not there, could not be read, or contradicts "
     "itself. The finding says what is missing.",
     {"give linkburn what is missing: run it on the host, as root, with all of /sys visible",
      "look at linkburn doctor, which lists what cannot be tested on this machine and why"}},
};

}  // namespace

std::span<const CatalogueRow> catalogue() { return kRows; }

const CatalogueRow& catalogue_row(std::string_view code) {
  const auto row = std::find_if(kRows.begin(), kRows.end(),
                                [&](const CatalogueRow& known) { return known.code == code; });
  check(row != kRows.end(), "a finding has a code without a row in the catalogue");
  return *row;
}

}  // namespace linkburn
