// `list`: the studies of a store, and how each was left.
#include <fmt/format.h>

#include "harness/base/clock.h"
#include "harness/base/error.h"
#include "harness/cli/find_study.h"
#include "harness/cli/stored_secrets.h"
#include "harness/cli/study_state.h"
#include "harness/cli/verb.h"
#include "harness/submit/jobs.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

struct ListOptions {
  Format format = Format::kTable;
};

Field age(const StudyState& state, Format format) {
  if (!state.idle_s) {
    return {};
  }
  return format == Format::kTable || format == Format::kMarkdown
             ? Field(*state.idle_s < 1.0 ? "just now" : format_duration(*state.idle_s))
             : Field(*state.idle_s);
}

// The jobs of a study, if they can still change its state; none, with a warning, where they cannot
// be read.
std::vector<StudyJob> jobs_of(const StudyState& state,
                              const std::string& results,
                              Terminal& terminal) {
  try {
    return state.left() > 0 ? study_jobs(results, state.study.name) : std::vector<StudyJob>{};
  } catch (const Error& error) {
    terminal.warn(fmt::format("{}: its jobs cannot be read: {}", state.study.name, error.what()));
    return {};
  }
}

ExitCode list_studies(const ListOptions& options, const std::string& results, Terminal& terminal) {
  const std::optional<LockHolder> holder = lock_holder(results);
  const std::string now = SystemClock().utc_now();
  QueryResult table{
      .columns = {"study", "state", "ok", "not_ok", "left", "last_session", "age_s", "title"},
      .rows = {}};
  if (options.format == Format::kTable || options.format == Format::kMarkdown) {
    table.columns.at(6) = "age";
  }
  std::string waiting = holder ? holder->waiting : "";
  if (waiting.empty() || Store::exists(results)) {
    const Store store = Store::open_read_only(results);
    terminal.hide(stored_secrets(store));
    warn_of_misnamed(store, results, terminal);
    waiting = store.find_study(waiting) ? "" : waiting;
    for (const StudyRow& study : store.studies()) {
      const StudyState state = study_state(store, study, holder, now);
      table.rows.push_back({study.name,
                            word_with_jobs(state, jobs_of(state, results, terminal), results),
                            state.done() - state.unusable(),
                            state.unusable(),
                            state.left(),
                            state.session ? Field(state.session->started_at) : Field(),
                            age(state, options.format),
                            study.title});
    }
  }
  if (!waiting.empty()) {  // nothing of it is stored yet
    table.rows.push_back(
        {waiting, to_word(RunState::kWaiting), Field(), Field(), Field(), Field(), Field(), ""});
  }
  terminal.out(format_table(table, options.format, Terminal::columns()));
  return ExitCode::kDone;
}

}  // namespace

Verb list_verb() {
  const auto options = std::make_shared<ListOptions>();
  return {"list",
          VerbGroup::kLook,
          "List the studies of the store and how each was left",
          {format_option(options->format)},
          "Examples:\n  scalestudy list\n  scalestudy --results /scratch/try list --format json",
          with_options(options, list_studies)};
}

}  // namespace scalestudy
