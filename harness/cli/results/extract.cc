// `extract`: the values of kept logs again, after a rule was mended.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "harness/analysis/analyse.h"
#include "harness/cli/consent.h"
#include "harness/cli/find_study.h"
#include "harness/cli/stored_secrets.h"
#include "harness/cli/verb.h"
#include "harness/run/outcome/reextract.h"
#include "harness/run/process/lock.h"
#include "harness/store/excluded_trials.h"
#include "harness/text/number.h"

namespace scalestudy {
namespace {

struct ExtractCommand {
  std::string study;
  std::vector<std::string> overrides;
  bool check = false;
  bool yes = false;
};

// "trial 7: step_time_s: mean 0.5 s of 10 -> mean 0.0005 s of 10", of those with something to say.
std::string readings_text(const std::vector<Reread>& trials) {
  std::string text;
  for (const Reread& trial : trials) {
    if (!trial.what.empty() || !trial.left_alone.empty()) {
      text +=
          fmt::format("trial {}: {}\n",
                      trial.before.id,
                      trial.left_alone.empty() ? trial.what : "left alone: " + trial.left_alone);
    }
  }
  return text;
}

// Stores what was read, and the results that follow.
void accept(const Study& study, const std::vector<Reread>& trials, Store& store) {
  accept_readings(study, trials, store);
  const std::int64_t study_id = store.find_study(study.name).value().id;
  store.replace_results(study_id, analyse(store, study_id, study));
}

ExitCode extract(const ExtractCommand& options, const std::string& results, Terminal& terminal) {
  const Study study = declared_study(options.study, options.overrides, results);
  std::optional<RunLock> lock;
  if (!options.check) {
    lock.emplace(results);
  }
  Store store = options.check ? Store::open_read_only(results) : open_existing(results);
  terminal.hide(stored_secrets(store));
  const std::vector<Reread> trials = reread_logs(study, store);
  const auto changed =
      std::ranges::count_if(trials, [](const Reread& trial) { return !trial.what.empty(); });
  const auto left_alone =
      std::ranges::count_if(trials, [](const Reread& trial) { return !trial.left_alone.empty(); });
  terminal.out(readings_text(trials));
  const std::string count =
      fmt::format("{}: {} of {} changed, {} left alone",
                  study.name,
                  changed,
                  format_count(static_cast<std::int64_t>(trials.size()), "trial"),
                  left_alone);
  if (options.check) {
    terminal.note(count + "; --check stores nothing");
    return changed == 0 ? ExitCode::kDone : ExitCode::kTargetMissed;
  }
  if (changed > 0) {
    require_consent(
        fmt::format("{}. Take the new values? The old ones stay as earlier attempts.", count),
        options.yes,
        terminal);
  }
  accept(study, trials, store);
  terminal.note(count + "; what they had before stays as an earlier attempt");
  const auto by_hand = excluded_by_hand(store, store.find_study(study.name).value().id);
  const bool is_all_ok = std::ranges::all_of(trials, [&](const Reread& trial) {
    return trial.after.state == TrialState::kOk || by_hand.contains(trial.before.id);
  });
  return is_all_ok ? ExitCode::kDone : ExitCode::kFailedTrials;
}

}  // namespace

Verb extract_verb() {
  const auto options = std::make_shared<ExtractCommand>();
  return {
      "extract",
      VerbGroup::kCorrect,
      "Read kept logs again after you have fixed the extract rules",
      {{"study", &options->study, "Study file with the corrected rules, or name of a stored study"},
       {"--check", &options->check, "Only show what would change; exit code 4 if anything would"},
       {"--yes", &options->yes, "Do not ask"},
       override_option(options->overrides)},
      "Nothing runs: the kept stdout and stderr are read with the current rules and this version's "
      "presets. Shows old and new values and asks before it stores them. A trial whose values "
      "change gets a new attempt; its earlier one is kept.\n\n"
      "Examples:\n  scalestudy extract my-study.yaml\n"
      "  scalestudy extract my-study --set extract.0.unit=ms --yes",
      with_options(options, extract)};
}

}  // namespace scalestudy
