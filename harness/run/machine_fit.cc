#include "harness/run/machine_fit.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <unistd.h>

#include "harness/base/paths.h"

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

std::string oversubscription(const Study& study,
                             const Matrix& matrix,
                             Machine& machine,
                             const Nodes& nodes) {
  const LaunchResources resources = launch_resources(matrix.cells, machine, nodes);
  std::set<std::string> fitting;  // hashes
  for (const Cell& cell : matrix.cells) {
    if (!launch_command(study, cell, resources).oversubscribed) {
      fitting.insert(cell.hash);
    }
  }
  const auto is_compared = [](const Cell& cell) {
    return cell.role == CellRole::kMeasured && cell.baseline && *cell.baseline != cell.hash;
  };
  const auto is_claim = [&](const Cell& cell) {
    return is_compared(cell) && fitting.contains(cell.hash) && fitting.contains(*cell.baseline);
  };
  const bool has_claims = std::ranges::none_of(matrix.cells, is_compared) ||
                          std::ranges::any_of(matrix.cells, is_claim);
  if (!fitting.empty() && has_claims) {
    return "";
  }
  return fmt::format(
      "{} more ranks (or threads of them) than this machine has cores or GPUs ({} "
      "and {}): it can be run here, but its report will say nothing about "
      "performance",
      fitting.empty() ? "every cell has" : "one side of every comparison has",
      resources.cores,
      resources.gpus);
}

}  // namespace scalestudy
