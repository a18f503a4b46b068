#include "harness/study/matrix/matrix_checks.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/study/declared/varied_names.h"
#include "harness/study/parameters/environment.h"
#include "harness/study/parameters/interconnect.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"
#include "workloads/parameters/combinations.h"
#include "workloads/parameters/parameters.h"

namespace scalestudy {
namespace {

void check_divisible(const Matrix& matrix) {
  std::vector<std::string> uneven_batches;
  std::vector<std::string> uneven_nodes;
  for (const Cell& cell : matrix.cells) {
    if (cell.batch_global.has_value() != cell.batch_per_device.has_value()) {
      uneven_batches.push_back(fmt::format("{} (batch_global={}, devices={})",
                                           cell.label,
                                           cell.batch_global.value_or(0),
                                           cell.devices));
    }
    if (cell.devices % cell.nodes != 0) {
      uneven_nodes.push_back(
          fmt::format("{} (devices={}, nodes={})", cell.label, cell.devices, cell.nodes));
    }
  }
  if (!uneven_batches.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("batch_global must be divisible by devices; it is not in: {}. Choose "
                            "other values, or exclude these cells",
                            list_some(uneven_batches)));
  }
  if (!uneven_nodes.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("devices counts those of all nodes and must be divisible by nodes; it "
                            "is not in: {}",
                            list_some(uneven_nodes)));
  }
}

// What the cell's parameters are for the workload, the steps among them.
std::map<std::string, std::string> workload_values(const Study& study, const Cell& cell) {
  std::map<std::string, std::string> values;
  for (const auto& [name, effective] : cell.effective) {
    values[name] = format_value(effective.value);
  }
  if (cell.batch_per_device) {
    values[names::kBatchPerDevice] = std::to_string(*cell.batch_per_device);
  }
  values[names::kWarmupSteps] = std::to_string(study.steps.warmup);
  if (!study.steps.is_open) {
    values[names::kMeasuredSteps] = std::to_string(study.steps.measured);
  }
  values[names::kWarmupTime] = fmt::format("{}", study.steps.warmup_time_s);
  values[names::kMeasuredTime] = fmt::format("{}", study.steps.measured_time_s);
  return values;
}

// Epochs say how many steps are left to measure, and nothing else does of `train`.
std::string check_rest(const Study& study, const Cell& cell) {
  const auto epochs = effective_value(cell.effective, names::kEpochs);
  const bool has_epochs = epochs && format_value(*epochs) != "0";
  if (study.workload != Workload::kTrain || has_epochs == study.steps.is_open) {
    return "";
  }
  return has_epochs ? "epochs say how many steps are measured; write steps: {measured: rest}"
                    : "steps.measured is rest, which epochs would say; give epochs";
}

// Ranks that share memory are on one machine, and use no link of it.
std::string check_shared(const Cell& cell, bool has_links) {
  const Value shm = std::string("shm");
  if (effective_value(cell.effective, names::kComm) != shm) {
    return "";
  }
  return cell.nodes > 1
             ? "comm shm cannot be combined with several nodes: ranks share the memory of one; "
               "use mpi"
         : has_links ? "comm shm cannot be combined with interconnect.bandwidth: nothing crosses "
                       "the links; "
                       "use mpi"
                     : "";
}

// Links are of ranks on this machine that send by MPI.
std::string check_links(const Cell& cell) {
  const auto text = [&](const char* name) {
    const auto value = effective_value(cell.effective, name);
    return value ? format_value(*value) : "0";
  };
  const auto number = [&](const char* name) {
    const auto value = effective_value(cell.effective, name);
    return (value ? number_of(*value) : std::nullopt).value_or(0.0);
  };
  const bool has_links = number(kInterconnectBandwidth) != 0.0;
  const double node_ranks = std::max(1.0, number(names::kVirtualNodeRanks));
  if (text("failure") == "link_down" &&
      (!has_links || static_cast<double>(cell.devices) <= node_ranks)) {
    return has_links ? "failure link_down ends a link, and a node alone has none; give more devices"
                     : "failure link_down ends an emulated link; give interconnect.bandwidth";
  }
  if (std::string wrong = check_shared(cell, has_links); !wrong.empty()) {
    return wrong;
  }
  if (!has_links) {
    return number(kInterconnectDelay) == 0.0
               ? ""
               : "interconnect.delay is that of links; give interconnect.bandwidth, too";
  }
  if (text(names::kBackend) == "cuda") {
    return "interconnect.bandwidth cannot be combined with backend cuda: NCCL takes no such links; "
           "use "
           "cpu";
  }
  return cell.nodes == 1
             ? ""
             : "interconnect.bandwidth cannot be combined with several nodes: it makes its own "
               "of this machine";
}

