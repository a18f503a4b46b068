// `prune`: what old sessions of a study left goes; the newest stay.
#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/analysis/cells/sessions.h"
#include "harness/base/paths.h"
#include "harness/cli/consent.h"
#include "harness/cli/find_study.h"
#include "harness/cli/verb.h"
#include "harness/run/process/lock.h"
#include "harness/store/removal.h"
#include "harness/study/parse.h"
#include "harness/submit/jobs.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/shell_word.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

struct PruneOptions {
  std::string study;
  std::optional<std::int64_t> keep;  // absent: 1
  bool outputs = false;
  bool ranks = false;
  bool trials = false;
  bool dry_run = false;
  bool yes = false;
};

std::string size_text(std::int64_t bytes) {
  return format_size(static_cast<double>(bytes));
}

// "sessions 3, 7 to 17 (8 of 10)", by their ids, as all verbs name sessions. No session of the
// study that stays is within a range.
std::string describe_sessions(const OldSessions& old, const std::vector<SessionRow>& all) {
  std::map<std::int64_t, bool> goes;  // by id
  for (const SessionRow& session : all) {
    goes[session.id] = std::ranges::find(old.sessions, session.id) != old.sessions.end();
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
  bool is_next = false;
  for (const auto& [id, is_old] : goes) {
    if (is_old && is_next) {
      ranges.back().second = id;
    } else if (is_old) {
      ranges.emplace_back(id, id);
    }
    is_next = is_old;
  }
  std::vector<std::string> texts;
  for (const auto& [first, last] : ranges) {
    texts.push_back(first == last ? fmt::format("{}", first)
                                  : fmt::format("{} to {}", first, last));
  }
  return fmt::format("session{} {} ({} of {})",
                     old.sessions.size() == 1 ? "" : "s",
                     join(texts, ", "),
                     old.sessions.size(),
                     all.size());
}

// Studies of the store that take values from that one.
std::vector<std::string> dependents(const Store& store, const StudyRow& study) {
  std::vector<std::string> names;
  for (const StudyRow& row : store.studies()) {
    const AnalysisOptions analysis = parse_stored_study(row.source_text, row.source_path).analysis;
    const bool is_reference = std::ranges::any_of(analysis.targets, [&](const Target& target) {
      return target.source && target.source->kind == ReferenceKind::kStudy &&
             target.source->name == study.name;
    });
    if (is_reference || (analysis.communication && analysis.communication->study == study.name)) {
      names.push_back(row.name);
    }
  }
  return names;
}

// What rests on the trials that go, a line each.
std::string needed_by(const Store& store,
                      const StudyRow& study,
                      const OldSessions& old,
                      const std::string& results) {
  std::vector<std::string> lines;
  if (old.emptied_cells > 0) {
    lines.push_back(fmt::format("{} without newer trials, which will have no results",
                                format_count(old.emptied_cells, "cell")));
  }
  const fs::path report = fs::path(results) / "reports" / study.name;
  std::error_code ignored;
  if (fs::exists(report / "report.md", ignored)) {
    lines.push_back(
        fmt::format("the report {}, which cannot be made again as it is", report.string()));
  }
  lines.push_back(fmt::format("compare and history, which no longer find trials in {}",
                              describe_sessions(old, store.sessions(study.id))));
  constexpr std::size_t least = 2 * kSessionsAsUnit;
  if (old.kept < least && old.kept + old.sessions.size() >= least) {
    lines.push_back(fmt::format("history --gate, which needs {} sessions", least));
  }
  for (const std::string& name : dependents(store, study)) {
    lines.push_back(fmt::format("study {}, which takes values from {}", name, study.name));
  }
  return "These need the trials:\n- " + join(lines, "\n- ") + "\n";
}

std::string describe(const PruneOptions& options, const OldSessions& old) {
  std::string text;
  if (options.trials) {
    text += fmt::format(
        "  {}, with {} of values\n", format_count(old.trials, "trial"), size_text(old.trial_bytes));
  }
  if (options.ranks && !options.trials) {
    text += fmt::format("  {} series of single ranks, with {} of values; no result rests on them\n",
                        old.rank_series,
                        size_text(old.rank_bytes));
  }
  if (options.outputs || options.trials) {
    text += fmt::format("  outputs of {}, {} in logs\n",
                        format_count(std::ssize(old.outputs), "attempt"),
                        size_text(old.output_bytes));
  }
  return text;
}

// - store: of the study; the caller holds the lock.
void require_prunable(const PruneOptions& options, const Study& study, const std::string& results) {
  if (!study_jobs(results, study.name).empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("study {} was submitted as jobs, which need its trials; once they are "
                            "done, remove {} first",
                            study.name,
                            jobs_folder(results, study.name).string()));
  }
  if (options.trials && (study.search || study.largest)) {
    throw Error(ErrorKind::kUsage,
                "a search needs all of its trials: without the older ones it has no result; "
                "prune its --outputs or --ranks, or remove the study");
  }
}

std::int64_t store_bytes(const fs::path& results) {
  std::int64_t bytes = 0;
  for (const char* name : {"results.db", "results.db-wal"}) {
    std::error_code error;
    const auto size = fs::file_size(results / name, error);
    bytes += error ? 0 : static_cast<std::int64_t>(size);
  }
  return bytes;
}

bool has_any(const PruneOptions& options, const OldSessions& old) {
  return (options.trials && old.trials > 0) ||
         (options.ranks && !options.trials && old.rank_series > 0) ||
         ((options.outputs || options.trials) && !old.outputs.empty());
}

