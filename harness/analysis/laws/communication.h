// What a step sends by first principles, and what a ring takes to send it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "harness/analysis/observe/observation.h"
#include "harness/store/store.h"

namespace scalestudy {

// Of a ring's messages between neighbours: measured by a collective study, or declared.
struct RingCosts {
  double hop_latency_s = 0.0;
  double bytes_per_second = 0.0;  // > 0
  std::string said;               // "2.0 µs and 5.0 GB/s a hop, measured by study allreduce-sweep"
};

// What the workload of one cell says, by its first trial that says it.
using StepFacts = std::map<std::string, double>;

struct Communication {
  std::optional<RingCosts> ring;
  std::string missing;                      // why there are none; "" where none are asked for
  std::map<std::int64_t, StepFacts> facts;  // by cell
};

// The study's analysis.communication. Of a collective study: alpha and bandwidth of its curve,
// whose all-reduce on N0 ranks takes 2 (N0 - 1) hops and moves 2 (N0 - 1)/N0 of a message.
Communication find_communication(const Store& store,
                                 const StudyObservation& observation,
                                 const Study& study);

// What each rank sends in a step on N ranks, by the ring that moves the least: rounds (N - 1)/N of
// `bytes`, in rounds (N - 1) hops a bucket. Two rounds sum (scatter and gather); fsdp gathers
// parameters once more (docs/architecture.md names the layers; METHODS.md, First principles).
struct StepVolume {
  double bytes = 0.0;    // of gradients, in the type they travel in
  double rounds = 2.0;   // 2, or 3 with fsdp
  double buckets = 1.0;  // messages one after the other

  double sent_bytes(double devices) const { return rounds * (devices - 1.0) / devices * bytes; }
  double time_s(const RingCosts& ring, double devices) const {
    return rounds * (devices - 1.0) * buckets * ring.hop_latency_s +
           sent_bytes(devices) / ring.bytes_per_second;
  }
};

// Of a cell of several devices. Absent where it cannot be said: a compression sends something else,
// shards are gathered in another type than gradients travel in, stages of a pipeline sum no
// gradients, or the workload does not tell how much it sends and the study does not declare it.
//   padded  by what the workload says it sends (wire_bytes), padding included; else by the number
//           of parameters and the bytes of their type.
std::optional<StepVolume> volume_of(const CellObservation& cell,
                                    const Study& study,
                                    const Communication& communication,
                                    bool padded);

// K(N) of a curve: of the volume of its largest cell that has trials. Empty where costs or volume
// are not known.
std::function<double(double devices)> communication_time(std::vector<const CellObservation*> cells,
                                                         const Study& study,
                                                         const Communication& communication);

}  // namespace scalestudy
