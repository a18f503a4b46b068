// What of a study's analysis looks beyond the measured counts of devices: plain data. Contract:
// `version: 1` of study files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace scalestudy {

// What a ring's messages take: either measured by a collective study, or declared.
struct CommunicationSource {
  std::string study;           // of the same results folder, with law alpha_beta; empty: declared
  std::string group;           // which of its curves, as reports name it; empty: the only one
  double hop_latency_s = 0.0;  // > 0 where declared: of one message between neighbours
  double bytes_per_second = 0.0;  // > 0 where declared: between neighbours
  double bytes = 0.0;             // all ranks sum them in a step; 0: what trials say (wire_bytes)
  std::string source;
  std::string date;  // 2026-11-01
};

// Times on more devices than were measured, behind a gate.
struct ProjectionRequest {
  std::vector<std::int64_t> to;       // numbers of devices, ascending
  std::int64_t hold_out = 0;          // of the largest counts; 0: those above half of the largest
  std::int64_t devices_per_node = 0;  // 0: not said
};

// A calculation from declared constants alone, of weak scaling.
struct Scenario {
  std::string name;
  std::vector<std::int64_t> devices;  // ascending
  double compute_s = 0.0;             // of a step of one device
  double bytes = 0.0;                 // of gradients
  double hop_latency_s = 0.0;
  double bytes_per_second = 0.0;
  std::int64_t batch_per_device = 0;
  bool is_hidden = false;  // behind computation, as far as it goes; else after it
  std::string source;
  std::string date;
};

// A rate of failures, by which measured checkpoints and restarts become a scenario.
struct FailureRate {
  double per_device_hour = 0.0;  // > 0
  std::string source;
  std::string date;

  // Mean time between failures of so many devices, s.
  double mtbf_s(std::int64_t devices) const {
    return 3600.0 / (per_device_hour * static_cast<double>(devices));
  }
};

}  // namespace scalestudy
