// Columns and conditions of nccl-tests in the words of the dataset format.
#include "harness/import/nccl_table.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "workloads/names/names.h"
#include "workloads/names/operations.h"

namespace scalestudy {
namespace {

// The types by the names that studies use for precisions.
std::string precision_of(const std::string& type) {
  static const std::map<std::string, std::string> kNames{
      {"float", "fp32"}, {"double", "fp64"}, {"half", "fp16"}, {"bfloat16", "bf16"}};
  const auto found = kNames.find(type);
  return found == kNames.end() ? type : found->second;
}

void add_place_columns(audit::Table& table, const NcclRun& run, const std::string& place) {
  const std::string prefix = place == "in_place" ? "in_place_" : "";
  const audit::Conditions at{{"place", place}};
  table.columns.push_back(run.is_cpu_time ? make_column(prefix + "cputime", "time", "us", at)
                                          : make_column(prefix + "time", "latency", "us", at));
  table.columns.push_back(make_column(prefix + "algbw", "algbw", "GB/s", at));
  table.columns.push_back(make_column(prefix + "busbw", "busbw", "GB/s", at));
  if (run.counts_wrong) {
    table.columns.push_back(make_column(prefix + "wrong", "count", "", at));
    table.columns.back().declared.is_exact = true;
  } else {
    table.columns.push_back(make_column(prefix + "error", "other", "", at));
  }
  for (const NcclStatistic* statistic : run.statistics) {
    audit::Conditions which = at;
    if (!statistic->statistic.empty()) {
      which["statistic"] = statistic->statistic;
    }
    table.columns.push_back(make_column(prefix + std::string(statistic->column),
                                        std::string(statistic->quantity),
                                        std::string(statistic->unit),
                                        which));
    table.columns.back().declared.is_exact = statistic->quantity == "count";
  }
}

std::vector<audit::Column> setting_columns() {
  return {make_column("size", names::kMessageBytes, "B"),
          make_column("type", names::kPrecision),
          make_column("redop", "label"),
          make_column("root", "label")};
}

// "none" and "-1" say that the collective has no such thing, "N/A" that NCCL chose nothing.
PlacedText without(PlacedText text, std::string_view nothing) {
  if (text.text == nothing) {
    text.text.clear();
  }
  return text;
}

std::vector<PlacedText> setting_fields(const NcclLine& line) {
  PlacedText type = line.type;
  type.text = precision_of(type.text);
  return {line.size, type, without(line.redop, "none"), without(line.root, "-1")};
}

void add_nccl_row(const std::vector<PlacedText>& fields,
                  audit::Table& table,
                  ImportReading& reading) {
  std::vector<audit::Cell>& row = table.rows.emplace_back();
  for (std::size_t c = 0; c < fields.size(); ++c) {
    row.push_back(read_tool_cell(table.columns.at(c), fields[c], reading.path, reading.problems));
  }
}

}  // namespace

audit::Table& add_nccl_table(const NcclRun& run, const std::string& where, ImportReading& reading) {
  const std::string name = run.operation.empty() ? "nccl_tests" : run.operation;
  const auto same = std::count_if(
      reading.dataset.tables.begin(), reading.dataset.tables.end(), [&](const audit::Table& table) {
        return table.name == name || table.name.starts_with(name + "_run_");
      });
  std::string& hardware = reading.dataset.hardware;
  hardware = reading.dataset.tables.empty() || hardware == run.hardware ? run.hardware : "";
  audit::Table& table = reading.dataset.tables.emplace_back();
  table.name = same == 0 ? name : fmt::format("{}_run_{}", name, same + 1);
  table.where = where;
  table.experiment = table.name;
  audit::Conditions& conditions = table.fixed.conditions;
  conditions[names::kOperation] = run.operation;
  conditions["hardware"] = run.hardware;
  if (run.devices) {
    conditions[names::kDevices] = std::to_string(*run.devices);
  }
  if (run.nodes) {
    conditions[names::kNodes] = std::to_string(*run.nodes);
  }
  table.columns = setting_columns();
  for (const std::string& condition : run.tuning) {
    table.columns.push_back(make_column(condition, "label"));
  }
  add_place_columns(table, run, "out_of_place");
  add_place_columns(table, run, "in_place");
  if (run.operation.empty()) {
    reading.notes.push_back(
        fmt::format("{}: the output does not say which collective it is of", where));
  }
  return table;
}

void add_nccl_line(const NcclLine& line, audit::Table& table, ImportReading& reading) {
  std::vector<PlacedText> fields = setting_fields(line);
  for (const PlacedText& chosen : line.tuning) {
    fields.push_back(without(chosen, "N/A"));
  }
  for (const NcclLine::Place* place : {&line.out_of_place, &line.in_place}) {
    fields.insert(fields.end(), {place->time, place->algbw, place->busbw, place->wrong});
    fields.insert(fields.end(), place->statistics.begin(), place->statistics.end());
  }
  add_nccl_row(fields, table, reading);
}

void add_nccl_iterations(const std::vector<NcclLine>& lines,
                         const audit::Table& table,
                         ImportReading& reading) {
  audit::Table iterations;
  iterations.name = table.name + "_iterations";
  iterations.where = table.where;
  iterations.experiment = table.experiment;
  iterations.fixed = table.fixed;
  iterations.columns = setting_columns();
  iterations.columns.push_back(make_column("iteration", "label"));
  iterations.columns.push_back(make_column("skipped", "label"));
  for (const char* place : {"out_of_place", "in_place"}) {
    iterations.columns.push_back(
        make_column(std::string(place) == "in_place" ? "in_place_time" : "time",
                    "latency",
                    "us",
                    {{"place", place}}));
  }
  for (const NcclLine& line : lines) {
    const NcclLine::Place& out = line.out_of_place;
    const NcclLine::Place& in = line.in_place;
    const std::size_t count = std::max(out.iterations.size(), in.iterations.size());
    for (std::size_t i = 0; i < count; ++i) {
      const auto time_of = [i](const NcclLine::Place& place) {
        return i < place.iterations.size() ? place.iterations[i] : PlacedText{};
      };
      const int skipped = std::max(out.skipped_iterations, in.skipped_iterations);
      std::vector<PlacedText> fields = setting_fields(line);
      fields.push_back({std::to_string(i + 1), line.size.line, line.size.column});
      fields.push_back({std::cmp_less(i, skipped) ? "yes" : "", line.size.line, line.size.column});
      fields.push_back(time_of(out));
      fields.push_back(time_of(in));
      add_nccl_row(fields, iterations, reading);
    }
  }
  if (!iterations.rows.empty()) {
    reading.dataset.tables.push_back(std::move(iterations));
  }
}

void add_nccl_average(const PlacedText& bandwidth,
                      const audit::Table& table,
                      ImportReading& reading) {
  audit::Statement statement =
      make_tool_statement("average-bus-bandwidth",
                          make_column("Avg bus bandwidth", "bandwidth", "GB/s"),
                          bandwidth,
                          reading.path,
                          reading.problems);
  statement.experiment = table.experiment;
  statement.declared.at.conditions = table.fixed.conditions;
  reading.dataset.statements.push_back(std::move(statement));
}

std::string nccl_operation(const std::string& program) {
  std::string_view name = program;
  name.remove_prefix(name.find_last_of('/') + 1);  // npos + 1 is 0
  if (name.ends_with("_mpi")) {
    name.remove_suffix(4);
  }
  constexpr std::string_view suffix = "_perf";
  if (!name.ends_with(suffix) || name.size() == suffix.size()) {
    return "";
  }
  name.remove_suffix(suffix.size());
  const names::OperationInfo* known = names::find_operation(name);
  return std::string(known == nullptr ? name : known->name);
}

}  // namespace scalestudy
