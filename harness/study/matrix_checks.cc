#include "harness/study/matrix_checks.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/text.h"
#include "workloads/protocol/combinations.h"

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

// What the cell's parameters are for the workload.
std::map<std::string, std::string> workload_values(const Cell& cell) {
  std::map<std::string, std::string> values;
  for (const auto& [name, effective] : cell.effective) {
    values[name] = format_value(effective.value);
  }
  if (cell.batch_per_device) {
    values["batch_per_device"] = std::to_string(*cell.batch_per_device);
  }
  return values;
}

void check_combinations(const Study& study, const Matrix& matrix) {
  std::map<std::string, std::vector<std::string>> labels_of;  // by what is wrong with them
  for (const Cell& cell : matrix.cells) {
    const std::string wrong =
        protocol::check_combination(to_word(study.workload), workload_values(cell));
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

}  // namespace

void check_cells(const Study& study, const Matrix& matrix) {
  check_distinct(matrix);
  check_divisible(matrix);
  check_combinations(study, matrix);
}

}  // namespace scalestudy
