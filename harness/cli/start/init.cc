// `init`: a commented study file to start from, or the folder of a report template.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "harness/base/paths.h"
#include "harness/base/read_file.h"
#include "harness/cli/start/study_name.h"
#include "harness/cli/verb.h"
#include "harness/study/declared/words.h"
#include "harness/text/shell_word.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

struct InitOptions {
  std::string path;  // file to write, or folder of a template
  bool force = false;
  bool is_template = false;
  std::string of = "scaling";         // whose main template is copied
  std::vector<std::string> partials;  // that are copied, too
};

void write_new(const fs::path& path, const std::string& text, bool force) {
  if (!force && fs::exists(path)) {
    throw Error(ErrorKind::kUsage, fmt::format("{} exists; --force overwrites it", path.string()));
  }
  std::error_code ignored;  // writing fails where the folder could not be made
  fs::create_directories(path.parent_path(), ignored);
  std::ofstream file(path);
  file << text;
  if (!file.flush()) {
    throw Error(ErrorKind::kUsage, fmt::format("{} cannot be written", path.string()));
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

ExitCode init_template(const InitOptions& options, Terminal& terminal) {
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
  terminal.note(fmt::format("wrote {}; next: scalestudy report STUDY --template {}",
                            (folder / "report.md").string(),
                            shell_word(folder.string())));
  return ExitCode::kDone;
}

ExitCode init(const InitOptions& options, const std::string& /*results*/, Terminal& terminal) {
  if (options.is_template) {
    return init_template(options, terminal);
  }
  if (!options.partials.empty()) {
    throw Error(ErrorKind::kUsage, "--partial goes with --template");
  }
  std::string text = read_file(shared_file("data/init.yaml")).value_or("");
  if (options.path == "-") {
    terminal.out(text);
    return ExitCode::kDone;
  }
  const std::string name = study_name(fs::path(options.path).stem().string());
  constexpr std::string_view shipped = "my-study";
  if (const std::size_t at = text.find(shipped); at != std::string::npos && !name.empty()) {
    text.replace(at, shipped.size(), name);
  }
  write_new(options.path, text, options.force);
  terminal.note(
      fmt::format("wrote {}; next: scalestudy plan {}", options.path, shell_word(options.path)));
  return ExitCode::kDone;
}

}  // namespace

Verb init_verb() {
  const auto options = std::make_shared<InitOptions>();
  return {
      "init",
      "Write a commented study file, or a report template, as a starting point",
      {{"file", &options->path, "File to write; - is standard output. Of a template its folder"},
       {"--force", &options->force, "Overwrite files", "FORCE"},
       {"--template",
        &options->is_template,
        "Write a report template: report.md, and the partials asked for",
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
      "Examples:\n  scalestudy init studies/my-question.yaml\n  scalestudy init -\n"
      "  scalestudy init --template house --partial answer",
      with_options(options, init)};
}

}  // namespace scalestudy
