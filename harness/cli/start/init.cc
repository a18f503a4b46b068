// `init`: a study file to start from - of a command, of a kind of study, with all keys - or the
// folder of a report template.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "harness/base/paths.h"
#include "harness/base/read_file.h"
#include "harness/base/replace_file.h"
#include "harness/cli/start/init_command.h"
#include "harness/cli/start/study_name.h"
#include "harness/cli/verb.h"
#include "harness/study/declared/words.h"
#include "harness/text/quantity.h"
#include "harness/text/shell_word.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

struct InitOptions {
  std::string path;                  // file to write, or folder of a template
  std::vector<std::string> command;  // to run once, and to write a study of
  std::vector<std::string> lists;    // values of its placeholders
  std::string limit = "1min";        // of that run
  std::string kind;                  // of study; empty: train
  bool is_all = false;               // with all keys, commented
  bool force = false;
  bool is_template = false;
  std::string of = "scaling";         // whose main template is copied
  std::vector<std::string> partials;  // that are copied, too
};

void require_new(const fs::path& path, bool force) {
  if (!force && fs::exists(path)) {
    throw Error(ErrorKind::kUsage, fmt::format("{} exists; --force overwrites it", path.string()));
  }
}

void write_new(const fs::path& path, const std::string& text, bool force) {
  require_new(path, force);
  std::error_code ignored;  // what cannot be looked at cannot be written
  const fs::file_status known = fs::status(path, ignored);
  if (!fs::exists(known) || fs::is_regular_file(known)) {
    replace_file(fs::exists(known) ? fs::canonical(path) : path, text);  // where a link leads
  } else if (const int error = overwrite(path, text); error != 0) {      // into a device or a pipe
    throw Error(ErrorKind::kUsage, cannot_write(path, error));
  }
}

// Names of the shipped partials.
std::vector<std::string> partial_names() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(shared_file("templates/partials"))) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

void require_partial(const std::string& name, const std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), name) != names.end()) {
    return;
  }
  const std::string close = closest_match(name, names);
  throw Error(ErrorKind::kUsage,
              fmt::format("--partial {}: no partial has this name{}; there are {}",
                          name,
                          close.empty() ? "" : ", did you mean " + close + "?",
                          join(names, ", ")));
}

ExitCode init_template(const InitOptions& options, const std::string& results, Terminal& terminal) {
  constexpr const char* comment =
      "{{! A report template: move, drop or add lines. A line > NAME in double braces is the file "
      "of "
      "that name in partials/, yours where this folder has one, else that of the product. All "
      "names that "
      "may stand here: templates/README.md of scalestudy. }}\n";
  const std::vector<std::string> names = partial_names();
  for (const std::string& name : options.partials) {
    require_partial(name, names);
  }
  const fs::path folder = options.path;
  const auto shipped = [](const std::string& name) {
    return read_file(shared_file("templates/" + name)).value_or("");
  };
  write_new(folder / "report.md", comment + shipped(options.of + ".md"), options.force);
  for (const std::string& name : options.partials) {
    write_new(
        folder / "partials" / (name + ".md"), shipped("partials/" + name + ".md"), options.force);
  }
  terminal.note(fmt::format("wrote {}; next: {} --template {}",
                            (folder / "report.md").string(),
                            call_of(results, "report", "STUDY"),
                            shell_word(folder.string())));
  return ExitCode::kDone;
}

// The text of the study file that was asked for.
std::string study_text(const InitOptions& options, const std::string& name, Terminal& terminal) {
  if (!options.command.empty()) {
    const Quantity limit = parse_duration_s(options.limit);
    if (!limit.value || !(*limit.value > 0.0)) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("--limit {}: write a time, e.g. --limit 2min", options.limit));
    }
    return study_of_command(
        {.command = options.command, .lists = options.lists, .limit_s = *limit.value},
        name,
        terminal);
  }
  const std::string kind = options.is_all ? "all" : options.kind.empty() ? "train" : options.kind;
  std::string text = read_file(shared_file("data/init/" + kind + ".yaml")).value_or("");
  constexpr std::string_view shipped = "my-study";
  if (const std::size_t at = text.find(shipped); at != std::string::npos) {
    text.replace(at, shipped.size(), name);
  }
  return text;
}

