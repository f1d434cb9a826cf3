// [linux drivers/pci/pcie/aer.c, aer_correctable_error_string, aer_uncorrectable_error_string and
// aer_stats_dev_attr, as of 6.1]
#include "bench/drill/aer_text.h"

#include <algorithm>
#include <utility>

#include "bench/drill/tree_files.h"

namespace linkburn::drill {
namespace {

struct Name {
  unsigned bit;  ///< of the status register
  std::string_view text;
};

constexpr std::array kCorrectable{
    Name{0, "RxErr"},    Name{6, "BadTLP"},       Name{7, "BadDLLP"},     Name{8, "Rollover"},
    Name{12, "Timeout"}, Name{13, "NonFatalErr"}, Name{14, "CorrIntErr"}, Name{15, "HeaderOF"}};

constexpr std::array kUncorrectable{Name{0, "Undefined"},      Name{4, "DLP"},
                                    Name{5, "SDES"},           Name{12, "TLP"},
                                    Name{13, "FCP"},           Name{14, "CmpltTO"},
                                    Name{15, "CmpltAbrt"},     Name{16, "UnxCmplt"},
                                    Name{17, "RxOF"},          Name{18, "MalfTLP"},
                                    Name{19, "ECRC"},          Name{20, "UnsupReq"},
                                    Name{21, "ACSViol"},       Name{22, "UncorrIntErr"},
                                    Name{23, "BlockedTLP"},    Name{24, "AtomicOpBlocked"},
                                    Name{25, "TLPBlockedErr"}, Name{26, "PoisonTLPBlocked"}};

/// Errors that are fatal unless somebody changed it [PCI Express Base Specification 6.0, 7.8.4.4].
constexpr std::uint32_t kFatal = 0x00462030;

/// The state counts uncorrectable errors together; its status register says of which kind they are.
unsigned kind_of(std::uint32_t status, unsigned otherwise) {
  for (const Name& name : kUncorrectable)
    if ((status >> name.bit & 1U) != 0) return name.bit;
  return otherwise;
}

std::string uncorrectable_text(std::uint64_t count, unsigned kind, std::string_view total) {
  std::string text;
  for (const Name& name : kUncorrectable)
    add_counter_line(text, name.text, name.bit == kind ? count : 0);
  add_counter_line(text, total, count);
  return text;
}

}  // namespace

std::string aer_correctable_text(const ShownErrors& errors) {
  std::string text;
  std::uint64_t total = 0;
  for (const Name& name : kCorrectable) {
    add_counter_line(text, name.text, errors.correctable[name.bit]);
    total += errors.correctable[name.bit];
  }
  add_counter_line(text, "TOTAL_ERR_COR", total);
  return text;
}

std::string aer_nonfatal_text(const ShownErrors& errors) {
  constexpr unsigned kCompletionTimeout = 14;
  const unsigned kind = kind_of(errors.uncorrectable_status & ~kFatal, kCompletionTimeout);
  return uncorrectable_text(errors.nonfatal, kind, "TOTAL_ERR_NONFATAL");
}

std::string aer_fatal_text(const ShownErrors& errors) {
  constexpr unsigned kDataLinkProtocol = 4;
  const unsigned kind = kind_of(errors.uncorrectable_status & kFatal, kDataLinkProtocol);
  return uncorrectable_text(errors.fatal, kind, "TOTAL_ERR_FATAL");
}

}  // namespace linkburn::drill
