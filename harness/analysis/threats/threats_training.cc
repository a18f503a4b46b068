// Threats from how the built-in training communicates and what it trains on.
#include <algorithm>
#include <string>

#include "harness/analysis/cells/groups.h"
#include "harness/analysis/threats/threats.h"
#include "harness/store/cell_name.h"
#include "harness/study/parameters/interconnect.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

constexpr const char* kThreadCores = "communication_thread_cores";  // facts of train
constexpr const char* kDataThreadCores = "data_thread_cores";
constexpr double kLearnedLoss = 0.01;

// "2 of 5 cells" for those that `is_meant` says, first of all; "" for none.
template <typename IsMeant>
std::string count_cells(const StudyObservation& observation, const IsMeant& is_meant) {
  const auto count = std::ranges::count_if(observation.cells, is_meant);
  if (count == 0) {
    return "";
  }
  return std::to_string(count) + " of " +
         format_count(static_cast<std::int64_t>(observation.cells.size()), "cell") +
         name_first(count, describe_cell(std::ranges::find_if(observation.cells, is_meant)->row));
}

// In some trial, by the metric of that name.
template <typename IsMeant>
bool has_trial(const CellObservation& cell, const char* metric, const IsMeant& is_meant) {
  return std::ranges::any_of(cell.trials, [&](const TrialObservation& trial) {
    const auto found = trial.metrics.find(metric);
    return found != trial.metrics.end() && is_meant(found->second);
  });
}

//   fact  how many cores its thread has to itself
bool shares_cores(const CellObservation& cell, const char* fact) {
  return has_trial(cell, fact, [](const TrialMetric& cores) { return cores.mean < 1.0; });
}

// In shared memory sums are the same with and without overlap.
bool lacks_poll_control(const StudyObservation& observation, const CellObservation& cell) {
  return cell.row.role == CellRole::kMeasured && cell.row.devices > 1 &&
         parameter_text(cell.row, names::kOverlap) == "poll" &&
         parameter_text(cell.row, names::kComm) != "shm" &&
         std::ranges::none_of(observation.cells, [&](const CellObservation& control) {
           return control.row.role == CellRole::kStartWait &&
                  control.row.control_of == cell.row.hash;
         });
}

// From its baseline: in the size of messages, and in whether they overlap.
bool differs_twice(const StudyObservation& observation, const CellObservation& cell) {
  const CellObservation* base = observation.find_cell(cell.row.baseline);
  if (cell.row.role != CellRole::kMeasured || base == nullptr || cell.row.devices == 1 ||
      base->row.devices == 1) {
    return false;
  }
  return parameter_text(cell.row, names::kStrategy) !=
             parameter_text(base->row, names::kStrategy) &&
         parameter_text(cell.row, names::kOverlap) != parameter_text(base->row, names::kOverlap);
}

bool is_above_zero(const CellRow& cell, const std::string& name) {
  return axis_number(cell, name).value_or(0.0) > 0.0;
}

// Of a few batches: over epochs of many samples a small loss is what training is for.
bool has_learned_by_heart(const CellObservation& cell) {
  return !is_above_zero(cell.row, "train_samples") && parameter_text(cell.row, "data") != "file" &&
         has_trial(
             cell, names::kLoss, [](const TrialMetric& loss) { return loss.last < kLearnedLoss; });
}

// Of cells whose samples are read from a file.
void add_input(const StudyObservation& observation, std::vector<ThreatRow>& threats) {
  const std::string sharing = count_cells(observation, [](const CellObservation& cell) {
    return shares_cores(cell, kDataThreadCores);
  });
  if (!sharing.empty()) {
    threats.push_back(
        {ThreatKind::kCommunicationThread,
         Severity::kWarning,
         sharing + " read ahead (data_prefetch) on the cores that compute, or on one with the "
                   "thread of overlap: thread: there was no core for it alone, so that "
                   "waiting for storage can be hidden; decoding cannot, and its time is in "
                   "the phases that compute or communicate."});
  }
  const std::string emulated = count_cells(observation, [](const CellObservation& cell) {
    return parameter_text(cell.row, "data") == "file" && is_above_zero(cell.row, "decode_us");
  });
  if (!emulated.empty()) {
    threats.push_back({ThreatKind::kEmulated,
                       Severity::kWarning,
                       emulated +
                           " are emulated: each sample is decoded again until that has taken "
                           "decode_us. What they wait for is an input that costs just so much."});
  }
}

