// (Axes x zip + include) x sides - exclude, then the controls.
#include "harness/study/matrix/matrix.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/study/declared/varied_names.h"
#include "harness/study/matrix/added_cells.h"
#include "harness/study/matrix/baseline.h"
#include "harness/study/matrix/controls.h"
#include "harness/study/matrix/matrix_checks.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

constexpr std::size_t kMaxCells = 10'000;
constexpr std::size_t kMaxExclusions = 10'000'000;  // comparisons of a cell with a value: seconds

// Axes in file order, then what only zip and include vary.
std::vector<std::string> label_order(const Study& study) {
  std::vector<std::string> order;
  for (const Axis& axis : study.axes) {
    order.push_back(axis.name);
  }
  for (const std::string& name : varied_names(study)) {
    if (std::find(order.begin(), order.end(), name) == order.end()) {
      order.push_back(name);
    }
  }
  return order;
}

// Each cell once for each side.
std::vector<Parameters> on_all_sides(const Study& study, const std::vector<Parameters>& cells) {
  std::vector<Parameters> longer;
  for (const Parameters& cell : cells) {
    for (const StudySide& side : study.sides) {
      longer.push_back(cell);
      longer.back()[kSideParameter] = side.name;
    }
  }
  return longer;
}

// All parameters of each cell as declared, in file order: the last axis varies fastest, zip faster,
// sides fastest.
std::vector<Parameters> declared_cells(const Study& study) {
  const bool has_product = !study.axes.empty() || !study.zip.empty();
  const std::size_t sides = std::max<std::size_t>(study.sides.size(), 1);
  std::size_t count = sides * std::max<std::size_t>(study.zip.size(), 1);
  for (const Axis& axis : study.axes) {
    count *= axis.values.size();
    if (count > kMaxCells) {
      throw Error(
          ErrorKind::kUsage,
          fmt::format("the matrix has more than {} cells; leave out values or axes", kMaxCells));
    }
  }
  if (count + sides * study.include.size() > kMaxCells) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("the matrix has more than {} cells; leave out what include adds", kMaxCells));
  }
  std::vector<Parameters> cells;
  if (has_product || study.include.empty()) {
    cells.push_back(study.parameters);
  }
  for (const Axis& axis : study.axes) {
    std::vector<Parameters> longer;
    for (const Parameters& cell : cells) {
      for (const Value& value : axis.values) {
        longer.push_back(cell);
        longer.back()[axis.name] = value;
      }
    }
    cells = std::move(longer);
  }
  if (!study.zip.empty()) {
    std::vector<Parameters> longer;
    for (const Parameters& cell : cells) {
      for (const Parameters& row : study.zip) {
        longer.push_back(row);
        longer.back().insert(cell.begin(), cell.end());
      }
    }
    cells = std::move(longer);
  }
  for (const Parameters& row : study.include) {
    cells.push_back(row);
    cells.back().insert(study.parameters.begin(), study.parameters.end());
  }
  return study.sides.empty() ? cells : on_all_sides(study, cells);
}

std::optional<std::int64_t> integer_value(const Parameters& parameters, const std::string& name) {
  const auto found = parameters.find(name);
  if (found == parameters.end()) {
    return std::nullopt;
  }
  const auto* integer = std::get_if<std::int64_t>(&found->second);
  return integer == nullptr ? std::nullopt : std::optional(*integer);
}

Cell make_cell(const Study& study,
               const Parameters& declared,
               const std::vector<std::string>& order) {
  Cell cell;
  cell.effective = effective_parameters(study.workload, declared);
  cell.parameters = declared;
  std::erase_if(cell.parameters, [&](const auto& entry) {
    return cell.effective.at(entry.first).is_default && !is_harness_parameter(entry.first);
  });
  for (const std::string& name : order) {
    if (auto value = effective_value(cell.effective, name)) {
      cell.label +=
          fmt::format("{}{}={}", cell.label.empty() ? "" : " ", name, format_value(*value));
      cell.varied[name] = *std::move(value);
    }
  }
  if (cell.label.empty()) {
    cell.label = "the only cell";
  }
  cell.blocks = {{.first = 0, .count = study.trials.count}};
  cell.hash = cell_hash(study.workload, CellRole::kMeasured, cell.parameters);
  cell.devices = integer_value(declared, names::kDevices).value_or(1);
  cell.nodes = integer_value(declared, names::kNodes).value_or(1);
  if (cell.devices < 1 || cell.nodes < 1) {  // of a stored study, whose values are not checked
    throw Error(ErrorKind::kUsage,
                fmt::format("{} has {} devices on {} nodes; at least one of each is required",
                            cell.label,
                            cell.devices,
                            cell.nodes));
  }
  cell.batch_global = integer_value(declared, names::kBatchGlobal);
  cell.batch_per_device = integer_value(declared, names::kBatchPerDevice);
  if (cell.batch_per_device) {
    std::int64_t batch_global = 0;
    if (!__builtin_mul_overflow(*cell.batch_per_device, cell.devices, &batch_global)) {
      cell.batch_global = batch_global;
    }
  } else if (cell.batch_global && *cell.batch_global % cell.devices == 0) {
    cell.batch_per_device = *cell.batch_global / cell.devices;
  }
  return cell;
}

