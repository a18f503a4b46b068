#include "harness/analysis/laws/communication.h"

#include <algorithm>
#include <set>

#include "harness/analysis/cells/groups.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/study/parameters/strategies.h"
#include "harness/study/parse.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/quantity.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

std::string say_costs(double latency_s, double bytes_per_second, const std::string& origin) {
  return format_plain(1e6 * latency_s) + " µs and " + format_plain(1e-9 * bytes_per_second) +
         " GB/s per hop, " + origin;
}

// The rows of the curve that is asked for, or why there is no such curve.
std::string pick_curve(const CommunicationSource& source, std::vector<LawRow>& rows) {
  std::erase_if(rows, [](const LawRow& row) { return row.law != Law::kAlphaBeta; });
  std::set<std::string> groups;
  for (const LawRow& row : rows) {
    groups.insert(row.group_label);
  }
  const std::string study = "study " + source.study;
  const std::vector<std::string> names(groups.begin(), groups.end());
  if (groups.empty()) {
    return study + " has no result of law alpha_beta; make its report first";
  }
  if (source.group.empty() && groups.size() > 1) {
    return study + " has " + format_count(static_cast<std::int64_t>(groups.size()), "curve") +
           "; name one as analysis.communication.group: " + join(names, " or ");
  }
  const std::string wanted = source.group.empty() ? *groups.begin() : source.group;
  std::erase_if(rows, [&](const LawRow& row) { return row.group_label != wanted; });
  return rows.empty() ? study + " has no curve " + source.group + "; it has " + join(names, ", ")
                      : "";
}

std::optional<double> value_of(const std::vector<LawRow>& rows, const std::string& parameter) {
  const auto found = std::ranges::find(rows, parameter, &LawRow::parameter);
  return found == rows.end() ? std::nullopt : found->value;
}

// The devices that all cells have; 0 where they differ.
double common_devices(const std::vector<CellRow>& cells) {
  const bool is_one = !cells.empty() && std::ranges::all_of(cells, [&](const CellRow& cell) {
    return cell.devices == cells.front().devices;
  });
  return is_one ? static_cast<double>(cells.front().devices) : 0.0;
}

// Of the trials that a law was fitted to.
std::vector<CellRow> cells_of(const LawRow& law, const Store& store, std::int64_t study_id) {
  std::set<std::int64_t> ids;
  for (const TrialRow& trial : store.trials(study_id)) {
    if (std::ranges::find(law.trials, trial.id) != law.trials.end()) {
      ids.insert(trial.cell_id);
    }
  }
  std::vector<CellRow> cells = store.cells(study_id);
  std::erase_if(cells, [&](const CellRow& cell) { return !ids.contains(cell.id); });
  return cells;
}

// What they all measured, a default counted; of a command that does not say it an all-reduce. Empty
// where they differ.
std::string operation_of(const std::vector<CellRow>& cells, const Study& study) {
  std::set<std::string> operations;
  for (const CellRow& cell : cells) {
    const std::string text =
        effective_text(cell, effective_parameters(cell, study), names::kOperation);
    operations.insert(text.empty() ? "all_reduce" : text);
  }
  return operations.size() == 1 ? *operations.begin() : "";
}

std::set<std::string> hosts_of(const Store& store, std::int64_t study_id) {
  std::set<std::string> hosts;
  for (const SessionRow& session : store.sessions(study_id)) {
    hosts.insert(session.host);
  }
  hosts.erase("");  // of older stores
  return hosts;
}

// " on b" if the study that is told of ran elsewhere; else "".
std::string say_other_hosts(const std::set<std::string>& own, const std::set<std::string>& other) {
  return own == other || own.empty() || other.empty()
             ? ""
             : " on " + list_some(std::vector<std::string>(other.begin(), other.end()));
}

void measured_costs(const Store& store,
                    const CommunicationSource& source,
                    std::int64_t own_id,
                    Communication& found) {
  const std::optional<StudyRow> study = store.find_study(source.study);
  if (!study) {
    found.missing = "there is no study " + source.study + " in " + store.results_folder().string();
    return;
  }
  const Study declared = parse_stored_study(study->source_text, study->source_path);
  const std::string emulated =
      "study " + source.study + " is emulated, and not mixed with measured times";
  if (is_emulated(declared)) {
    found.missing = emulated;
    return;
  }
  std::vector<LawRow> rows = store.results(study->id).laws;
  found.missing = pick_curve(source, rows);
  // A `command` does not declare what its program says of itself.
  if (std::ranges::find(rows, Provenance::kEmulated, &LawRow::provenance) != rows.end()) {
    found.missing = emulated;
  }
  if (!found.missing.empty()) {
    return;
  }
  const auto alpha_s = value_of(rows, "alpha_s");
  const auto bandwidth = value_of(rows, "bandwidth_bytes_per_s");
  const std::vector<CellRow> cells = cells_of(rows.front(), store, study->id);
  const double devices = common_devices(cells);
  const std::string operation = operation_of(cells, declared);
  if (operation != "all_reduce") {
    found.missing = "study " + source.study + " measured " +
                    (operation.empty() ? "several operations" : operation) +
                    "; an all_reduce is needed";
  } else if (!alpha_s || !bandwidth || !(*alpha_s > 0.0)) {
    found.missing = "study " + source.study + ": " + rows.front().finding;
  } else if (devices < 2.0) {
    found.missing = "study " + source.study + " has no one number of devices, 2 or more";
  } else {
    const double hops = 2.0 * (devices - 1.0);
    found.ring = RingCosts{.hop_latency_s = *alpha_s / hops,
                           .bytes_per_second = *bandwidth * hops / devices,
                           .said = ""};
    found.ring->said =
        say_costs(found.ring->hop_latency_s,
                  found.ring->bytes_per_second,
                  "measured by study " + source.study +
                      say_other_hosts(hosts_of(store, own_id), hosts_of(store, study->id)));
  }
}

