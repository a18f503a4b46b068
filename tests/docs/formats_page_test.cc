// docs/reference/formats.md: the keys that verbs print with --format json, held to what each prints
// of a small store.
#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/cli/study_state.h"
#include "harness/store/store.h"
#include "harness/submit/jobs.h"
#include "harness/text/text.h"
#include "tests/cli/cli_fixture.h"
#include "tests/docs/page.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using test::Workspace;

namespace {

struct KeyRow {
  std::string_view keys;  // separated by spaces; x[] has those of the rows of view x
  std::string_view meaning;
  bool is_rare = false;  // not of the store of this test
};

struct VerbKeys {
  std::string_view call;
  std::string_view form;
  std::vector<KeyRow> keys;
  bool is_flat = true;  // the keys are the columns of csv
};

const KeyRow kCell{"cell label", "Hash of the cell; what it varies"};

const std::vector<VerbKeys> kVerbs{
    {"plan",
     "A row a cell",
     {kCell,
      {"role devices batch_global batch_per_device", "As in the view `results`"},
      {"baseline_cell", "Hash of the cell that it is compared with"},
      {"trials", "Trials that the study asks for"},
      {"trial_s", "Mean time of its earlier trials"},
      {"left", "Trials that a run would still run; null for a search"},
      {"left_s", "Time of these by `trial_s`, or by the mean of the other cells if it has none"},
      {"cv", "Standard deviation of earlier trials, divided by their mean"},
      {"half_width", "Expected half-width of the interval, as a share of the mean"},
      {"detectable",
       "Difference that the trials detect with a probability of 0.8, as a share of the mean"},
      {"trials_for_margin", "Trials that detect the study's margin with that probability"},
      {"trials_for_precision trials_for_precision_lo trials_for_precision_hi",
       "Trials for the half-width of `--precision` or `trials.until`, and its interval"},
      {"likely", "Verdict to expect with that probability, or `open`"},
      {"excluded", "Why the study leaves the cell out"}}},
    {"plan --order",
     "A row a trial",
     {{"position block", "As in the view `trials`"}, kCell, {"role", "As in the view `trials`"}}},
    {"list",
     "A row a study",
     {{"study title", "Its name and title"},
      {"state",
       "planned, waiting, running, interrupted, stopped, partly done, done, imported; unknown if "
       "its jobs cannot be asked about"},
      {"ok not_ok left", "Trials that ended ok, that ended otherwise, and that are left"},
      {"last_session", "When its last session began"},
      {"age_s", "Time since that ended, or began if it has no end"}}},
    {"status",
     "A row a study; csv has the columns of the view `accounting`. A study that waits and has "
     "stored nothing has only `study` and `state`",
     {{"study state ok not_ok left", "As in `list`"},
      {"session ending", "Its last session, as in the view `sessions`"},
      {"given_up", "Those of `left` whose cells kept failing"},
      {"eta_s", "Time left of a run that goes on"},
      {"trials[].state trials[].count",
       "As in the view `accounting`; `interrupted` if the run was killed"},
      {"current_trial", "Trial that runs, or ran when the run was killed"},
      {"last_failure.trial last_failure.state last_failure.reason",
       "The last failed trial that no retry made good"},
      {"jobs[].job jobs[].state jobs[].detail jobs[].failed jobs[].left",
       "Jobs of `submit`, their nodes or why they wait, and their trials",
       true}},
     false},
    {"compare A B",
     "An object; csv has its `cells`",
     {{"a.study a.sessions b.study b.sessions", "The sides"},
      {"a.not_matched[].cell a.not_matched[].label b.not_matched[].cell b.not_matched[].label",
       "Measured cells without a partner on the other side"},
      {"lost[].cell lost[].label", "Cells without a trial in b that counts"},
      {"study_differences", "What differs in the study, in words"},
      {"differences[].name differences[].a differences[].b",
       "A fact of machine or software that differs, and its values on each side"},
      {"cells[].cell cells[].label", "Hash of the cell in b; what it varies"},
      {"cells[].is_same_cell", "0: matched by what it varies; other parameters differ"},
      {"cells[].sessions_a cells[].sessions_b cells[].trials_a cells[].trials_b",
       "Numbers of sessions and trials"},
      {"cells[].step_time_s_a cells[].step_time_s_b", "Means of the sessions' means"},
      {"cells[].speedup cells[].speedup_lo cells[].speedup_hi", "Of b over a"},
      {"cells[].confidence cells[].p_adjusted cells[].margin cells[].status",
       "As in the view `comparisons`; the trials are the sessions' means"},
      {"cells[].verdict",
       "As in the view `comparisons`, of b; also `between sessions: not attributable` and why "
       "there is no claim"}},
     false},
    {"compare STUDY",
     "A row a cell and side of a study of `run --against`",
     {kCell,
      {"side against", "The side, and the one that it is compared with"},
      {"step_time_s step_time_s_against", "Mean step times"},
      {"speedup speedup_lo speedup_hi", "Of `side` over `against`"},
      {"confidence p_adjusted margin n method verdict status", "As in the view `comparisons`"}}},
    {"history",
     "A row a change, and one of each cell without a change",
     {kCell,
      {"session", "First session after the change"},
      {"earliest latest", "First and last session that may be it instead"},
      {"p_value", "Of the change"},
      {"speedup speedup_lo speedup_hi", "Step time before over that after"},
      {"verdict",
       "faster, slower; no significant difference, not enough data; undecided: sessions depend "
       "on each other"},
      {"recorded[]", "What else changed there"}}},
    {"reproduce",
     "A row a statement",
     {{"statement", "What it is about"},
      {"verdict_there value_there lo_there hi_there", "The original: its word and numbers"},
      {"verdict_here value_here lo_here hi_here", "The same here"},
      {"outcome", "reproduced, not reproduced, undecided"}}},
    {"audit",
     "A row a figure; csv lacks `bases`",
     {{"dataset table_name figure quantity location printed",
       "The figure; names as in the view `published`"},
      {"recomputed", "What it should be, in the printed unit"},
      {"recomputed_lo recomputed_hi unit", "The same as numbers in this base unit"},
      {"difference", "Between printed and recomputed, as a share of the latter"},
      {"verdict", "follows, follows if cut off, does not follow, implausible, cannot be checked"},
      {"formula why remark needs", "How it follows, why not, the likely mistake, what is missing"},
      {"path line", "Where it is typed"},
      {"bases[].figure bases[].printed bases[].location", "The figures that it follows from"}},
     false},
    {"show CELL",
     "An object; csv has a line for each value: `view`, `row`, `name`, `value`",
     {{"cells[].study cells[].cell cells[].label cells[].role cells[].devices cells[].nodes "
       "cells[].batch_global cells[].batch_per_device cells[].oversubscribed",
       "The cell in each study that has it, as in the view `results`"},
      {"cells[].control_of cells[].baseline_cell",
       "Hashes of the cell that it is a control of, and of the one that it is compared with"},
      {"cells[].baseline_problem cells[].excluded_reason",
       "Why it is compared with none, and why the study leaves it out"},
      {"parameters[] metrics[] comparisons[] trials[]",
       "Its rows of these views; `axes` is an object"}},
     false},
    {"show TRIAL",
     "An object; csv as for a cell",
     {{"trials[] parameters[] trial_metrics[] readings[] logs[] annotations[]",
       "Its rows of these views; `axes` is an object"}},
     false}};

std::vector<std::string> words_in(std::string_view text) {
  std::istringstream words{std::string(text)};
  std::vector<std::string> all;
  for (std::string word; words >> word;) {
    all.push_back(word);
  }
  return all;
}

// "trials[].state" of every value; of an empty list and of null the key that has it.
void collect_keys(const nlohmann::json& value,
                  const std::string& path,
                  std::set<std::string>& keys) {
  if (value.is_object()) {
    for (const auto& item : value.items()) {
      collect_keys(item.value(), path.empty() ? item.key() : path + "." + item.key(), keys);
    }
  } else if (value.is_array() && !value.empty() && value.front().is_structured()) {
    for (const nlohmann::json& element : value) {
      collect_keys(element, path.empty() ? path : path + "[]", keys);
    }
  } else {
    keys.insert(path);
  }
}

bool has_column(const std::string& view, const std::string& column) {
  static const Store store = Store::open_in_memory();
  return !store.query("SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2", {view, column})
              .rows.empty();
}

bool means(const std::string& key, const std::string& printed) {
  const std::string column = printed.substr(0, printed.find('.', key.size() + 1));  // of its axes
  return key == printed || key.starts_with(printed + "[]") || key.starts_with(printed + ".") ||
         (key.ends_with("[]") && printed.starts_with(key + ".") &&
          has_column(key.substr(0, key.size() - 2), column.substr(key.size() + 1)));
}

void check_keys(const VerbKeys& verb, const std::set<std::string>& printed) {
  std::vector<std::string> told;
  for (const KeyRow& row : verb.keys) {
    for (const std::string& key : words_in(row.keys)) {
      told.push_back(key);
      INFO(verb.call << " does not print " << key);
      CHECK((row.is_rare || std::ranges::any_of(printed, [&](const std::string& each) {
               return means(key, each);
             })));
    }
  }
  for (const std::string& each : printed) {
    INFO(verb.call << " prints " << each);
    CHECK(std::ranges::any_of(told, [&](const std::string& key) { return means(key, each); }));
  }
}

std::string page_of(const std::vector<VerbKeys>& verbs) {
  std::string page =
      "# JSON and CSV of verbs\n\n"
      "`--format json` prints these keys, `--format csv` columns of the same names. Names are "
      "those of the [views](sql.md); units are part of the name (`_s`), and shares are shares of "
      "1. `query` prints the columns of its statement.\n"
      "An absent value is null in JSON and an empty field in CSV; an infinite number is null in "
      "JSON. Blocks count from 0. `x[].y` is the key `y` of each row in the list `x`.\n";
  for (const VerbKeys& verb : verbs) {
    page +=
        fmt::format("\n## {}\n\n{}.\n\n| key | meaning |\n| --- | --- |\n", verb.call, verb.form);
    for (const KeyRow& row : verb.keys) {
      page += fmt::format("| `{}` | {} |\n", fmt::join(words_in(row.keys), "`, `"), row.meaning);
    }
  }
  return page;
}

}  // namespace

