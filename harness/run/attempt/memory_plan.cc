#include "harness/run/attempt/memory_plan.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/scratch_folder.h"
#include "harness/run/command/launch_command.h"
#include "harness/run/outcome/outcome.h"
#include "harness/run/process/trial_files.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/study/parameters/strategies.h"
#include "workloads/names/names.h"
#include "workloads/protocol/exit_codes.h"
#include "workloads/protocol/reader.h"
#include "workloads/protocol/writer.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

// Whether what one rank needs, or what fits it, depends on how many there are.
bool depends_on_devices(const Parameters& parameters) {
  const auto word = parameters.find(names::kStrategy);
  const StrategyInfo* strategy =
      strategy_of(word == parameters.end() ? "" : std::get<std::string>(word->second));
  return parameters.contains("device_memory_gb") ||
         std::any_of(parameters.begin(),
                     parameters.end(),
                     [](const auto& entry) { return takes_memory(entry.first); }) ||
         strategy == nullptr || !strategy->sums_gradients;
}

// The parameters of one rank alone: equal for cells whose ranks need the same memory.
//   has_batch  without it, equal for cells that need more memory with more samples a rank.
Parameters memory_parameters(const Study& study, const Cell& cell, bool has_batch) {
  Parameters parameters = trial_parameters(study, cell);
  std::erase_if(parameters, [&](const auto& entry) {
    return is_communication_parameter(study.workload, entry.first) && !takes_memory(entry.first);
  });
  for (const char* name : {names::kNodes, names::kBatchGlobal, names::kBatchPerDevice}) {
    parameters.erase(name);
  }
  if (!depends_on_devices(parameters)) {
    parameters.erase(names::kDevices);
  }
  if (has_batch && cell.batch_per_device) {
    parameters[names::kBatchPerDevice] = *cell.batch_per_device;
  }
  return parameters;
}

std::string rank_parameters(const Study& study, const Cell& cell, bool has_batch) {
  const Parameters parameters = memory_parameters(study, cell, has_batch);
  return protocol::format_parameters({parameters.begin(), parameters.end()});
}

// Of the cells that differ in batch and communication only, one with most samples a rank.
std::vector<const Cell*> largest_cells(const Study& study, const Matrix& matrix) {
  std::map<std::string, const Cell*> largest;
  for (const Cell& cell : matrix.cells) {
    const std::string alike = fmt::format(
        "{} of {} nodes: {}", cell.devices, cell.nodes, rank_parameters(study, cell, false));
    const Cell*& most = largest.try_emplace(alike, &cell).first->second;
    if (cell.batch_per_device > most->batch_per_device) {
      most = &cell;
    }
  }
  std::vector<const Cell*> cells;
  cells.reserve(largest.size());
  for (const auto& [alike, cell] : largest) {
    cells.push_back(cell);
  }
  return cells;
}

using Facts = std::map<std::string, double>;

// The facts of the program's description; empty when there is none.
Facts describe(const std::string& parameters,
               const std::string& label,
               const fs::path& program,
               Launcher& launcher) {
  constexpr double deadline_s = 60.0;
  const ScratchFolder folder("plan");
  LaunchRequest request;
  request.argv = {program.string(), "--describe"};
  request.environment = {{"SCALESTUDY_PARAMETERS", parameters},
                         {"SCALESTUDY_OUTPUT", folder.file("protocol").string()}};
  request.stdout_path = folder.file("stdout");
  request.stderr_path = folder.file("stderr");
  request.output_path = folder.file("protocol");
  request.timeout_s = deadline_s;
  request.silence_s = deadline_s;
  const std::atomic<bool> stop{false};
  const LaunchResult launch = launcher.launch(request, stop);
  if (launch.exit_code == protocol::kExitUsage) {
    throw Error(ErrorKind::kUsage,
                fmt::format("every trial of {} would be refused: {}",
                            label,
                            last_lines(read_tail(request.stderr_path), 1)));
  }
  const protocol::Record record = protocol::read_record(request.output_path.string());
  for (const protocol::Event& event : record.events) {
    if (const auto* start = std::get_if<protocol::Start>(&event)) {
      return start->facts;
    }
  }
  return {};
}

std::optional<double> fact(const Facts& facts, const std::string& name) {
  const auto found = facts.find(name);
  return found == facts.end() ? std::nullopt : std::optional(found->second);
}

// Those whose names begin so, without the beginning.
std::map<std::string, double> facts_behind(const Facts& facts, const std::string& beginning) {
  std::map<std::string, double> behind;
  for (const auto& [name, value] : facts) {
    if (name.starts_with(beginning)) {
      behind.emplace(name.substr(beginning.size()), value);
    }
  }
  return behind;
}

MemoryNeed need_of(const Cell& cell, const Facts& facts) {
  MemoryNeed need{.label = cell.label,
                  .ranks = cell.devices / cell.nodes,
                  .bytes_per_rank = facts.at("memory_bytes"),
                  .available_bytes = fact(facts, "available_memory_bytes")};
  need.checkpoint_bytes = fact(facts, "checkpoint_memory_bytes").value_or(0.0);
  need.host_available_bytes = fact(facts, "available_host_memory_bytes");
  need.host_bytes_per_rank =
      need.host_available_bytes ? fact(facts, "host_memory_bytes").value_or(0.0) : 0.0;
  need.device_bytes = fact(facts, "device_memory_bytes");
  need.is_device_declared = need.device_bytes.has_value();
  if (!need.device_bytes) {
    need.device_bytes = fact(facts, "gpu_memory_bytes");
  }
  return need;
}

// Parameters as text, of the cell's ranks with devices of so much memory each.
std::string with_device_memory(const Study& study, const Cell& cell, double bytes) {
  constexpr double gigabyte = 1e9;
  Parameters parameters = memory_parameters(study, cell, true);
  parameters[names::kDevices] = std::int64_t{cell.devices};
  parameters["device_memory_gb"] = bytes / gigabyte;
  return protocol::format_parameters({parameters.begin(), parameters.end()});
}

}  // namespace

std::optional<MemoryNeed> plan_memory(const Study& study,
                                      const Matrix& matrix,
                                      const fs::path& program,
                                      Launcher& launcher) {
  std::optional<MemoryNeed> most;
  if (study.workload != Workload::kTrain) {
    return most;
  }
  const Cell* cell_of_most = nullptr;
  std::map<std::string, Facts> described;
  for (const Cell* cell : largest_cells(study, matrix)) {
    const std::string parameters = rank_parameters(study, *cell, true);
    auto found = described.find(parameters);
    if (found == described.end()) {
      found =
          described.emplace(parameters, describe(parameters, cell->label, program, launcher)).first;
    }
    if (!found->second.contains("memory_bytes")) {
      continue;
    }
    const MemoryNeed need = need_of(*cell, found->second);
    const auto rank = [](const MemoryNeed& of) {
      return std::pair(of.exceeds(), of.total_bytes());
    };
    if (!most || rank(need) > rank(*most)) {
      most = need;
      cell_of_most = cell;
    }
  }
  if (!most) {
    return most;
  }
  most->fit_bytes = most->device_bytes;
  if (!most->fit_bytes && most->available_bytes) {
    most->fit_bytes = *most->available_bytes / static_cast<double>(most->ranks);
  }
  if (most->fit_bytes) {
    const Facts facts = describe(
        with_device_memory(study, *cell_of_most, *most->fit_bytes), most->label, program, launcher);
    most->largest_layers = facts_behind(facts, "largest_layers.");
    most->largest_host_bytes = facts_behind(facts, "largest_host_bytes.");
  }
  return most;
}

}  // namespace scalestudy
