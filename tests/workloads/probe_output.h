// What a rank of training_probe wrote.
#pragma once

#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "tests/support/program.h"

namespace scalestudy::test {

struct Probe {
  long calls = -1;
  double bytes = -1.0;         // bytes that the calls summed or gathered
  double traffic = -1.0;       // bytes that a rank has to send for them
  double node_traffic = -1.0;  // bytes of these that leave its node
  double planned_traffic = -2.0;
  long share = -1;  // samples of a step
  long syncs = -1;  // files written to storage before the first step
  long allocations = -1;
  double peak_bytes = -1.0;
  double estimate_bytes = -2.0;
  std::map<std::string, double> memory;  // bytes by part
  std::map<std::string, double> calculated;
  std::vector<double> losses;
  std::vector<double> parameters;
  std::vector<double> reference_losses;
  std::vector<double> reference_parameters;
};

inline Probe read_probe(const std::string& path) {
  Probe probe;
  const std::string text = read_file(path);
  for (const char* at = text.c_str(); *at != '\0'; at += *at == '\n' ? 1 : 0) {
    const std::string key(at, std::strcspn(at, " "));
    char* end = nullptr;
    const double value = std::strtod(at + key.size(), &end);
    at = end;  // of the line
    if (key == "calls") {
      probe.calls = static_cast<long>(value);
    } else if (key == "bytes") {
      probe.bytes = value;
    } else if (key == "traffic") {
      probe.traffic = value;
    } else if (key == "node_traffic") {
      probe.node_traffic = value;
    } else if (key == "planned") {
      probe.planned_traffic = value;
    } else if (key == "share") {
      probe.share = static_cast<long>(value);
    } else if (key == "syncs") {
      probe.syncs = static_cast<long>(value);
    } else if (key == "allocations") {
      probe.allocations = static_cast<long>(value);
    } else if (key == "peak") {
      probe.peak_bytes = value;
    } else if (key == "estimate") {
      probe.estimate_bytes = value;
    } else if (key.starts_with("memory_")) {
      probe.memory[key.substr(7)] = value;
    } else if (key.starts_with("calculated_")) {
      probe.calculated[key.substr(11)] = value;
    } else if (key.starts_with("reference_")) {
      (key == "reference_loss" ? probe.reference_losses : probe.reference_parameters)
          .push_back(value);
    } else {
      (key == "loss" ? probe.losses : probe.parameters).push_back(value);
    }
  }
  return probe;
}

// What each rank wrote into its file OUTPUT.RANK.
inline std::vector<Probe> read_probes(const std::string& output, int ranks) {
  std::vector<Probe> probes;
  for (int rank = 0; rank < ranks; ++rank) {
    probes.push_back(read_probe(output + "." + std::to_string(rank)));
  }
  return probes;
}

// The numbers of all stages in the order of one rank, which has the last layer first.
inline std::vector<double> stage_parameters(const std::vector<Probe>& stages) {
  std::vector<double> all;
  for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage) {
    all.insert(all.end(), stage->parameters.begin(), stage->parameters.end());
  }
  return all;
}

// Removes a copy of so many elements from the parameters of the last stage of a GPT model, which
// starts with a copy of the first stage's token table.
inline std::vector<double> take_table_copy(std::vector<Probe>& stages, std::ptrdiff_t elements) {
  std::vector<double>& last = stages.back().parameters;
  const std::vector<double> copy(last.begin(), last.begin() + elements);
  last.erase(last.begin(), last.begin() + elements);
  return copy;
}

// The token table itself.
inline std::vector<double> table_of(const std::vector<Probe>& stages, std::ptrdiff_t elements) {
  const std::vector<double>& first = stages.front().parameters;
  return {first.end() - elements, first.end()};
}

}  // namespace scalestudy::test