void require_one_way(const InitOptions& options) {
  if (!options.partials.empty() && !options.is_template) {
    throw Error(ErrorKind::kUsage, "--partial goes with --template");
  }
  if (!options.lists.empty() && options.command.empty()) {
    throw Error(ErrorKind::kUsage, "-L goes with a command: init FILE -L NAME VALUES -- COMMAND");
  }
  if (options.limit != InitOptions().limit && options.command.empty()) {
    throw Error(ErrorKind::kUsage,
                "--limit goes with a command: init FILE --limit TIME -- COMMAND");
  }
  if (options.of != InitOptions().of && !options.is_template) {
    throw Error(ErrorKind::kUsage, "--of goes with --template");
  }
  const bool is_study = fs::path(options.path).extension().string().starts_with(".y");
  if (!options.command.empty() && !is_study && find_program(options.path)) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("{0} is also a program; if it is the file to write, call it {0}.yaml; if "
                    "it is the command: init FILE -- {0} ...",
                    options.path));
  }
  const int ways = (options.command.empty() ? 0 : 1) + (options.kind.empty() ? 0 : 1) +
                   (options.is_all ? 1 : 0) + (options.is_template ? 1 : 0);
  if (ways > 1) {
    throw Error(ErrorKind::kUsage,
                "a command, --kind, --all and --template do not go together; choose one");
  }
}

ExitCode init(const InitOptions& options, const std::string& results, Terminal& terminal) {
  require_one_way(options);
  if (options.is_template) {
    return init_template(options, results, terminal);
  }
  const bool is_output = options.path == "-";
  if (!is_output) {
    require_new(options.path, options.force);  // before the command runs
  }
  const std::string stem = study_name(fs::path(options.path).stem().string());
  const std::string text =
      study_text(options, stem.empty() ? std::string("my-study") : stem, terminal);
  if (is_output) {
    terminal.out(text);
    return ExitCode::kDone;
  }
  write_new(options.path, text, options.force);
  terminal.note(
      options.command.empty()
          ? fmt::format("wrote {}; next: {}", options.path, call_of(results, "plan", options.path))
          : fmt::format("wrote {}; check it, then: {} --check",
                        options.path,
                        call_of(results, "run", options.path)));
  return ExitCode::kDone;
}

}  // namespace

Verb init_verb() {
  const auto options = std::make_shared<InitOptions>();
  return {"init",
          VerbGroup::kStart,
          "Write a study file for your command, or of another kind",
          {{"file",
            &options->path,
            "File to write (- is standard output); with --template, the folder"},
           {"[command]",
            &options->command,
            "Your program and its arguments, after --. It runs once, so that its output can be "
            "recognised"},
           {.name = "--parameter-list",
            .target = &options->lists,
            .help = "Values of {NAME} in the command, for the study to compare; the first is used "
                    "for the run. {devices} and {batch_global} need no list",
            .value = "NAME VALUE,...",
            .letter = "-L",
            .is_pair = true},
           {.name = "--limit",
            .target = &options->limit,
            .help = "Stop the command after this time; default 1min",
            .value = "TIME"},
           {.name = "--kind",
            .target = &options->kind,
            .help = "Kind of study; default train",
            .value = "KIND",
            .allowed = {"train", "collective", "command", "search"}},
           {.name = "--all",
            .target = &options->is_all,
            .help = "Write the long file, which explains every key"},
           {"--force", &options->force, "Overwrite files", "FORCE"},
           {"--template",
            &options->is_template,
            "Write a report template: report.md and the partials that you name",
            "INIT_TEMPLATE"},
           {"--of",
            &options->of,
            "Kind of report whose main template is copied; default scaling",
            "INIT_OF",
            "KIND",
            words_of<ReportKind>()},
           {"--partial",
            &options->partials,
            "Copy this partial too, to change it; may be given several times",
            "INIT_PARTIAL",
            "NAME"}},
          "Examples:\n  scalestudy init my.yaml -- torchrun train.py --batch={batch_global}\n"
          "  scalestudy init my.yaml -L threads 1,2,4 -- ./solve --threads={threads}\n"
          "  scalestudy init my.yaml --kind collective\n"
          "  scalestudy init --template house --partial answer",
          with_options(options, init)};
}

}  // namespace scalestudy