// Nodes of which nothing in the cell knows: no all-reduce, no link (of another cell at least, along
// the axis of rates) and no failure (likewise, where there is a step to fail at).
std::string check_nodes(const Cell& cell, bool has_linked_cells) {
  const auto is = [&](const char* name, const Value& value) {
    return effective_value(cell.effective, name).value_or(value) == value;
  };
  const bool knows_nodes = has_linked_cells || is("allreduce", std::string("hierarchical")) ||
                           !is("failure_step", std::int64_t{0});
  return knows_nodes || is(names::kVirtualNodeRanks, std::int64_t{0})
             ? ""
             : "virtual_node_ranks is " +
                   format_value(*effective_value(cell.effective, names::kVirtualNodeRanks)) +
                   ", but allreduce flat knows no nodes; use allreduce hierarchical, or links "
                   "between nodes (interconnect.bandwidth)";
}

void check_combinations(const Study& study, const Matrix& matrix) {
  const bool has_linked_cells = std::ranges::any_of(matrix.cells, [](const Cell& cell) {
    return effective_value(cell.effective, kInterconnectBandwidth).value_or(0.0) != Value(0.0);
  });
  std::map<std::string, std::vector<std::string>> labels_of;  // by what is wrong with them
  for (const Cell& cell : matrix.cells) {
    std::string wrong = check_rest(study, cell);
    if (wrong.empty() && study.workload != Workload::kCommand) {
      wrong = check_links(cell);
    }
    if (wrong.empty()) {
      wrong = check_nodes(cell, has_linked_cells);
    }
    if (wrong.empty()) {
      wrong = protocol::check_combination(to_word(study.workload), workload_values(study, cell));
    }
    if (!wrong.empty()) {
      labels_of[wrong].push_back(cell.label);
    }
  }
  if (labels_of.empty()) {
    return;
  }
  std::vector<std::string> problems;
  problems.reserve(labels_of.size());
  for (const auto& [wrong, labels] : labels_of) {
    problems.push_back(fmt::format("{} (in: {})", wrong, list_some(labels)));
  }
  throw Error(ErrorKind::kUsage, join(problems, ". ") + ". Or exclude these cells");
}

void check_distinct(const Matrix& matrix) {
  std::map<std::string, const Cell*> seen;
  for (const Cell& cell : matrix.cells) {
    const auto [earlier, is_new] = seen.emplace(cell.hash, &cell);
    if (!is_new) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("two cells are equal: \"{}\" and \"{}\" (hash {}); look for a row of "
                              "zip or include that repeats another cell",
                              earlier->second->label,
                              cell.label,
                              cell.hash));
    }
  }
}

// Why no rank of the cell reads the variable: "with backend cpu, since only cuda reads it"; empty
// if one may.
std::string unread_reason(const Cell& cell, const std::string& variable) {
  const auto text = [&](const char* name) {
    return format_value(effective_value(cell.effective, name).value_or(std::string()));
  };
  const auto& known = environment_catalogue().variables;
  const std::string backend = text(names::kBackend);
  if (const auto found = known.find(variable);
      found != known.end() && !found->second.backend.empty() && found->second.backend != backend) {
    return fmt::format("with backend {}, since only {} reads it", backend, found->second.backend);
  }
  const std::string comm =
      text(names::kComm).empty() && backend == "cuda" ? "nccl" : text(names::kComm);
  if (cell.devices == 1 || comm == "noop") {
    return "";
  }
  if (variable.starts_with("NCCL_") && comm != "nccl") {
    return "with backend " + backend + ", since only NCCL reads it and ranks communicate " +
           (comm == "shm" ? "in shared memory" : "by MPI");
  }
  if (!variable.starts_with("OMPI_MCA_") || (comm != "nccl" && comm != "shm")) {
    return "";
  }
  return comm == "nccl"
             ? "with backend cuda, since only Open MPI reads it and ranks communicate by NCCL"
             : "with comm shm, since only Open MPI reads it and ranks communicate in shared memory";
}

