// What a step sends by first principles, and the time that a ring takes to send it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "harness/analysis/observe/observation.h"
#include "harness/store/store.h"

namespace scalestudy {

// Costs of a ring's messages between neighbours: measured by a collective study, or declared.
struct RingCosts {
  double hop_latency_s = 0.0;
  double bytes_per_second = 0.0;  // > 0
  std::string said;  // "2.0 µs and 5.0 GB/s per hop, measured by study allreduce-sweep"
};

// What the workload of one cell reports of a step (parameter_count, wire_bytes, traffic_bytes,
// bucket_count), by name; each from the first trial that reports it.
using StepFacts = std::map<std::string, double>;

struct Communication {
  std::optional<RingCosts> ring;
  std::string missing;                      // why `ring` is absent; "" if none is asked for
  std::map<std::int64_t, StepFacts> facts;  // by cell id
};

// Reads the study's analysis.communication. If that names a collective study, the costs follow from
// alpha and bandwidth of its curve, whose all-reduce on N0 ranks takes 2 (N0 - 1) hops and moves
// 2 (N0 - 1)/N0 of a message.
Communication find_communication(const Store& store,
                                 const StudyObservation& observation,
                                 const Study& study);

// What each rank sends in a step on N ranks, by the ring that moves the least: rounds (N - 1)/N of
// `bytes`, in rounds (N - 1) hops a bucket. Two rounds sum (scatter and gather); fsdp gathers
// parameters once more (docs/architecture.md names the layers; METHODS.md, First principles).
struct StepVolume {
  double bytes = 0.0;    // size of the gradients in the type they are sent in
  double rounds = 2.0;   // 2, or 3 with fsdp
  double buckets = 1.0;  // messages sent one after the other

  double sent_bytes(double devices) const { return rounds * (devices - 1.0) / devices * bytes; }
  double time_s(const RingCosts& ring, double devices) const {
    return rounds * (devices - 1.0) * buckets * ring.hop_latency_s +
           sent_bytes(devices) / ring.bytes_per_second;
  }
};

// The volume of a cell of several devices. Absent if its gradients are not sent (comm noop, payload
// element), or if it is not known: a compression sends something else, shards are gathered in
// another type than gradients are sent in, stages of a pipeline sum no gradients, or neither the
// workload reports nor the study declares how much is sent.
// - padded: true: by the bytes that the workload reports (wire_bytes), padding included; false: by
//   the number of parameters and the bytes of their type.
std::optional<StepVolume> volume_of(const CellObservation& cell,
                                    const Study& study,
                                    const Communication& communication,
                                    bool padded);

// K(N), the communication time of a curve on N devices, by the volume of its largest cell that has
// trials. Empty if costs or volume are not known.
std::function<double(double devices)> communication_time(std::vector<const CellObservation*> cells,
                                                         const Study& study,
                                                         const Communication& communication);

}  // namespace scalestudy
