// The part of section analysis that looks beyond the measured numbers of devices: plain data.
// Contract: `version: 1` of study files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/text/quantity.h"

namespace scalestudy {

// The time that messages of a ring take: either measured by a collective study, or declared.
struct CommunicationSource {
  std::string study;           // of the same results folder, with law alpha_beta; empty: declared
  std::string group;           // which of its curves, as reports name it; empty: the only one
  double hop_latency_s = 0.0;  // latency of one message between neighbours; > 0 where declared
  double bytes_per_second = 0.0;  // rate between neighbours; > 0 where declared
  double bytes = 0.0;             // all-reduced by a step; 0: as trials report it (wire_bytes)
  std::string source;
  std::string date;  // 2026-11-01
};

// A request for step times on more devices than were measured. They are given only if the law
// predicts held-out numbers of devices well enough.
struct ProjectionRequest {
  std::vector<std::int64_t> to;  // numbers of devices, ascending
  std::int64_t hold_out = 0;     // how many of the largest counts; 0: all above half the largest
  std::int64_t devices_per_node = 0;  // 0: not said
};

// A calculation of weak scaling from declared constants alone.
struct Scenario {
  std::string name;
  std::vector<std::int64_t> devices;  // ascending
  double compute_s = 0.0;             // computation of one step on one device
  double bytes = 0.0;                 // size of the gradients
  double hop_latency_s = 0.0;
  double bytes_per_second = 0.0;
  std::int64_t batch_per_device = 0;
  bool is_hidden = false;  // communication overlaps computation as far as it can; else follows it
  std::string source;
  std::string date;
};

// A rate of failures, by which measured checkpoints and restarts become a scenario.
struct FailureRate {
  double per_device_hour = 0.0;  // > 0
  std::string source;
  std::string date;

  // Mean time between failures of a system of so many devices, s.
  double mtbf_s(std::int64_t devices) const {
    return kSecondsAnHour / (per_device_hour * static_cast<double>(devices));
  }
};

}  // namespace scalestudy
