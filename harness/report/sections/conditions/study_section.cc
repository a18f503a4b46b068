// What was asked and how it was measured.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/base/hash.h"
#include "harness/report/answer/study_sentences.h"
#include "harness/report/input/cell_names.h"
#include "harness/report/input/estimates.h"
#include "harness/report/input/used_sessions.h"
#include "harness/report/sections/conditions/trial_texts.h"
#include "harness/report/sections/parameters.h"
#include "harness/report/sections/sections.h"
#include "harness/study/declared/step_work.h"
#include "harness/study/matrix/matrix.h"
#include "harness/study/parse.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "harness/yaml/yaml_tree.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

// Whether a speedup over other devices is over another batch as well.
bool has_other_batch(const ReportInput& input) {
  return std::ranges::any_of(input.results.comparisons, [&](const ComparisonRow& row) {
    if (row.quantity != names::kSpeedup) {
      return false;
    }
    const CellRow& cell = input.cell(row.cell_id);
    const CellRow& base = input.cell(row.baseline_cell_id);
    return cell.devices != base.devices && fixed_batch(input, cell) != fixed_batch(input, base);
  });
}

std::string scaling_sentence(const ReportInput& input) {
  const Workload workload = input.declared.workload;
  const Scaling scaling = input.study.scaling;
  const std::int64_t devices = input.cells.empty() ? 1 : input.cells.front().devices;
  const bool is_of_one_count =
      std::ranges::count(input.cells, devices, &CellRow::devices) == std::ssize(input.cells);
  if (scaling != Scaling::kNone && is_of_one_count) {
    return "no scaling: all cells have " + format_count(devices, "device");
  }
  if (workload == Workload::kCommand && scaling == Scaling::kNone) {
    return is_of_one_count ? "no scaling: its cells do the same work"
           : times_whole_commands(input.declared.extract)
               ? "no scaling: a run of the whole command counts as the same work on any number of "
                 "devices"
           : states_work(input.declared)
               ? "no scaling: a step does the same work on any number of devices"
               : "no scaling: how much work a step does on several devices is not declared";
  }
  if (workload == Workload::kCollective) {
    return "no scaling mode: nothing is trained, a step is one collective operation";
  }
  const bool is_strong = scaling == Scaling::kStrong;
  if (scaling != Scaling::kNone && has_other_batch(input)) {
    return fmt::format(
        "{} scaling, but some cells have another {} than their base, so their speedup is not "
        "due to the number of devices alone",
        to_word(scaling),
        is_strong ? "global batch" : "batch per device");
  }
  if (is_strong) {
    return "strong scaling: the global batch stays the same and is divided among the devices";
  }
  if (scaling == Scaling::kWeak) {
    return "weak scaling: the batch per device stays the same and the global batch grows with the "
           "devices";
  }
  return "no scaling mode: neither the global batch nor the batch per device is an axis of this "
         "study";
}

// The steps of a trial as the study asks for them, and as sessions of results did before a change.
void fill_steps(View& view, const ReportInput& input) {
  const Steps& now = input.declared.steps;
  auto [least, most] = std::pair(now.warmup, now.warmup);
  bool is_timed = now.warmup_time_s > 0.0;
  std::set<std::string> others;
  for (const SessionInput* session : used_sessions(input)) {
    if (session->row.study_text && session->row.study_hash != input.study.hash) {
      const Steps steps = parse_stored_study(*session->row.study_text, "").steps;
      least = std::min(least, steps.warmup);
      most = std::max(most, steps.warmup);
      is_timed = is_timed || steps.warmup_time_s > 0.0;
      others.insert(steps_sentence(steps));
    }
  }
  std::string sentence = steps_sentence(now);
  others.erase(sentence);
  for (const std::string& other : others) {
    sentence += " Other sessions: " + other;
  }
  const std::string length = least == 0 ? ""
                                        : (is_timed || least < most ? " of at least " : " of ") +
                                              format_count(least, "step");
  view.set_text("warmup", is_timed || most > 0 ? "after a warm-up" + length : "without warm-up");
  view.set_text("steps_sentence", sentence);
  view.set_text("measured_steps", measured_steps(input));
}