// Why the parameters of a built-in workload that are set in measured cells are read in none of
// these: "without data: file", by name.
std::map<std::string, std::string> unread_parameters(const Study& study, const Matrix& matrix) {
  std::map<std::string, std::string> reasons;  // empty: a cell reads it
  for (const Cell& cell : matrix.cells) {
    if (cell.role != CellRole::kMeasured) {
      continue;
    }
    const std::map<std::string, std::string> values = workload_values(study, cell);
    for (const auto& [name, value] : cell.parameters) {
      const std::string reason = protocol::unread_reason(to_word(study.workload), name, values);
      const auto known = reasons.try_emplace(name, reason).first;
      if (reason.empty()) {
        known->second.clear();
      }
    }
  }
  std::erase_if(reasons, [](const auto& reason) { return reason.second.empty(); });
  return reasons;
}

// Whether ranks of `train` read the parameter only if there are several of them.
bool is_between_ranks_alone(const std::string& name) {
  const protocol::ParameterInfo* info = protocol::find_parameter("train", name);
  return !is_environment_parameter(name) && is_communication_parameter(Workload::kTrain, name) &&
         !(info != nullptr && info->slows_alone);
}

// Varied parameters of `train` that matter between ranks alone, while their cells have one device.
std::vector<std::string> idle_axes(const Study& study, const Matrix& matrix) {
  std::map<std::string, bool> is_idle;  // by name, so far
  for (const Cell& cell : matrix.cells) {
    for (const auto& [name, value] : cell.varied) {
      if (study.workload == Workload::kTrain && cell.role == CellRole::kMeasured &&
          is_between_ranks_alone(name)) {
        const auto known = is_idle.try_emplace(name, true).first;
        known->second = known->second && cell.devices == 1;
      }
    }
  }
  std::vector<std::string> sentences;
  for (const auto& [name, idle] : is_idle) {
    if (idle) {
      sentences.push_back(name + " changes nothing, since its cells have one device");
    }
  }
  return sentences;
}

}  // namespace

void check_cells(const Study& study, const Matrix& matrix) {
  check_distinct(matrix);
  check_divisible(matrix);
  check_combinations(study, matrix);
}

void check_settings(const Study& study, const Matrix& matrix) {
  const std::set<std::string> varied = varied_names(study);
  for (const auto& [name, reason] : unread_parameters(study, matrix)) {
    if (varied.contains(name)) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{} would change nothing {}. Leave it out, or {} that",
                              name,
                              reason,
                              reason.starts_with("without") ? "set" : "change"));
    }
  }
  std::map<std::string, std::vector<const Cell*>> setting;  // cells by the variable they set
  for (const Cell& cell : matrix.cells) {
    for (const auto& [name, value] : cell.parameters) {
      const bool is_set = is_environment_parameter(name) && value != Value(kDefaultValue);
      if (is_set && cell.varied.contains(name) && cell.role == CellRole::kMeasured) {
        setting[name].push_back(&cell);
      }
    }
  }
  for (const auto& [name, cells] : setting) {
    for (const Cell* cell : cells) {
      if (const std::string reason = unread_reason(*cell, environment_name(name));
          !reason.empty()) {
        throw Error(ErrorKind::kUsage,
                    fmt::format("{} would change nothing {} (in: {}). Leave it out, or exclude "
                                "these cells",
                                name,
                                reason,
                                cell->label));
      }
    }
    const auto is_alone = [](const Cell* cell) { return cell->devices == 1; };
    if (is_communication_variable(environment_name(name)) && std::ranges::all_of(cells, is_alone)) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{} would change nothing, since it matters between ranks and its "
                              "cells have one device. Leave it out, or add devices",
                              name));
    }
  }
}

std::vector<std::string> unread_settings(const Study& study, const Matrix& matrix) {
  std::vector<std::string> sentences;
  for (const auto& [name, reason] : unread_parameters(study, matrix)) {
    sentences.push_back(fmt::format("{} changes nothing {}", name, reason));
  }
  for (const auto& [name, value] : study.parameters) {
    if (study.workload == Workload::kCommand || !is_environment_parameter(name) ||
        value == Value(kDefaultValue)) {
      continue;
    }
    std::vector<std::string> reasons;
    const bool is_of_ranks = is_communication_variable(environment_name(name));
    for (const Cell& cell : matrix.cells) {
      if (!is_of_ranks || cell.devices > 1) {
        reasons.push_back(unread_reason(cell, environment_name(name)));
      }
    }
    if (!reasons.empty() && std::ranges::find(reasons, "") == reasons.end()) {
      sentences.push_back(fmt::format("{} changes nothing {}", name, reasons.front()));
    }
  }
  std::ranges::move(idle_axes(study, matrix), std::back_inserter(sentences));
  return sentences;
}

}  // namespace scalestudy