TEST_CASE("the page of formats has every state of a study", "[docs]") {
  const auto list = std::ranges::find(kVerbs, std::string_view("list"), &VerbKeys::call);
  REQUIRE(list != kVerbs.end());
  const auto state = std::ranges::find(list->keys, std::string_view("state"), &KeyRow::keys);
  REQUIRE(state != list->keys.end());
  CHECK(state->meaning == join(words_of<RunState>(), ", ") + "; " + to_word(JobState::kUnknown) +
                              " if its jobs cannot be asked about");
}

TEST_CASE("the page of formats has every key that verbs print", "[docs]") {
  const std::string study =
      "version: 1\nstudy: demo\nworkload: command\n"
      "command: [sh, -c, 'test {size} -le 2 && for i in 1 2 3; do echo \"time "
      "{size}0.$SCALESTUDY_TRIAL$i\"; done']\n"
      "extract: [{metric: step_time_s, unit: ms, regex: 'time (\\S+)', group: 1}]\n"
      "axes: {size: [1, 2, 3]}\nsteps: {warmup: 0, measured: 3}\nvalidity: {calibration: none}\n"
      "trials: {count: 1}\nlimits: {retries: 0}\nanalysis: {baseline: {size: 1}}\n";
  const Workspace workspace(study);
  run_sessions(workspace, 1, 2, 3);  // size 3 fails
  REQUIRE(workspace.run({"run", workspace.study(), "--against", "OFF=1"}).exit_code == 3);
  // Has other cells than the first, and another fact.
  std::string more = study;
  more.replace(more.find("demo"), 4, "more");
  more.replace(more.find("[1, 2, 3]"), 9, "[0, 1, 3]");
  test::write_file(workspace.file("more.yaml"), more);
  REQUIRE(workspace.run({"run", workspace.file("more.yaml")}, {"OMP_NUM_THREADS=7"}).exit_code ==
          3);
  REQUIRE(workspace.run({"export", "demo", workspace.file("x")}).exit_code == 0);
  const auto one = [&](const std::string& sql) {
    const std::string row = query_row(workspace, sql);
    return row.substr(0, row.find('\n'));
  };
  const auto asked = [&](std::vector<std::string> arguments, const std::string& format) {
    arguments.insert(arguments.end(), {"--format", format});
    return arguments[0] == "reproduce" ? run_in(workspace, "mine", arguments).out
                                       : workspace.run(arguments).out;
  };
  const std::vector<std::vector<std::string>> calls{
      {"plan", workspace.study(), "--precision", "1%"},
      {"plan", workspace.study(), "--order"},
      {"list"},
      {"status"},
      {"compare", "demo@1", "more"},
      {"compare", one("SELECT DISTINCT study FROM trials WHERE study LIKE 'demo-%'")},
      {"history", "demo"},
      {"reproduce", workspace.file("x"), "--yes"},
      {"audit", SCALESTUDY_SOURCE_DIR "/docs/examples/audit"},
      {"show", one("SELECT cell FROM trials WHERE study = 'demo' AND state = 'ok'")},
      {"show", one("SELECT trial FROM trials WHERE study = 'demo' AND state = 'ok'")}};

  REQUIRE(calls.size() == kVerbs.size());
  for (std::size_t i = 0; i < kVerbs.size(); ++i) {
    CAPTURE(calls[i]);
    std::set<std::string> keys;
    collect_keys(nlohmann::json::parse(asked(calls[i], "json")), "", keys);
    check_keys(kVerbs[i], keys);
    if (kVerbs[i].is_flat) {
      const std::string csv = asked(calls[i], "csv");
      std::string head = csv.substr(0, csv.find('\n'));
      std::ranges::replace(head, ',', ' ');
      const std::vector<std::string> columns = words_in(head);
      CHECK(keys == std::set<std::string>(columns.begin(), columns.end()));
    }
  }
  test::check_page("formats.md", page_of(kVerbs));
}
