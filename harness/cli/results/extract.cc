// `extract`: the values of kept logs again, after a rule was mended.
#include <fmt/format.h>

#include "harness/analysis/analyse.h"
#include "harness/cli/find_study.h"
#include "harness/cli/stored_secrets.h"
#include "harness/cli/verb.h"
#include "harness/run/outcome/reextract.h"
#include "harness/run/process/lock.h"
#include "harness/text/number.h"

namespace scalestudy {
namespace {

struct ExtractCommand {
  std::string study;
  std::vector<std::string> overrides;
};

ExitCode extract(const ExtractCommand& options, const std::string& results, Terminal& terminal) {
  const Study study = declared_study(options.study, options.overrides, results);
  const RunLock lock(results);
  Store store = open_existing(results);
  terminal.hide(stored_secrets(store));
  const std::vector<Reread> trials = reread_logs(study, store);
  const std::int64_t study_id = store.find_study(study.name).value().id;
  store.replace_results(study_id, analyse(store, study_id, study));
  std::int64_t changed = 0;
  std::int64_t left_alone = 0;
  bool is_all_ok = true;
  for (const Reread& trial : trials) {
    changed += trial.what.empty() ? 0 : 1;
    left_alone += trial.left_alone.empty() ? 0 : 1;
    is_all_ok = is_all_ok && trial.after.state == TrialState::kOk;
    if (!trial.what.empty() || !trial.left_alone.empty()) {
      terminal.out(
          fmt::format("trial {}: {}\n",
                      trial.before.id,
                      trial.left_alone.empty() ? trial.what : "left alone: " + trial.left_alone));
    }
  }
  terminal.note(
      fmt::format("{}: {} of {} changed, {} left alone; what they had before stays as an "
                  "earlier attempt",
                  study.name,
                  changed,
                  format_count(static_cast<std::int64_t>(trials.size()), "trial"),
                  left_alone));
  return is_all_ok ? ExitCode::kDone : ExitCode::kFailedTrials;
}

}  // namespace

Verb extract_verb() {
  const auto options = std::make_shared<ExtractCommand>();
  return {
      "extract",
      VerbGroup::kCorrect,
      "Read kept logs again after you have fixed the extract rules",
      {{"study", &options->study, "Study file with the mended rules, or name of a stored study"},
       override_option(options->overrides)},
      "Nothing runs: stdout and stderr that trials left are read by the rules as they are now. "
      "A trial whose values change gets a further attempt; its earlier one stays.\n\n"
      "Examples:\n  scalestudy extract my-study.yaml\n"
      "  scalestudy extract my-study --set extract.0.unit=ms",
      with_options(options, extract)};
}

}  // namespace scalestudy
