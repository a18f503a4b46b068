// Loss and accuracy after each epoch of training, of all cells beside each other.
#include <map>
#include <set>
#include <string_view>

#include "harness/report/input/estimates.h"
#include "harness/report/input/groups.h"
#include "harness/report/sections/cell_columns.h"
#include "harness/report/sections/group_tables.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/table.h"
#include "harness/text/measure.h"

namespace scalestudy::report {
namespace {

constexpr std::string_view kAccuracy = "epoch_accuracy:";

// To columns of cells like a pointer to its cell.
struct EpochRow {
  const CellRow* cell = nullptr;
  std::string epoch;

  const CellRow& operator*() const { return *cell; }
};

// By epoch, and in it by cell id.
using Epochs = std::map<std::int64_t, std::set<std::int64_t>>;

Epochs epochs_of(const ReportInput& input) {
  Epochs epochs;
  for (const EstimateRow& row : input.results.estimates) {
    if (row.metric.starts_with(kAccuracy)) {
      epochs[std::stoll(row.metric.substr(kAccuracy.size()))].insert(row.cell_id);
    }
  }
  return epochs;
}

std::vector<EpochRow> rows_of(const Epochs& epochs, const Group& group) {
  std::vector<EpochRow> rows;
  for (const auto& [epoch, cells] : epochs) {
    for (const CellRow* cell : group.cells) {
      if (cells.contains(cell->id)) {
        rows.push_back({cell, std::to_string(epoch)});
      }
    }
  }
  return rows;
}

std::vector<Column<EpochRow>> epoch_columns(const ReportInput& input) {
  const auto value = [&input](const std::string& metric) {
    return [&input, metric](const EpochRow& row) {
      return format_interval(measure_of(input.estimate(row.cell->id, metric + ":" + row.epoch)));
    };
  };
  return with_cell_columns<EpochRow>(
      input,
      {
          {{"epoch", "Epoch", "passes over the training samples"},
           [](const EpochRow& row) { return row.epoch; }},
          {{"accuracy", "Accuracy", "share of held-out samples that are right [interval]"},
           value("epoch_accuracy")},
          {{"best",
            "Best accuracy",
            "of fresh samples, by how they are made",
            Align::kNumber,
            Shown::kPresent},
           [&input](const EpochRow& row) {
             const Measure best = measure_of(input.estimate(row.cell->id, "best_accuracy"));
             return format_interval({.value = best.value, .lo = {}, .hi = {}});
           }},
          {{"held_out_loss", "Loss, held out", "mean over held-out samples [interval]"},
           value("epoch_held_out_loss")},
          {{"loss", "Loss, training", "mean over the epoch's steps [interval]"},
           value("epoch_loss")},
      });
}

}  // namespace

Section epochs_section() {
  return {group_table_tags("epochs",
                           "loss and accuracy after each epoch, cells beside each other",
                           heads_of(epoch_columns(empty_input())),
                           "accuracy and loss over epochs"),
          [](View& view, const ReportInput& input, const Figures& figures) {
            const Epochs epochs = epochs_of(input);
            view.set_list("epochs",
                          group_tables(input, figures, "learning", [&](const Group& group) {
                            return one_table(epoch_columns(input), rows_of(epochs, group));
                          }));
          }};
}

}  // namespace scalestudy::report
