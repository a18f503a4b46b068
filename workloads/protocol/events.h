// Events of the trial protocol, version 1. Grammar, units and an example: FORMAT.md.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace scalestudy::protocol {

inline constexpr int kProtocolVersion = 1;

// First event. `parameters` are the effective ones, after defaults; `facts` are numbers of this
// program and model that do not vary over steps (parameter_count, flop_per_sample, gradient_bytes,
// bucket_count, tail_bucket_bytes, peak_bytes, threads, affinity_cores ...).
struct Start {
  std::string workload;
  int ranks = 0;  // >= 1
  std::map<std::string, std::string> parameters;
  std::map<std::string, double> facts;
  std::map<std::string, std::string> versions;  // library -> version, e.g. {"onednn": "2.6.3"}
};

// The trial entered a phase: "warmup", "measure", "teardown". Set-up is what comes before `start`.
struct Phase {
  std::string name;
};

// All values of one metric, warm-up first, in step order.
struct Samples {
  std::string metric;          // "step_time_s"
  std::string unit;            // "s"
  std::optional<int> rank;     // absent: over all ranks (step time: the maximum)
  int warmup = 0;              // how many of the leading values are warm-up
  std::vector<double> values;  // NaN in the warm-up: missing, from output without the protocol
};

// A correctness check the workload made; one that did not pass invalidates the trial.
struct Check {
  std::string name;  // "replicas_equal", "loss_finite"
  bool passed = false;
  std::string detail;
};

// Last event of a complete file.
struct End {
  bool ok = false;
  std::string message;                       // the error when not ok
  std::map<std::string, double> facts = {};  // like those of `start`, known only now
};

using Event = std::variant<Start, Phase, Samples, Check, End>;

}  // namespace scalestudy::protocol