std::map<std::int64_t, StepFacts> read_facts(const Store& store,
                                             const StudyObservation& observation) {
  std::map<std::int64_t, StepFacts> facts;
  for (const char* name :
       {names::kBucketCount, names::kParameterCount, names::kTrafficBytes, names::kWireBytes}) {
    const auto telemetry = store.telemetry(observation.study.id, name);
    for (const CellObservation& cell : observation.cells) {
      for (const TrialObservation& trial : cell.trials) {
        if (const auto told = telemetry.find(trial.row.id); told != telemetry.end()) {
          facts[cell.row.id].emplace(name, told->second.front().value);
        }
      }
    }
  }
  return facts;
}

double bytes_of_type(const std::string& type) {
  return type == "fp64" ? 8.0 : type == "bf16" || type == "fp16" ? 2.0 : 4.0;
}

std::optional<double> fact_of(const StepFacts& facts, const std::string& name) {
  const auto found = facts.find(name);
  return found == facts.end() || !(found->second > 0.0) ? std::nullopt
                                                        : std::optional(found->second);
}

}  // namespace

Communication find_communication(const Store& store,
                                 const StudyObservation& observation,
                                 const Study& study) {
  Communication found;
  found.facts = read_facts(store, observation);
  const auto& source = study.analysis.communication;
  if (source && !source->study.empty() && is_emulated(observation, study)) {
    found.missing = "what study " + source->study +
                    " measured is not mixed with emulated times; declare hop_latency and "
                    "bytes_per_second";
  } else if (source && !source->study.empty()) {
    measured_costs(store, *source, observation.study.id, found);
  } else if (source) {
    const std::string origin =
        "declared" +
        (source->source.empty()
             ? ""
             : " (" + source->source + (source->date.empty() ? "" : ", ") + source->date + ")");
    found.ring =
        RingCosts{.hop_latency_s = source->hop_latency_s,
                  .bytes_per_second = source->bytes_per_second,
                  .said = say_costs(source->hop_latency_s, source->bytes_per_second, origin)};
  }
  return found;
}

std::optional<StepVolume> volume_of(const CellObservation& cell,
                                    const Study& study,
                                    const Communication& communication,
                                    bool padded) {
  const EffectiveParameters effective = effective_parameters(cell.row, study);
  const auto text = [&](const char* name) { return effective_text(cell.row, effective, name); };
  if (text(names::kComm) == "noop" || text("payload") == "element") {
    return std::nullopt;
  }
  StepVolume volume;
  const auto found = communication.facts.find(cell.row.id);
  const StepFacts facts = found == communication.facts.end() ? StepFacts() : found->second;
  const StrategyInfo* strategy = strategy_of(text(names::kStrategy));
  if (strategy != nullptr) {
    volume.rounds = strategy->ring_rounds;
  }
  if (volume.rounds == 0.0) {
    return std::nullopt;
  }
  volume.buckets = fact_of(facts, names::kBucketCount).value_or(1.0);
  const auto& declared = study.analysis.communication;
  if (padded && declared && declared->bytes > 0.0) {
    volume.bytes = declared->bytes;
    return volume;
  }
  if (strategy == nullptr) {
    return std::nullopt;
  }
  const std::string share = text("topk");
  const bool has_two_types =  // gradients in one, what is gathered in the other
      strategy->sharding != Sharding::kNone && !text(names::kCommDtype).empty() &&
      text(names::kCommDtype) != text(names::kPrecision);
  if ((!share.empty() && share != "0") || text("reshard_after_forward") == "false" ||
      !strategy->sends_all_gradients() || has_two_types) {
    return std::nullopt;
  }
  const auto told = fact_of(facts, names::kWireBytes);
  const auto parameters = fact_of(facts, names::kParameterCount);
  if (padded && told) {
    volume.bytes = *told;
    return volume;
  }
  const std::string type =
      text(names::kCommDtype).empty() ? text(names::kPrecision) : text(names::kCommDtype);
  if (padded || !parameters || type.empty()) {
    return std::nullopt;
  }
  volume.bytes = *parameters * bytes_of_type(type);
  return volume;
}

std::function<double(double devices)> communication_time(std::vector<const CellObservation*> cells,
                                                         const Study& study,
                                                         const Communication& communication) {
  std::erase_if(cells, [](const CellObservation* cell) { return cell->trials.empty(); });
  const auto largest = std::ranges::max_element(
      cells, {}, [](const CellObservation* cell) { return cell->row.devices; });
  if (!communication.ring || largest == cells.end()) {
    return {};
  }
  const std::optional<StepVolume> volume = volume_of(**largest, study, communication, true);
  if (!volume) {
    return {};
  }
  return [volume = *volume, ring = *communication.ring](double devices) {
    return volume.time_s(ring, devices);
  };
}

}  // namespace scalestudy
