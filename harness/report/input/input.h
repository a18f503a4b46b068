// Everything of the store that a report is made of, read once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/store/rows/setting_state.h"
#include "harness/store/store.h"
#include "harness/study/declared/study.h"

namespace scalestudy::report {

// A session of the study with the facts about its machine.
struct SessionInput {
  SessionRow row;
  std::vector<EnvironmentRow> environment;
};

// A group of cells that share a table and figures: group_cells() in groups.h has the cells.
struct GroupIndex {
  std::string label;
  std::string slug;
  std::vector<std::size_t> cells;  // in the order of a table's rows
};

// Positions of rows in the vectors of a ReportInput, by what the rows are looked up by.
struct ReportIndex {
  std::map<std::int64_t, std::size_t> cells;   // by cell id
  std::map<std::int64_t, std::size_t> trials;  // by trial id
  // by cell id, statistic, variant and metric
  std::map<std::tuple<std::int64_t, Statistic, Variant, std::string>, std::size_t> estimates;
  std::map<std::string, std::size_t> metrics;  // the first estimate of each
  // by cell id and quantity
  std::map<std::pair<std::int64_t, std::string>, std::size_t> comparisons;
  std::map<std::int64_t, std::vector<std::int64_t>> used_trials;  // trial ids by cell id
  std::set<std::int64_t> flagged_trials;
  std::map<std::int64_t, std::size_t> counterparts;  // by id of the published figure
  bool nodes_tell_apart = false;           // cells have equal devices on different numbers of nodes
  std::optional<std::size_t> common_base;  // the cell that common_base() returns
  std::set<std::string> with_message_bytes;        // that find_with_message_bytes() returns
  std::map<std::int64_t, std::string> node_spans;  // that find_node_spans() returns
  std::vector<GroupIndex> groups;
  std::set<std::string> own_names;  // that find_own_names() returns
};

// The rows of one study.
struct ReportInput {
  StudyRow study;
  Study declared;
  std::vector<std::string> secrets;  // of the study as it is and as sessions ran it
  std::vector<CellRow> cells;
  std::vector<TrialRow> trials;
  std::vector<AnnotationRow> annotations;
  std::vector<SessionInput> sessions;
  std::map<std::int64_t, StepTime> step_times;  // by trial id
  std::set<std::int64_t> software_trials;  // ids of trials that converted 16-bit types in software
  // What trials found of settings, by trial id and setting: 1 applied, 0 overridden, -1 not seen.
  std::map<std::int64_t, std::map<std::string, double>> settings;
  Results results;
  std::vector<PublicationRow> publications;  // shown beside the results, never mixed with them

  bool is_full = false;  // sections tell what they have, whether it is a finding or not
  ReportIndex index;     // positions of the rows above, by make_index()

  // Makes `index` anew; to be called after rows were added or taken out.
  void make_index();

  const CellRow& cell(std::int64_t id) const;    // throws Error{kStore} where the study lacks it
  const TrialRow* trial(std::int64_t id) const;  // nullptr where the study lacks it

  // The baseline of all measured cells, if there is one and the cells differ from it in three or
  // more parameters, none of them devices, nodes or batch; else nullptr. Cells are then named by
  // what they change.
  const CellRow* common_base() const;

  // The stored row of that cell or figure; nullptr when analysis stored none.
  const EstimateRow* estimate(std::int64_t cell_id,
                              const std::string& metric,
                              Statistic statistic = Statistic::kMean,
                              Variant variant = Variant::kAll) const;
  const ComparisonRow* comparison(std::int64_t cell_id, const std::string& quantity) const;
  const CounterpartRow* counterpart(std::int64_t figure_id) const;

  // Whether the cell's times say how fast its ranks can be, by the rule of analysis: the ranks
  // shared no cores or devices and converted no types in software. A cell without this claim is
  // never called the best at anything that rests on time.
  bool has_claim(const CellRow& cell) const;

  // The last attempt of every cell in every block that the study has, in the store's order.
  std::vector<const TrialRow*> last_attempts() const;

  // Whether the trial ran in a cell that left the study, or was excluded by a rule, later: such a
  // trial counts for nothing.
  bool ran_in_excluded_cell(const TrialRow& trial) const;

  // Sorted ids of the cell's trials that count: the last attempts that ended ok, without those of a
  // race. Each estimate has the ids that it rests on itself.
  TrialIds used_trials(std::int64_t cell_id) const;

  // What became of a setting (setting_of) of the cell in the trials that count.
  SettingState setting_state(const CellRow& cell, const std::string& setting) const;
};

// Whether the study's numbers are emulated, not measured: its ranks slept instead of computing or
// were joined by emulated links, by the study's word or by what analysis found in its trials.
bool is_emulated(const ReportInput& input);

// Whether its trials were read from logs: the harness did not run them.
bool is_imported(const ReportInput& input);

// The word for the study's numbers: "measured", "emulated" or "imported".
std::string measured_word(const ReportInput& input);
std::string measured_heading(const ReportInput& input);  // with a capital

// Whether some cell of several devices can run without communication, as in the control noop: the
// stages of a pipeline cannot.
bool can_run_without_communication(const ReportInput& input);

// Reads the study of that id. Throws Error{kStore} when there is none or its stored text does not
// parse.
ReportInput read_input(const Store& store, std::int64_t study_id);

}  // namespace scalestudy::report
