// `exclude`: takes a trial out of all results, with a reason, or back in.
#include <optional>

#include <fmt/format.h>

#include "harness/analysis/analyse.h"
#include "harness/base/clock.h"
#include "harness/cli/find_study.h"
#include "harness/cli/stored_secrets.h"
#include "harness/cli/verb.h"
#include "harness/run/outcome/reextract.h"
#include "harness/study/declared/reading.h"
#include "harness/study/parse.h"
#include "harness/text/shell_word.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

struct ExcludeOptions {
  std::optional<std::int64_t> trial;
  std::string reason;
  bool undo = false;
};

std::optional<StudyRow> study_of(const Store& store, std::int64_t trial) {
  const Field id =
      store.query("SELECT study_id FROM trial WHERE id = ?1", {trial}).rows.at(0).at(0);
  for (const StudyRow& row : store.studies()) {
    if (Field(row.id) == id) {
      return row;
    }
  }
  return std::nullopt;
}

// A trial that counts again may have values of earlier rules, since `extract` leaves excluded
// trials alone. Its logs are then read by the study's current rules. Returns whether it is ok.
bool read_by_current_rules(const Study& study,
                           std::int64_t trial,
                           Store& store,
                           Terminal& terminal) {
  bool is_ok = true;
  for (const Reread& reading : reread_logs(study, store, trial)) {
    if (reading.before.rules_hash == rules_hash(study)) {
      continue;
    }
    if (reading.record) {
      store.add_reading(*reading.record);
      is_ok = reading.after.state == TrialState::kOk;
    }
    if (!reading.what.empty() || !reading.left_alone.empty()) {
      terminal.note(fmt::format("trial {} was {} by the study's current rules: {}",
                                trial,
                                reading.left_alone.empty() ? "read again" : "not read again",
                                reading.left_alone.empty() ? reading.what : reading.left_alone));
    }
  }
  return is_ok;
}

ExitCode exclude(const ExcludeOptions& options, const std::string& results, Terminal& terminal) {
  Store store = open_existing(results);
  const std::int64_t trial = options.trial.value();
  store.annotate({.trial_id = trial,
                  .at = SystemClock().utc_now(),
                  .kind = options.undo ? AnnotationKind::kInclude : AnnotationKind::kExclude,
                  .text = printable(options.reason)});
  const std::optional<StudyRow> row = study_of(store, trial);
  const auto tell = [&](const char* what) {
    terminal.note(fmt::format(
        "trial {} {}; next: {}", trial, what, call_of(results, "report", row ? row->name : "")));
  };
  if (!options.undo) {
    tell("counts as invalid");  // also if its study cannot be read
  }
  bool is_ok = true;
  if (row) {  // its results follow at once, as after a run
    const Study study = parse_stored_study(row->source_text, row->source_path);
    if (options.undo && !study.extract.empty()) {
      terminal.hide(stored_secrets(store));
      is_ok = read_by_current_rules(study, trial, store, terminal);
    }
    store.replace_results(row->id, analyse(store, row->id, study));
  }
  if (options.undo) {
    tell(is_ok ? "counts again" : "counts as failed");
  }
  return is_ok ? ExitCode::kDone : ExitCode::kFailedTrials;
}

}  // namespace

Verb exclude_verb() {
  const auto options = std::make_shared<ExcludeOptions>();
  return {
      "exclude",
      VerbGroup::kCorrect,
      "Take a trial out of all results, or back in; reports print why",
      {{"trial", &options->trial, "Number of a trial, as in `scalestudy query trials`"},
       {"reason", &options->reason, "The reason, which must not depend on its result"},
       {"--undo", &options->undo, "Count the trial again, for this reason", "UNDO"}},
      "The trial counts as invalid, its samples stay, and the report warns of the choice.\n"
      "No later run measures it again. If the extract rules, or the preset that they name, have "
      "changed\nmeanwhile, --undo reads its logs again.\n\n"
      "Examples:\n  scalestudy exclude 17 \"a backup ran beside it\"\n"
      "  scalestudy exclude 17 --undo \"the backup ran a day earlier\"",
      with_options(options, exclude)};
}

}  // namespace scalestudy
