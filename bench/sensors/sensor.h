// A sensor: something read while a load runs. Sensors of this table run in the supervisor and touch
// only files that end in the PCI core or the kernel log; files that enter a driver are read by
// workers.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "bench/base/clock.h"
#include "bench/base/sysroot.h"
#include "bench/inventory/inventory.h"
#include "report/evidence/writer.h"

namespace linkburn {

/// What the run is doing at the moment of a sample.
struct Moment {
  Phase phase = Phase::idle;
  std::string step;
  Instant now;
};

/// All that a sensor may use. Outlives the sensor.
struct SensorContext {
  const Clock& clock;
  const Sysroot& root;
  const Inventory& inventory;
  EvidenceWriter& evidence;
};

/// Called by one thread at a time. What a sensor cannot read, it says in the evidence.
class Sensor {
 public:
  virtual ~Sensor() = default;

  /// One reading of everything; called once per sampling period. Writes changes and a heartbeat.
  virtual void sample(const Moment& moment) = 0;

  /// A phase begins or ends here: counters are taken and current values written.
  virtual void boundary(const Moment& moment) = 0;
};

struct SensorInfo {
  std::string_view name;     ///< as in table.h
  std::string_view purpose;  ///< one line for the README and doctor
  std::unique_ptr<Sensor> (*make)(const SensorContext& context);
};

}  // namespace linkburn
