#include "bench/ethtool/netlink.h"

#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>

#include <array>
#include <cerrno>
#include <span>

namespace linkburn {
namespace {

constexpr std::size_t kBufferBytes = 32 * 1024;  // answers to compact requests have a few hundred
constexpr std::uint16_t kHeader = 1;  // ETHTOOL_A_*_HEADER of all messages that are asked for here

nlmsghdr* start_message(std::span<char> buffer, std::uint16_t type, std::uint8_t command,
                        std::uint8_t version, std::uint32_t sequence) {
  nlmsghdr* message = mnl_nlmsg_put_header(buffer.data());
  message->nlmsg_type = type;
  message->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
  message->nlmsg_seq = sequence;
  auto* header = static_cast<genlmsghdr*>(mnl_nlmsg_put_extra_header(message, sizeof(genlmsghdr)));
  header->cmd = command;
  header->version = version;
  return message;
}

/// C code calls this: what it does must not throw, and `take` does not.
int hand_over(const nlmsghdr* message, void* data) {
  const std::size_t bytes = mnl_nlmsg_get_payload_len(message);
  if (bytes < sizeof(genlmsghdr)) return MNL_CB_OK;
  Answer answer;
  each_attribute(mnl_nlmsg_get_payload_offset(message, sizeof(genlmsghdr)),
                 bytes - sizeof(genlmsghdr),
                 [&](const nlattr* attribute) { answer.push_back(attribute); });
  (*static_cast<const std::function<void(const Answer&)>*>(data))(answer);
  return MNL_CB_OK;
}

}  // namespace

Result<EthtoolSocket> EthtoolSocket::open() {
  EthtoolSocket socket(mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC));
  if (!socket.socket_ || mnl_socket_bind(socket.socket_.get(), 0, MNL_SOCKET_AUTOPID) < 0)
    return errno_error(errno, "cannot open", "netlink");
  if (const int error = socket.find_family(); error != 0)
    return errno_error(error, "the kernel has no ethtool family", "netlink");
  return socket;
}

int EthtoolSocket::find_family() {
  std::array<char, 512> buffer{};
  nlmsghdr* message = start_message(buffer, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1, ++sequence_);
  mnl_attr_put_strz(message, CTRL_ATTR_FAMILY_NAME, ETHTOOL_GENL_NAME);
  const int error = exchange(message, [this](const Answer& answer) {
    for (const nlattr* attribute : answer)
      if (mnl_attr_get_type(attribute) == CTRL_ATTR_FAMILY_ID)
        family_ = value_of<std::uint16_t>(attribute, 0);
  });
  if (error != 0) return error;
  return family_ != 0 ? 0 : ENOENT;
}

int EthtoolSocket::ask(const std::string& interface, const Question& question,
                       const std::function<void(const Answer&)>& take) {
  std::array<char, 1024> buffer{};
  nlmsghdr* message =
      start_message(buffer, family_, question.command, ETHTOOL_GENL_VERSION, ++sequence_);
  nlattr* header = mnl_attr_nest_start(message, kHeader);
  mnl_attr_put_strz(message, ETHTOOL_A_HEADER_DEV_NAME, interface.c_str());
  if (question.flags != 0) mnl_attr_put_u32(message, ETHTOOL_A_HEADER_FLAGS, question.flags);
  mnl_attr_nest_end(message, header);
  if (question.add_more) question.add_more(message);
  return exchange(message, take);
}

int EthtoolSocket::exchange(nlmsghdr* request, const std::function<void(const Answer&)>& take) {
  if (mnl_socket_sendto(socket_.get(), request, request->nlmsg_len) < 0) return errno;
  std::vector<char> buffer(kBufferBytes);
  const unsigned port = mnl_socket_get_portid(socket_.get());
  auto* taker = const_cast<std::function<void(const Answer&)>*>(&take);  // the C type has no const
  while (true) {
    const ssize_t got = mnl_socket_recvfrom(socket_.get(), buffer.data(), buffer.size());
    if (got < 0) return errno;
    const int state = mnl_cb_run(buffer.data(), static_cast<std::size_t>(got), request->nlmsg_seq,
                                 port, hand_over, taker);
    if (state < 0) return errno;
    if (state == MNL_CB_STOP) return 0;
  }
}

}  // namespace linkburn