const char* control_text(CellRole control) {
  switch (control) {
    case CellRole::kNoop:
      return "each cell of several devices again with communication switched off";
    case CellRole::kBarrier:
      return "each cell of several devices again, sending only one element per rank of each "
             "bucket: the communication that is left is waiting for other ranks";
    case CellRole::kStartWait:
      return "each cell of several devices with overlap poll again by the same calls, each "
             "waited for at once";
    case CellRole::kDeviceMatch:
      return "a cell of one device again on each further device, with nothing on the others: "
             "whether the devices are equal";
    case CellRole::kMeasured:
    case CellRole::kAa:
      break;
  }
  return "each baseline cell again under a second name: a difference here is an error of the "
         "method";
}

View::List controls(const Study& study) {
  View::List rows;
  for (const CellRole control : study.controls) {
    View row;
    row.set_text("name", to_word(control));
    row.set_text("value", control_text(control));
    rows.push_back(std::move(row));
  }
  return rows;
}

// Else it is the default, whatever metrics have of their own.
bool declares_margin(const ReportInput& input) {
  std::vector<Problem> ignored;  // it was run
  const YamlNode tree = parse_yaml(input.study.source_text, ignored);
  const YamlNode* analysis = tree.find("analysis");
  return analysis != nullptr && analysis->find("margin") != nullptr;
}

// What makes the study's numbers emulated; "" where nothing does.
std::string emulation(const ReportInput& input) {
  const Study& study = input.declared;
  std::vector<std::string> causes;
  if (has_declared_compute(study)) {
    causes.emplace_back("the ranks of its trials slept for declared times (compute: declared)");
  }
  if (has_emulated_links(study)) {
    causes.emplace_back(
        "ranks of its trials were joined by links of a declared rate within one machine "
        "(interconnect.bandwidth)");
  }
  if (causes.empty() && is_emulated(input)) {
    causes.emplace_back("the program of its trials says that its ranks slept (fact emulated)");
  }
  return join(causes, ", ");
}

// A fence longer than any run of backticks in the text, so that no line of it can end the block.
std::string fence_for(const std::string& text) {
  std::size_t longest = 2;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  std::string fence(longest + 1, '`');
  return fence;
}

void fill_study(View& view, const ReportInput& input, const Figures& /*figures*/) {
  const Study& study = input.declared;
  view.set_text("study_name", input.study.name);
  view.set_text("title", input.study.title.empty() ? input.study.name : input.study.title);
  // Printed as it is: of what is no hash, the hash of the text.
  view.set_text("study_hash",
                is_text_hash(input.study.hash) ? input.study.hash : study_hash(study));
  view.set_text("source_path", input.study.source_path);
  const bool has_newline = input.study.source_text.ends_with('\n');
  view.set_text("source_text", input.study.source_text + (has_newline ? "" : "\n"));
  view.set_text("source_fence", fence_for(input.study.source_text));
  view.set_text("workload", to_word(study.workload));
  view.set_text("command", join(study.command, " "));
  view.set_text("scaling", to_word(input.study.scaling));
  view.set_text("scaling_sentence", scaling_sentence(input));
  view.set_flag("is_emulated", is_emulated(input));
  view.set_flag("is_imported", is_imported(input));
  view.set_text("emulation", emulation(input));
  view.set_text("measured", measured_word(input));
  view.set_text("device_sentence", device_sentence(study));
  view.set_text("baseline", parameters_text(input, study.analysis.baseline));
  view.set_text("confidence", format_percent(study.analysis.confidence));
  view.set_text("confidences", confidence_text(input));
  view.set_text("margin", margins_text(study.analysis));
  view.set_flag("declares_margin", declares_margin(input));
  const auto has_threat = [&input](ThreatKind kind) {
    return std::any_of(input.results.threats.begin(),
                       input.results.threats.end(),
                       [kind](const ThreatRow& threat) { return threat.kind == kind; });
  };
  view.set_flag("has_comparisons", !input.results.comparisons.empty());
  view.set_flag("analysis_changed", has_threat(ThreatKind::kChangedAnalysis));
  view.set_flag("is_sequential", has_threat(ThreatKind::kSequential));
  view.set_text("trials_sentence", trial_count_text(input));
  fill_steps(view, input);
  view.set_text("step_time_definition", step_time_definition(input));
  view.set_flag("has_order", std::ranges::count_if(input.cells, [](const CellRow& cell) {
                               return !cell.excluded_reason;
                             }) > 1);
  view.set_text("order_sentence", order_text(input));
  view.set_text("outlier_rule", outlier_sentence(study.analysis.outliers));
  const OutlierRule standard;
  view.set_flag("has_default_outliers",
                study.analysis.outliers.rule == standard.rule &&
                    study.analysis.outliers.threshold == standard.threshold);
  view.set_text("currency", study.cost ? study.cost->currency : "");
  view.set_text("price",
                study.cost ? format_declared(std::max(study.cost->price.per_device_hour,
                                                      study.cost->price.per_node_hour))
                           : "");
  view.set_list("parameters", fixed_rows(input));
  const EffectiveTexts effective = effective_texts(input);
  view.set_text("defaults", effective.defaults);
  view.set_text("precision_and_optimizer", effective.precision_and_optimizer);
  view.set_list("axes", varied_rows(input));
  view.set_list("controls", controls(study));
  view.set_flag("is_adaptive", study.trials.until.has_value());
}

}  // namespace

