// `logs`: what a trial printed.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>

#include <fmt/format.h>

#include "harness/base/replace_file.h"
#include "harness/cli/stored_secrets.h"
#include "harness/cli/verb.h"
#include "harness/run/output/terminal_text.h"
#include "harness/run/process/open_logs.h"
#include "harness/run/process/trial_files.h"
#include "harness/text/shell_word.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

struct LogsOptions {
  std::optional<std::int64_t> trial;
  std::string stream;  // empty: stdout and stderr
};

// Like rows of stored logs: the streams of a trial that has stored none, because it runs, or
// because its run was stopped or killed. Their secrets may not be masked in the files yet. Throws
// Error{kUsage} if `secrets`, those that are known here, are not all of them.
std::vector<std::vector<Field>> open_streams(const Store& store,
                                             const std::string& results,
                                             std::int64_t id,
                                             const std::string& stream,
                                             const std::vector<std::string>& secrets) {
  const QueryResult names = store.query(
      "SELECT trial.study_id, study.name, cell.hash FROM trial "
      "JOIN study ON study.id = trial.study_id JOIN cell ON cell.id = cell_id WHERE trial.id = ?1",
      {id});
  std::vector<std::vector<Field>> rows;
  if (names.rows.empty()) {
    return rows;
  }
  const std::vector<Field>& of_trial = names.rows.front();
  const auto& study = std::get<std::string>(of_trial.at(1));
  const std::vector<TrialRow> trials = store.trials(std::get<std::int64_t>(of_trial.at(0)));
  const auto trial = std::ranges::find(trials, id, &TrialRow::id);
  for (const bool names_plan : {false, true}) {
    const TrialFiles files(
        results, study, std::get<std::string>(of_trial.at(2)), *trial, names_plan);
    for (const auto& [name, path] : {std::pair("stdout", files.stdout_path()),
                                     {"stderr", files.stderr_path()},
                                     {"protocol", files.protocol_path()}}) {
      const std::string relative = (files.folder / path.filename()).string();
      std::error_code ignored;
      if ((stream.empty() ? path != files.protocol_path() : stream == name) &&
          fs::exists(path, ignored) &&
          store.query("SELECT 1 FROM log WHERE path = ?1", {relative}).rows.empty()) {
        rows.push_back({name, relative, std::string()});
      }
    }
  }
  for (const std::vector<Field>& row : rows) {
    const fs::path path = std::get<std::string>(row.at(1));
    const auto shown =
        shown_secrets(results, study, path.parent_path().filename().string(), secrets);
    if (!shown.empty()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("the output of trial {} is not masked yet; set {} to the value of "
                              "its run, or read the file {}",
                              id,
                              join(shown, " and "),
                              (fs::path(results) / path).string()));
    }
  }
  return rows;
}

// Stream, path and stored lines of each log that was asked for. Throws Error{kUsage} if the trial
// has none, or does not exist.
std::vector<std::vector<Field>> logs_of(const Store& store,
                                        const std::string& results,
                                        std::int64_t trial,
                                        const std::string& stream,
                                        const std::vector<std::string>& secrets) {
  if (store.query("SELECT 1 FROM trial WHERE id = ?1", {trial}).rows.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("no trial has the number {}; `{}` lists them",
                            trial,
                            call_of(results, "query", "trials")));
  }
  std::vector<std::vector<Field>> rows =
      store
          .query(
              "SELECT stream, path, text FROM log WHERE trial_id = ?1 AND path <> '' AND "
              "(stream = ?2 OR (?2 = '' AND stream IN ('stdout', 'stderr'))) "
              "ORDER BY stream DESC",
              {trial, stream})
          .rows;
  if (rows.empty()) {
    rows = open_streams(store, results, trial, stream, secrets);
  }
  if (rows.empty()) {
    throw Error(ErrorKind::kUsage, fmt::format("trial {} has left no such log", trial));
  }
  return rows;
}

ExitCode print_logs(const LogsOptions& options, const std::string& results, Terminal& terminal) {
  const Store store = Store::open_read_only(results);
  const std::vector<std::string> secrets = stored_secrets(store);
  terminal.hide(secrets);
  bool has_any = false;
  for (const std::vector<Field>& row :
       logs_of(store, results, options.trial.value(), options.stream, secrets)) {
    const auto& name = std::get<std::string>(row.at(1));
    const fs::path path = fs::path(results) / name;
    if (options.stream.empty()) {
      terminal.out(fmt::format("==> {} <==\n", path.string()));
    }
    std::ifstream file = stays_inside(name) ? open_log(path) : std::ifstream();
    std::string text = std::get<std::string>(row.at(2));
    has_any |= file.is_open() || !text.empty();
    if (!file.is_open()) {
      terminal.note(fmt::format("{} no longer exists{}",
                                path.string(),
                                text.empty() ? ", and the store has no line of it"
                                             : "; these are its last lines, from the store"));
      text += text.empty() || text.ends_with('\n') ? "" : "\n";  // the store keeps no last one
    } else {
      text.clear();
      try {
        for (std::istreambuf_iterator<char> at(file), end; at != end; ++at) {
          text += *at;
        }
      } catch (const std::ios_base::failure&) {
        terminal.note(fmt::format("{} cannot be read to its end", path.string()));
      }
    }
    if (Terminal::columns() != kAnyWidth) {  // a terminal; elsewhere as the trial printed it
      remove_escapes(text);
    }
    terminal.out(text);
  }
  return has_any ? ExitCode::kDone : ExitCode::kUsage;
}

}  // namespace

Verb logs_verb() {
  const auto options = std::make_shared<LogsOptions>();
  return {"logs",
          VerbGroup::kLook,
          "Print the kept output of a trial",
          {{"trial", &options->trial, "Number of a trial, as in `scalestudy query trials`"},
           {"--stream",
            &options->stream,
            "Print only this stream, without a heading",
            "STREAM",
            "stdout|stderr|protocol",
            {"stdout", "stderr", "protocol"}}},
          "Examples:\n  scalestudy logs 17\n  scalestudy logs 17 --stream protocol | head -1",
          with_options(options, print_logs)};
}

}  // namespace scalestudy
