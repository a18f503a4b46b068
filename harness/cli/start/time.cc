// `time`: how long whole commands take, and which is faster.
#include <filesystem>

#include <fmt/format.h>

#include "harness/base/clock.h"
#include "harness/base/paths.h"
#include "harness/base/replace_file.h"
#include "harness/base/stop.h"
#include "harness/cli/run/run_command.h"
#include "harness/cli/start/empty_launch.h"
#include "harness/cli/start/study_name.h"
#include "harness/cli/start/time_study.h"
#include "harness/cli/start/time_table.h"
#include "harness/cli/verb.h"
#include "harness/store/store.h"
#include "harness/study/matrix/matrix.h"
#include "harness/study/parse.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

struct TimeOptions {
  std::vector<std::string> commands;
  std::vector<std::string> lists;
  std::vector<std::string> names;
  std::string prepare;
  std::optional<std::int64_t> runs;
  bool no_shell = false;
};

// "time-gzip-20261122t101632": program and time of the call, so that a second call measures anew.
// The program may have been rebuilt meanwhile.
std::string new_name(const std::string& command) {
  constexpr std::size_t most = 30;
  const std::vector<std::string> words =
      split_words(command.substr(0, command.find_first_of("'\"")));
  const fs::path program = words.empty() ? "" : words.front();
  std::string when = SystemClock().utc_now();  // 2026-11-22T10:16:32Z
  std::erase_if(when, [](char c) { return c == '-' || c == ':' || c == 'Z'; });
  return study_name(
      fmt::format("time {} {}", study_name(program.filename().string()).substr(0, most), when));
}

// Writes the study to a new file below the results folder, and returns its path.
std::string write_study(const TimeOptions& options, const std::string& results) {
  const fs::path folder = fs::path(results) / "time";
  std::string name = new_name(options.commands.front());
  const std::string first_name = name;
  for (int i = 2; fs::exists(folder / (name + ".yaml")); ++i) {
    name = fmt::format("{}-{}", first_name, i);
  }
  const TimedCommands timed{.commands = options.commands,
                            .lists = options.lists,
                            .names = options.names,
                            .prepare = options.prepare,
                            .runs = options.runs.value_or(TimedCommands().runs),
                            .has_shell = !options.no_shell};
  const std::string text = time_study_text(timed, name, fs::current_path().string());
  const std::string path = (folder / (name + ".yaml")).string();
  if (const ParsedStudy parsed = parse_study(text, path, {}); !parsed.problems.empty()) {
    throw Error(ErrorKind::kUsage, format_problems(parsed.problems, text, "the study of time"));
  }
  std::error_code ignored;  // writing fails if the folder cannot be made
  create_private_folder(folder, ignored);
  replace_file(path, text);
  return path;
}

// Says that the start of a shell, or of `env -S`, is part of every time, and warns if starts vary
// too much for such short commands.
void tell_overhead(const TimeOptions& options,
                   const Study& study,
                   double shortest_s,
                   Terminal& terminal) {
  const bool has_env = study.command == std::vector<std::string>{"env", "-S", "{command}"};
  const std::vector<std::string> argv = has_env ? std::vector<std::string>{"env", "-S", "true"}
                                        : options.no_shell
                                            ? std::vector<std::string>{"true"}
                                            : std::vector<std::string>{"sh", "-c", ""};
  const std::optional<EmptyLaunch> empty = time_empty_launch(argv, stop_requested);
  if (!empty) {
    return;
  }
  if (has_env || !options.no_shell) {
    terminal.note(fmt::format(
        "These times include `{}`. An empty command takes {} here{}.",
        has_env ? "env -S" : "sh -c",
        format_duration(empty->mean_s),
        options.commands.size() == 1 && !has_env ? "; -N starts the command without it" : ""));
  }
  if (const std::string warning = short_command_warning(*empty, shortest_s); !warning.empty()) {
    terminal.warn(warning);
  }
}

// Whether the store has the study; true of a store that cannot be read.
bool is_stored(const std::string& study, const std::string& results) {
  try {
    return fs::exists(fs::path(results) / "results.db") &&
           Store::open_read_only(results).find_study(study);
  } catch (const Error&) {
    return true;
  }
}

// Runs the study. If it cannot begin, as where another run holds the lock, its file goes.
ExitCode run_or_forget(const RunCommand& run, const std::string& results, Terminal& terminal) {
  try {
    return run_command(run, results, terminal);
  } catch (const Error&) {
    if (const fs::path file = run.study; !is_stored(file.stem().string(), results)) {
      std::error_code ignored;
      fs::remove(file, ignored);
      fs::remove(file.parent_path(), ignored);  // stays if other studies are in it
    }
    throw;
  }
}

ExitCode time_commands(const TimeOptions& options, const std::string& results, Terminal& terminal) {
  const std::string path = write_study(options, results);
  const Study study = load_study(path, {});
  TimeTable table(expand(study).cells);
  RunCommand run;
  run.study = path;
  run.show = [&table](const Progress& progress, const Store& store, Terminal& where) {
    table.show(progress, store, where);
  };
  const ExitCode code = run_or_forget(run, results, terminal);
  if (code != ExitCode::kDone) {
    return code;
  }
  tell_overhead(options, study, table.shortest_s(), terminal);
  return code;
}

}  // namespace

Verb time_verb() {
  const auto options = std::make_shared<TimeOptions>();
  return {
      "time",
      VerbGroup::kStart,
      "Time whole commands and say which is faster",
      {{"command",
        &options->commands,
        "Commands, each in quotes. `sh -c` runs them and their output is discarded. The others are "
        "compared with the first"},
       {.name = "--parameter-list",
        .target = &options->lists,
        .help =
            "Run the commands with each of these values in place of {NAME}. May be repeated; all "
            "combinations run",
        .value = "NAME VALUE,...",
        .letter = "-L",
        .is_pair = true},
       {.name = "--command-name",
        .target = &options->names,
        .help = "Name of the command in reports; give one for each command",
        .value = "NAME",
        .letter = "-n"},
       {.name = "--prepare",
        .target = &options->prepare,
        .help = "A command to run before each trial, outside its time",
        .value = "COMMAND",
        .letter = "-p"},
       {.name = "--runs",
        .target = &options->runs,
        .help = "Trials of each command; default 10",
        .value = "N",
        .letter = "-r"},
       {.name = "--no-shell",
        .target = &options->no_shell,
        .help =
            "Start the commands without a shell: they are split into words, and their output goes "
            "to the logs",
        .letter = "-N"}},
      "The trials run in random order within blocks. The study is written to RESULTS/time, so that "
      "`run` can add\ntrials to it later and `report` can show it.\n\n"
      "Examples:\n  scalestudy time 'gzip -1 < file' 'gzip -9 < file'\n"
      "  scalestudy time -L level 1,6,9 'gzip -{level} < file'\n"
      "  scalestudy time --prepare 'make clean' -L jobs 1,2,4 'make -j{jobs}'",
      with_options(options, time_commands)};
}

}  // namespace scalestudy