Section study_section() {
  using enum TagKind;
  return {
      {{"study_name", kText, "name of the study"},
       {"title", kText, "its title"},
       {"study_hash", kText, "hash over everything that decides what is measured"},
       {"source_path", kText, "study file as it was given"},
       {"source_text", kText, "the study file's text; raw, between source_fence lines"},
       {"source_fence", kText, "a code fence that no line of the text can end"},
       {"workload", kText, "workload: train, collective or command"},
       {"command", kText, "command line of a `command` workload"},
       {"scaling", kText, "strong, weak or none"},
       {"scaling_sentence", kText, "what that means"},
       {"is_emulated",
        kFlag,
        "ranks slept for declared times, or were joined by emulated links: no number is "
        "measured"},
       {"is_imported", kFlag, "trials were read from logs: scalestudy did not run them"},
       {"emulation", kText, "which of the two it was, as a sentence without its end"},
       {"measured", kText, "measured, emulated or imported"},
       {"device_sentence",
        kText,
        "that a device is a CPU core, or how far a GPU's backend is tested"},
       {"baseline", kText, "declared baseline: 1 device"},
       {"confidence", kText, "confidence of intervals that are of no comparison: 95 %"},
       {"confidences",
        kText,
        "confidence of intervals, with that of comparisons where looks raise it: 95 % "
        "(comparisons: 98.11 to 98.46 %)"},
       {"margin", kText, "differences below it do not matter: 2 % (loss: 0.01 %)"},
       {"declares_margin", kFlag, "the study says which margin matters to it, not a metric alone"},
       {"has_comparisons", kFlag, "some cell is compared with another"},
       {"analysis_changed",
        kFlag,
        "the analysis is not the one that the first trials were run under"},
       {"is_sequential",
        kFlag,
        "trials are still to run, or their number was changed after some had"},
       {"trials_sentence", kText, "trials of each cell"},
       {"steps_sentence",
        kText,
        "how many steps of a trial are measured, after how many of warm-up"},
       {"warmup", kText, "of a trial: after a warm-up of at least 5 steps"},
       {"measured_steps", kText, "step times of a trial that are used: 20, or 20 to 312"},
       {"step_time_definition", kText, "what the time of a step is, and what follows from it"},
       {"has_order", kFlag, "there are several cells, which take turns"},
       {"order_sentence", kText, "order of the trials and its seed"},
       {"outlier_rule", kText, "rule that flags: modified-z > 3.5"},
       {"has_default_outliers", kFlag, "it is that one, whose false alarms are known"},
       {"currency", kText, "currency of the price"},
       {"price", kText, "price of one device, or node, for one hour"},
       {"parameters", kList, "parameters that are the same for every cell"},
       {"parameters.name", kText, "name"},
       {"parameters.value", kText, "value"},
       {"defaults", kText, "of the others those that a time depends on: precision fp32, seed 1"},
       {"precision_and_optimizer",
        kText,
        "precision fp32, optimizer sgd: of train, given or by default"},
       {"axes", kList, "what is varied"},
       {"axes.name", kText, "name; together: values that move so; one more cell: of include"},
       {"axes.value", kText, "values"},
       {"controls", kList, "control arms that the harness added"},
       {"controls.name", kText, "noop, barrier, start_wait, aa or device_match"},
       {"controls.value", kText, "what it is"},
       {"is_adaptive", kFlag, "the study stops at a precision (`trials: {until}`)"}},
      fill_study};
}

}  // namespace scalestudy::report
