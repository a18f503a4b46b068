#include "harness/run/command/machine_fit.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "harness/base/paths.h"
#include "harness/run/command/launch_command.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy {

LaunchResources launch_resources(const std::vector<Cell>& cells,
                                 Machine& machine,
                                 const Nodes& nodes) {
  LaunchResources resources;
  resources.cores = machine.cores();
  resources.gpus = machine.gpus();
  resources.communication_cores = communication_cores(cells, resources.cores);
  resources.is_root = geteuid() == 0;
  resources.nodes = nodes;
  resources.has_several_nodes =
      std::ranges::any_of(cells, [](const Cell& cell) { return cell.nodes > 1; });
  if (std::ranges::any_of(cells, [](const Cell& cell) { return links_of(cell).has_value(); })) {
    resources.link_script = shared_file("data/interconnect.sh").string();
  }
  return resources;
}

namespace {

// Whether the cell has more nodes than there are here, as on a login node: the job that it is run
// in may have them, and their cores and GPUs.
bool is_of_a_job(const Cell& cell, const Nodes& nodes) {
  return std::cmp_greater(cell.nodes, std::max<std::size_t>(nodes.hosts.size(), 1));
}

}  // namespace

std::string oversubscription(const Study& study,
                             const Matrix& matrix,
                             Machine& machine,
                             const Nodes& nodes) {
  const LaunchResources resources = launch_resources(matrix.cells, machine, nodes);
  std::set<std::string> fitting;    // hashes
  std::vector<std::string> beyond;  // labels of the others
  for (const Cell& cell : matrix.cells) {
    if (is_of_a_job(cell, nodes) || !launch_command(study, cell, resources).oversubscribed) {
      fitting.insert(cell.hash);
    } else {
      beyond.push_back(cell.label);
    }
  }
  if (beyond.empty()) {
    return "";
  }
  const auto is_compared = [](const Cell& cell) {
    return cell.role == CellRole::kMeasured && cell.baseline && *cell.baseline != cell.hash;
  };
  const auto is_claim = [&](const Cell& cell) {
    return is_compared(cell) && fitting.contains(cell.hash) && fitting.contains(*cell.baseline);
  };
  const bool has_claims = !fitting.empty() && (std::ranges::none_of(matrix.cells, is_compared) ||
                                               std::ranges::any_of(matrix.cells, is_claim));
  const std::string some = fmt::format(
      "{} of {} cells {}", beyond.size(), matrix.cells.size(), beyond.size() == 1 ? "has" : "have");
  return fmt::format(
      "{} more ranks (or threads of them) than this machine has cores or GPUs ({} "
      "and {}): {}",
      has_claims        ? some
      : fitting.empty() ? "every cell has"
                        : "one side of every comparison has",
      resources.cores,
      resources.gpus,
      has_claims ? fmt::format("{}. The report will say nothing about the performance of {}",
                               list_some(beyond),
                               beyond.size() == 1 ? "this cell" : "these cells")
                 : "its report will say nothing about performance");
}

namespace {

// "" where the ranks of a cell of backend cuda can be started on one machine with so many GPUs.
std::string lacking_gpus(const Cell& cell, std::int64_t gpus) {
  if (gpus == 0) {
    return "backend cuda computes on GPUs, and NVML shows none on this machine";
  }
  const std::optional<Value> comm = effective_value(cell.effective, names::kComm);
  const bool is_by_nccl = !comm || *comm == Value(std::string("nccl"));  // collectives always are
  return is_by_nccl && cell.devices > gpus
             ? "NCCL refuses ranks that share a GPU, and this machine shows " +
                   std::to_string(gpus) + "; use fewer devices, or train with comm mpi_staged"
             : "";
}

// "" where the cores of this machine can compute a cell of backend cpu.
std::string lacking_cores(const Cell& cell, Machine& machine) {
  const std::optional<Value> precision = effective_value(cell.effective, names::kPrecision);
  const std::optional<Value> compute = effective_value(cell.effective, kCompute);
  const bool multiplies = !compute || *compute != Value(std::string("declared"));
  return precision == Value(std::string("bf16")) && multiplies && !machine.has_bf16_cores()
             ? "precision bf16 needs cores that multiply it (AVX-512 BF16 or AMX); use fp32"
             : "";
}

}  // namespace

std::vector<std::string> unsupported_cells(const Study& study,
                                           const Matrix& matrix,
                                           Machine& machine,
                                           const Nodes& nodes) {
  const LaunchResources resources = launch_resources(matrix.cells, machine, nodes);
  std::vector<std::pair<std::string, std::vector<const Cell*>>> reasons;
  for (const Cell& cell : matrix.cells) {
    if (is_of_a_job(cell, nodes)) {
      continue;
    }
    std::string reason = launch_command(study, cell, resources).unsupported;
    if (reason.empty() && nodes.hosts.empty() && study.workload != Workload::kCommand) {
      reason = may_use_gpu(study, cell)             ? lacking_gpus(cell, resources.gpus)
               : study.workload == Workload::kTrain ? lacking_cores(cell, machine)
                                                    : "";
    }
    if (reason.empty()) {
      continue;
    }
    const auto known = std::ranges::find(reasons, reason, [](const auto& at) { return at.first; });
    if (known != reasons.end()) {
      known->second.push_back(&cell);
    } else {
      reasons.push_back({reason, {&cell}});
    }
  }
  std::vector<std::string> sentences;
  for (const auto& [reason, cells] : reasons) {
    sentences.push_back(fmt::format("{} of {} cell{} would end unsupported here ({}{}): {}",
                                    cells.size(),
                                    matrix.cells.size(),
                                    matrix.cells.size() == 1 ? "" : "s",
                                    cells.front()->label,
                                    cells.size() == 1 ? "" : ", ...",
                                    reason));
  }
  return sentences;
}

}  // namespace scalestudy