// "exclude rule 1 (devices=1, env.NCCL_ALGO=Ring)" for the first rule that matches, else empty.
std::string exclusion(const Study& study, const EffectiveParameters& parameters) {
  for (std::size_t i = 0; i < study.exclude.size(); ++i) {
    std::vector<std::string> matched;
    for (const auto& [name, values] : study.exclude[i]) {
      const auto value = effective_value(parameters, name);
      const bool is_match = value && std::any_of(values.begin(), values.end(), [&](const Value& v) {
                              return format_value(v) == format_value(*value);
                            });
      if (is_match) {
        matched.push_back(name + "=" + format_value(*value));
      }
    }
    if (!matched.empty() && matched.size() == study.exclude[i].size()) {
      return fmt::format("exclude rule {} ({})", i + 1, join(matched, ", "));
    }
  }
  return "";
}

// Takes out those of the cells from `first` on that a rule excludes.
void exclude_from(std::size_t first, const Study& study, Matrix& matrix) {
  std::vector<Cell> all = std::exchange(matrix.cells, {});
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::string reason = i < first ? "" : exclusion(study, all[i].effective);
    if (reason.empty()) {
      matrix.cells.push_back(std::move(all[i]));
    } else {
      matrix.excluded.push_back({std::move(all[i]), std::move(reason)});
    }
  }
}

// Before work that grows with both: a study within the other limits can ask for hours of it.
void check_exclusions(const Study& study, std::size_t cells) {
  std::size_t values = 0;
  for (const auto& rule : study.exclude) {
    for (const auto& [name, listed] : rule) {
      values += listed.size();
    }
  }
  if (values * cells > kMaxExclusions) {
    throw Error(ErrorKind::kUsage,
                fmt::format("exclude has {} values to compare with {} cells, at most {} "
                            "comparisons are allowed; leave out values of axes instead, or list "
                            "the cells under include",
                            values,
                            cells,
                            kMaxExclusions));
  }
}

void check_trials(const Study& study, const Matrix& matrix) {
  const std::size_t cells = matrix.cells.size() + matrix.excluded.size();
  const auto count = static_cast<std::size_t>(study.trials.count);
  if (count > kMostTrials / cells) {
    throw Error(ErrorKind::kUsage,
                fmt::format("trials: {} of each of {} cells are more than {}; ask for fewer trials "
                            "or cells",
                            count,
                            cells,
                            kMostTrials));
  }
}

using Batch = std::optional<std::int64_t> Cell::*;

// Whether the cells are all pairs of several numbers of devices with some values of `batch`.
bool crosses_devices(const std::vector<const Cell*>& cells, Batch batch) {
  std::set<std::int64_t> devices;
  std::set<std::int64_t> batches;
  std::set<std::pair<std::int64_t, std::int64_t>> pairs;
  for (const Cell* cell : cells) {
    if (!(cell->*batch)) {
      return false;
    }
    devices.insert(cell->devices);
    batches.insert(*(cell->*batch));
    pairs.emplace(cell->devices, *(cell->*batch));
  }
  return devices.size() > 1 && pairs.size() == devices.size() * batches.size();
}

// Whether that holds in all groups of cells that differ in nothing but devices, nodes and batches.
bool keeps_batch(const Matrix& matrix, Batch batch) {
  std::map<std::string, std::vector<const Cell*>> groups;
  for (const Cell& cell : matrix.cells) {
    std::string key;
    for (const auto& [name, value] : cell.varied) {
      key += is_harness_parameter(name) ? "" : name + "=" + format_value(value) + ";";
    }
    groups[key].push_back(&cell);
  }
  return std::all_of(groups.begin(), groups.end(), [&](const auto& group) {
    return crosses_devices(group.second, batch);
  });
}

// What stays the same while devices are added; rows of zip may keep the batch that they do not
// name. Cells that show neither count by the batch that is named.
Scaling detect_scaling(const Study& study, const Matrix& matrix) {
  if (keeps_batch(matrix, &Cell::batch_global)) {
    return Scaling::kStrong;
  }
  if (keeps_batch(matrix, &Cell::batch_per_device)) {
    return Scaling::kWeak;
  }
  const std::set<std::string> varied = varied_names(study);
  const auto is_named = [&](const char* batch) {
    return varied.contains(batch) || study.parameters.contains(batch);
  };
  return is_named(names::kBatchGlobal)      ? Scaling::kStrong
         : is_named(names::kBatchPerDevice) ? Scaling::kWeak
                                            : Scaling::kNone;
}

}  // namespace

const Blocks* Cell::blocks_with(std::int64_t block) const {
  const auto found =
      std::ranges::find_if(blocks, [block](const Blocks& some) { return some.has(block); });
  return found == blocks.end() ? nullptr : &*found;
}

std::int64_t block_count(const Matrix& matrix) {
  std::int64_t count = 0;
  for (const Cell& cell : matrix.cells) {
    for (const Blocks& blocks : cell.blocks) {
      count = std::max(count, blocks.first + blocks.count);
    }
  }
  return count;
}

Matrix expand(const Study& study) {
  Matrix matrix;
  const std::vector<std::string> order = label_order(study);
  const std::vector<Parameters> cells = declared_cells(study);
  check_exclusions(study, cells.size());
  for (const Parameters& declared : cells) {
    matrix.cells.push_back(make_cell(study, declared, order));
  }
  exclude_from(0, study, matrix);
  if (matrix.cells.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("nothing is left to measure: all {} cells are excluded",
                            matrix.excluded.size()));
  }
  matrix.scaling = detect_scaling(study, matrix);
  const std::size_t given = matrix.cells.size();
  add_cells(
      study, [&](const Parameters& all) { return make_cell(study, all, order); }, matrix);
  check_cells(study, matrix);
  exclude_from(given, study, matrix);
  find_baselines(study, matrix);
  const std::vector<Cell> controls = make_controls(study, matrix.cells);
  matrix.cells.insert(matrix.cells.end(), controls.begin(), controls.end());
  check_trials(study, matrix);
  return matrix;
}

}  // namespace scalestudy