// Adds the threat, unless no cells are meant ("").
void add(std::vector<ThreatRow>& threats,
         ThreatKind kind,
         Severity severity,
         const std::string& cells,
         const char* text) {
  if (!cells.empty()) {
    threats.push_back({kind, severity, cells + text});
  }
}

// Of what is declared in place of the machine's own: times of layers, a slow device, nodes.
void add_emulated(const StudyObservation& observation, std::vector<ThreatRow>& threats) {
  add(threats,
      ThreatKind::kEmulated,
      Severity::kWarning,
      count_cells(observation,
                  [](const CellObservation& cell) {
                    return parameter_text(cell.row, kCompute) == "declared";
                  }),
      " are emulated: their ranks sleep for declared times instead of computing (compute: "
      "declared). The numbers show what the study's method makes of a known answer, and nothing "
      "about a machine.");
  add(threats,
      ThreatKind::kEmulated,
      Severity::kWarning,
      count_cells(
          observation,
          [](const CellObservation& cell) { return is_above_zero(cell.row, "straggler_ms"); }),
      " are emulated: one rank sleeps in each step (straggler_ms). Their times are of a device "
      "that "
      "is slow in just that way.");
  add(threats,
      ThreatKind::kEmulated,
      Severity::kWarning,
      count_cells(observation,
                  [](const CellObservation& cell) {
                    return is_above_zero(cell.row, names::kVirtualNodeRanks);
                  }),
      " are emulated: their nodes are ranks of one machine (virtual_node_ranks). Whether an "
      "all-reduce over nodes is faster or slower there says nothing about a network.");
}

}  // namespace

std::vector<ThreatRow> training_threats(const StudyObservation& observation, const Study& study) {
  std::vector<ThreatRow> threats;
  add(threats,
      ThreatKind::kEmulated,
      Severity::kWarning,
      count_cells(observation,
                  [&](const CellObservation& cell) {
                    return study.workload != Workload::kCommand && cell.row.devices > 1 &&
                           is_above_zero(cell.row, kInterconnectBandwidth);
                  }),
      " are emulated: their ranks are network namespaces of one machine, joined by links of a "
      "declared rate (interconnect.bandwidth), whose work is done by the cores that compute. Their "
      "times are of such links, and of no network.");
  if (study.workload != Workload::kTrain) {
    return threats;
  }
  add(threats,
      ThreatKind::kCommunicationThread,
      Severity::kWarning,
      count_cells(observation,
                  [](const CellObservation& cell) { return shares_cores(cell, kThreadCores); }),
      " ran the communication thread of overlap: thread on the cores that compute, or on one core "
      "with the thread that reads ahead (data_prefetch). It had no core for itself, so its gain is "
      "that of a fully loaded machine.");
  add(threats,
      ThreatKind::kOverlapAlgorithm,
      Severity::kNote,
      count_cells(
          observation,
          [&](const CellObservation& cell) { return lacks_poll_control(observation, cell); }),
      " overlap by poll, whose MPI_Iallreduce sums by another algorithm than the blocking call of "
      "overlap none and thread. Their difference contains both effects; controls: [start_wait] "
      "separates them.");
  add(threats,
      ThreatKind::kSeveralDifferences,
      Severity::kWarning,
      count_cells(observation,
                  [&](const CellObservation& cell) { return differs_twice(observation, cell); }),
      " differ from their baseline in the size of messages (strategy) and in overlap, so the "
      "difference contains both effects. Compare ddp_serial with ddp at overlap none for the size, "
      "and ddp with itself for overlap.");
  add(threats,
      ThreatKind::kLearnedByHeart,
      Severity::kNote,
      count_cells(observation, has_learned_by_heart),
      " ended with a loss below 0.01: the training data are a few batches that repeat, and long "
      "runs learn them by heart, so the last steps have almost no gradients. Times do not "
      "depend on the values: denormals count as zero.");
  add_emulated(observation, threats);
  add_input(observation, threats);
  return threats;
}

}  // namespace scalestudy