// - before: size of the store before rows were removed.
void make_smaller(const std::string& results, std::int64_t before, Terminal& terminal) {
  try {
    shrink(results);
  } catch (const Error& error) {
    terminal.warn(
        fmt::format("the values are removed, but the file keeps its size: {}; the next prune "
                    "of trials or ranks makes it smaller",
                    error.what()));
  }
  terminal.out(fmt::format("{}: {} -> {}\n",
                           (fs::path(results) / "results.db").string(),
                           size_text(before),
                           size_text(store_bytes(results))));
}

// The rows first: files whose rows are there are found again if this is interrupted. Returns
// whether all files are gone.
bool remove(const PruneOptions& options,
            const StudyRow& row,
            const OldSessions& old,
            const std::string& results,
            Terminal& terminal) {
  const std::int64_t before = store_bytes(results);
  if (options.trials && old.trials > 0) {
    remove_old_trials(results, row.id, old.kept);
  } else if (options.ranks && !options.trials) {
    remove_rank_series(results, row.id, old.kept);
  }
  bool is_all_gone = true;
  if (options.outputs || options.trials) {
    for (const fs::path& folder : old.outputs) {
      if (!remove_tree(fs::path(results) / folder)) {
        terminal.warn((fs::path(results) / folder).string() + " could not be removed whole");
        is_all_gone = false;
      }
    }
  }
  if (options.trials || options.ranks) {
    make_smaller(results, before, terminal);
  }
  return is_all_gone;
}

ExitCode prune(const PruneOptions& options, const std::string& results, Terminal& terminal) {
  if (!options.outputs && !options.ranks && !options.trials) {
    throw Error(ErrorKind::kUsage, "say what to remove: --outputs, --ranks or --trials");
  }
  const std::int64_t keep = options.keep.value_or(1);
  (void)stored_study(Store::open_read_only(results), options.study, results);
  std::optional<RunLock> lock;
  if (!options.dry_run) {
    lock.emplace(results);
  }
  std::optional<Store> store = Store::open_read_only(results);
  const StudyRow row = stored_study(*store, options.study, results);
  require_prunable(options, parse_stored_study(row.source_text, row.source_path), results);
  const OldSessions old = find_old_sessions(results, row, static_cast<std::size_t>(keep));
  if (old.sessions.empty()) {
    terminal.note(fmt::format(
        "{} has no session before the newest {} with a trial that ended ok", row.name, keep));
    return ExitCode::kDone;
  }
  const std::string sessions = describe_sessions(old, store->sessions(row.id));
  if ((options.outputs || options.trials) && old.linked_outputs > 0) {
    terminal.note(fmt::format("outputs of {} stay, because they are behind a link in {}",
                              format_count(old.linked_outputs, "attempt"),
                              results));
  }
  if (!has_any(options, old)) {
    terminal.note(fmt::format("nothing is left to remove in {} of {}", sessions, row.name));
    store.reset();  // a reader that closes last leaves results.db-wal behind
    if ((options.trials || options.ranks) && !options.dry_run && has_unused_space(results)) {
      make_smaller(results, store_bytes(results), terminal);
    }
    return ExitCode::kDone;
  }
  std::string what = fmt::format("{}, {}:\n{}", row.name, sessions, describe(options, old));
  if (options.trials && old.trials > 0) {
    what += needed_by(*store, row, old, results);
  }
  if (options.trials || options.ranks) {
    what += fmt::format("To keep a copy, export first: {} FOLDER\n",
                        call_of(results, "export", row.name));
  }
  if (options.dry_run) {
    terminal.out(what);
    return ExitCode::kDone;
  }
  require_consent(what + "Remove this for good?", options.yes, terminal);
  terminal.out(what);
  store.reset();  // the reader that closes last would leave results.db-wal
  const bool is_all_gone = remove(options, row, old, results, terminal);
  if (options.trials && old.trials > 0) {
    terminal.note(
        fmt::format("the results of {} are removed, too; `{}` makes them from the trials "
                    "that are left",
                    row.name,
                    call_of(results, "report", row.name)));
  }
  return is_all_gone ? ExitCode::kDone : ExitCode::kUsage;
}

}  // namespace

Verb prune_verb() {
  const auto options = std::make_shared<PruneOptions>();
  return {
      "prune",
      VerbGroup::kCorrect,
      "Remove data of old sessions of a study, and keep the newest",
      {{"study", &options->study, "Name of a study in the store, or its file"},
       {"--keep", &options->keep, "Keep the newest N sessions whole; 1 by default", {}, "N"},
       {"--outputs",
        &options->outputs,
        "Remove what their trials printed (logs/); results stay as they are"},
       {"--ranks", &options->ranks, "Remove values of single ranks that no result rests on"},
       {"--trials",
        &options->trials,
        "Remove their trials, with values and outputs; later results rest on the trials that are "
        "left"},
       {"--dry-run", &options->dry_run, "Only say what would be removed"},
       {"--yes", &options->yes, "Do not ask"}},
      "Says what would be removed, how large it is and what needs it, then asks. The file "
      "results.db\nbecomes smaller. Only an export (`scalestudy export`) can bring the values "
      "back.\n\n"
      "Examples:\n  scalestudy prune nightly --keep 30 --outputs\n"
      "  scalestudy prune nightly --keep 10 --trials --dry-run",
      with_options(options, prune)};
}

}  // namespace scalestudy
