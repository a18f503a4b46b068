// One run of a table: its values by metric, and the record that they make.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/import/runs/column_meaning.h"
#include "harness/study/declared/study.h"
#include "workloads/protocol/reader.h"

namespace scalestudy {

struct TableValue {
  std::string step;
  std::string value;
  int line = 0;
};

// One metric of one run in the table's order.
struct MetricColumn {
  const Meaning* meaning = nullptr;
  std::vector<TableValue> points;
};

using RunColumns = std::map<std::string, MetricColumn>;  // by metric

// The record of the run. Where all steps are whole numbers, `steps` counts these (count_steps);
// else each row is a step.
protocol::Record record_of(const RunColumns& columns, const Steps& steps);

// "step,step_time_s\n0,0.25\n": what the run has in the table, a metric after the other.
std::string text_of(const RunColumns& columns);

// Lowers `least` to the least distance of two steps that follow each other.
void lower_distance(const std::vector<TableValue>& points, std::optional<double>& least);

}  // namespace scalestudy
