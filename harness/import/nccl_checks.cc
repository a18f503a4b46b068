#include "harness/import/nccl_checks.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/text/quantity.h"
#include "workloads/names/names.h"
#include "workloads/names/operations.h"

namespace scalestudy {
namespace {

constexpr double kGiga = 1e9;

// Bus over algorithm bandwidth of n devices; absent where it says nothing of n.
std::optional<double> bus_factor(const std::string& operation, double n) {
  const names::OperationInfo* known = names::find_operation(operation);
  return known == nullptr || known->travel == names::Travel::kWhole
             ? std::nullopt
             : std::optional(known->bus_factor(n));
}

std::vector<const audit::Figure*> figures_of(const audit::Table& table, const std::string& column) {
  std::vector<const audit::Figure*> figures;
  const auto found = std::ranges::find(table.columns, column, &audit::Column::name);
  const auto index = static_cast<std::size_t>(found - table.columns.begin());
  for (const std::vector<audit::Cell>& row : table.rows) {
    const bool has_value = index < row.size() && row[index].figure.range;
    figures.push_back(has_value ? &row[index].figure : nullptr);
  }
  return figures;
}

void check_devices(audit::Table& table, ImportReading& reading) {
  audit::Conditions& conditions = table.fixed.conditions;
  const auto devices = conditions.find(names::kDevices);
  if (devices == conditions.end()) {
    return;
  }
  const std::optional<double> n = parse_number(devices->second);
  const std::optional<double> expected =
      n ? bus_factor(conditions[names::kOperation], *n) : std::nullopt;
  const auto bus = figures_of(table, "busbw");
  const auto algorithm = figures_of(table, "algbw");
  std::optional<std::size_t> largest;  // rounded least
  for (std::size_t i = 0; i < bus.size(); ++i) {
    if (bus[i] != nullptr && algorithm[i] != nullptr && algorithm[i]->range->lo > 0.0 &&
        (!largest || bus[i]->range->lo > bus[*largest]->range->lo)) {
      largest = i;
    }
  }
  if (!expected || !largest) {
    return;
  }
  const audit::Range ratio{bus[*largest]->range->lo / algorithm[*largest]->range->hi,
                           bus[*largest]->range->hi / algorithm[*largest]->range->lo};
  if (audit::meet(ratio, {*expected, *expected})) {
    return;
  }
  reading.notes.push_back(
      fmt::format("{}: {} ranks are listed, of which bus bandwidth would be {:.4g} times algorithm "
                  "bandwidth; in the rows it is {:.4g} times: the number of devices is not known",
                  table.where,
                  devices->second,
                  *expected,
                  0.5 * (ratio.lo + ratio.hi)));
  conditions.erase(names::kDevices);
  conditions.erase(names::kNodes);
}

void check_average(const audit::Figure& average,
                   const audit::Table& table,
                   ImportReading& reading) {
  audit::Range sum;
  double count = 0.0;
  for (const char* column : {"busbw", "in_place_busbw"}) {
    for (const audit::Figure* figure : figures_of(table, column)) {
      if (figure != nullptr) {
        sum.lo += figure->range->lo;
        sum.hi += figure->range->hi;
        count += 1.0;
      }
    }
  }
  if (!average.range || count == 0.0) {
    return;
  }
  const audit::Range mean{sum.lo / count, sum.hi / count};
  if (!audit::meet(mean, *average.range)) {
    reading.notes.push_back(
        fmt::format("{}: the footer's average bus bandwidth is {} GB/s, and that of the rows here "
                    "{:.4g} GB/s: rows are missing, or were changed",
                    table.where,
                    average.printed,
                    0.5 * (mean.lo + mean.hi) / kGiga));
  }
}

}  // namespace

void describe_nccl_devices(const std::vector<NcclDevice>& listed,
                           int ranks_each,
                           const std::string& where,
                           NcclRun& run,
                           ImportReading& reading) {
  std::set<std::string> hosts;
  std::set<std::string> names;
  std::set<std::string> groups;
  std::set<int> ranks;
  for (const NcclDevice& device : listed) {
    if (!ranks.insert(device.rank).second) {
      reading.problems.push_back(
          {device.place.line,
           device.place.column,
           fmt::format("rank {} appears twice: these processes did not work together (was "
                       "nccl-tests built without MPI?), so this is not one run",
                       device.rank)});
    }
    hosts.insert(device.host);
    names.insert(device.name);
    groups.insert(device.group);
  }
  if (listed.empty()) {
    return;
  }
  run.hardware = names.size() == 1 ? *names.begin() : "";
  const std::int64_t count = static_cast<std::int64_t>(listed.size()) * ranks_each;
  const std::int64_t highest = std::int64_t{*ranks.rbegin()} + ranks_each - 1;
  if (groups.size() > 1) {
    reading.notes.push_back(
        fmt::format("{}: {} ranks ran as {} groups at the same time (NCCL_TESTS_SPLIT): the number "
                    "of devices is not known",
                    where,
                    count,
                    groups.size()));
  } else if (highest + 1 != count) {
    reading.notes.push_back(
        fmt::format("{}: {} listed, the highest is {}: the number of devices is not known",
                    where,
                    count == 1 ? "1 rank is" : fmt::format("{} ranks are", count),
                    highest));
  } else {
    run.devices = count;
    run.nodes = static_cast<std::int64_t>(hosts.size());
  }
}

void finish_nccl_table(const PlacedText& average, audit::Table& table, ImportReading& reading) {
  check_devices(table, reading);
  add_nccl_average(average, table, reading);
  check_average(reading.dataset.statements.back().figure, table, reading);
}

}  // namespace scalestudy
