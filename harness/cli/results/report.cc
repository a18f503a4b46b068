// `report`: analyse, render, write or check.
#include "harness/report/report.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "harness/analysis/analyse.h"
#include "harness/base/paths.h"
#include "harness/cli/find_study.h"
#include "harness/cli/gate_exit_code.h"
#include "harness/cli/own_text.h"
#include "harness/cli/results/made_report.h"
#include "harness/cli/results/side_by_side.h"
#include "harness/cli/stored_secrets.h"
#include "harness/cli/verb.h"
#include "harness/store/store.h"
#include "harness/study/declared/words.h"
#include "harness/study/parse.h"
#include "harness/text/shell_word.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

struct ReportCommand {
  std::string study;         // name, or its file
  std::string folder;        // empty: <results>/reports/<study>
  std::string own_template;  // kind, main template or a folder; empty: what the study names
  bool check = false;
  bool html = false;
  bool latex = false;
  bool full = false;
  bool gate = false;
  bool lint = false;
  bool force = false;  // overwrites what is no report
};

// The main template that --template names: a kind of report by its word, or a file.
fs::path main_template(const std::string& named) {
  if (from_word<ReportKind>(named)) {
    return shared_file("templates/" + named + ".md");
  }
  if (!fs::exists(named)) {
    const std::vector<std::string>& kinds = words_of<ReportKind>();
    const std::string close = closest_match(named, kinds);
    throw Error(ErrorKind::kUsage,
                fmt::format("--template {}: no file or folder, and no kind of report{}; these are "
                            "{}",
                            named,
                            close.empty() ? "" : " (did you mean " + close + "?)",
                            join(kinds, ", ")));
  }
  return named;
}

// A report.html or a folder latex that `folder` has from earlier belongs to its report: it is made
// anew, and checked.
ReportRequest request_for(const ReportCommand& options,
                          const StudyRow& row,
                          const Study& study,
                          const fs::path& folder) {
  const std::string& named = options.own_template;
  const bool is_folder = !from_word<ReportKind>(named) && fs::is_directory(named);
  if (is_folder) {
    require_templates(named, {"report.md", study.report_template + ".md"});
  }
  ReportRequest request = request_with(row.id, study, is_folder ? named : "");
  if (!named.empty() && !is_folder) {
    request.template_file = main_template(named);
  }
  // A folder that has no details.md was written by --full.
  request.full = options.full || (options.check && !is_folder && fs::exists(folder / "report.md") &&
                                  !fs::exists(folder / "details.md"));
  request.latex = options.latex || fs::exists(folder / "latex");
  request.html = options.html || fs::exists(folder / "report.html");
  return request;
}

// Files that somebody else wrote are not overwritten unasked.
void require_own_files(const ReportFiles& files, const fs::path& folder, bool may_overwrite) {
  const std::vector<std::string> foreign =
      may_overwrite ? std::vector<std::string>() : foreign_files(files, folder);
  if (!foreign.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--output {}: its {} is of no report that scalestudy wrote; give "
                            "another folder, or --force, which overwrites",
                            folder.string(),
                            list_some(foreign)));
  }
}

// - stored: results as they were stored
ExitCode check_report(const ReportFiles& files,
                      const fs::path& folder,
                      const Results& stored,
                      Terminal& terminal) {
  const std::vector<std::string> differing = differing_files(files, folder);
  if (differing.empty()) {
    terminal.note(fmt::format("{} matches its store ({} files)", folder.string(), files.size()));
    return ExitCode::kDone;
  }
  tell_renewal(files, differing, folder, terminal);
  if (stored.estimates.empty() && stored.threats.empty()) {
    terminal.note("the store has no results of these trials, as after a run that was killed");
  } else if (stored.analysis_version != kAnalysisVersion) {
    terminal.note(
        "the stored results are from another version of the analysis; `report` without --check "
        "computes them anew, and numbers may change");
  }
  terminal.note("to make it anew: `report` without --check (docs/how-to/renew-reports.md)");
  return ExitCode::kTargetMissed;
}

ExitCode make_report(const ReportCommand& options, const std::string& results, Terminal& terminal) {
  // Checking must not need write access: a report in a repository is checked against a read-only
  // store.
  Store store = options.check ? Store::open_read_only(results) : open_existing(results);
  terminal.hide(stored_secrets(store));
  const StudyRow row = stored_study(store, options.study, results);
  if (const auto lines = file_differences(row, options.study); !lines.empty()) {
    const std::string differs = fmt::format(
        "{} differs from the stored study of that name, which is the one reported:\n  {}\n"
        "`{} --accept-changes` adopts the change",
        options.study,
        join(lines, "\n  "),
        call_of(results, "run", options.study));
    if (options.gate) {  // which would judge by other targets than those of its file
      throw Error(ErrorKind::kUsage, differs);
    }
    terminal.note(differs);
  }
  const Study study = parse_stored_study(row.source_text, row.source_path);
  if (options.gate) {
    require_something_to_gate(study);
  }
  if (!has_own_hash(row, study)) {
    terminal.warn(
        fmt::format("study {}: its text in {} does not match its hash: one of them was changed "
                    "after its trials ran, or this version reads the text otherwise",
                    row.name,
                    results));
  }
  const fs::path folder =
      options.folder.empty() ? fs::path(results) / "reports" / row.name : fs::path(options.folder);
  const ReportRequest request = request_for(options, row, study, folder);
  const auto lint = [&] {
    const std::vector<std::string> broken = broken_rules(store, row.id);
    for (const std::string& line : broken) {
      terminal.out(line + "\n");
    }
    terminal.note(broken.empty() ? "no rule of reporting that applies is broken"
                  : broken.size() == 1
                      ? "1 rule of reporting is broken"
                      : fmt::format("{} rules of reporting are broken", broken.size()));
    return broken.empty() ? ExitCode::kDone : ExitCode::kTargetMissed;
  };
  ExitCode code = ExitCode::kDone;
  if (options.check) {
    const Results stored = store.results(row.id);
    const ReportFiles files = render_for_check(store, study, request, terminal);
    code = check_report(files, folder, stored, terminal);
  } else {
    const ReportFiles files = analyse_and_render(store, study, request, terminal);
    require_own_files(files, folder, options.force || options.folder.empty());
    write_report(files, folder);
    terminal.out((folder / "report.md").string() + "\n");
  }
  if (options.lint && code == ExitCode::kDone) {
    code = lint();
  }
  return options.gate && code == ExitCode::kDone
             ? gate_study(study, store, row.id, store.results(row.id), terminal)
             : code;
}

}  // namespace

Verb report_verb() {
  const auto options = std::make_shared<ReportCommand>();
  return {
      "report",
      VerbGroup::kStart,
      "Write the report of a study: Markdown, figures, CSV files",
      {{"study", &options->study, "Name of a study in the store, or its file"},
       {"--output",
        &options->folder,
        "Folder of the report; default <results>/reports/<study>",
        "OUTPUT_FOLDER",
        "DIR"},
       {"--template",
        &options->own_template,
        "Kind of report (" + join(words_of<ReportKind>(), ", ") +
            "), a main template, or a folder whose report.md, partials/ and figures/ replace the "
            "built-in files of the same names (`scalestudy init --template DIR` writes one; write "
            "./NAME if it is named like a kind). Figures are gnuplot scripts, which can start "
            "programs. Default: report.template of the study",
        "TEMPLATE",
        "KIND|FILE|DIR",
        {},
        words_of<ReportKind>()},
       {"--html",
        &options->html,
        "Also write a self-contained report.html; an existing one is always updated",
        "HTML"},
       {"--latex",
        &options->latex,
        "Also write the tables (booktabs) and figures (PDF) for a paper, into the folder latex; "
        "existing ones are always updated",
        "LATEX"},
       {"--full",
        &options->full,
        "Write everything into report.md instead of moving the details to details.md",
        "FULL"},
       {"--check",
        &options->check,
        "Write nothing; exit 4 if the report's files do not match the store, and say which numbers "
        "differ, or that only words do",
        "CHECK"},
       {"--lint",
        &options->lint,
        "Also print the rules of reporting that the report breaks, with what to do; exit 4 if any",
        "LINT"},
       {"--force",
        &options->force,
        "Overwrite files in the folder of --output that belong to no report",
        "FORCE"},
       {"--gate",
        &options->gate,
        "Exit 4 if a target is missed, 5 if one is undecided; if the study has no targets, compare "
        "its sides",
        "GATE"}},
      "Examples:\n  scalestudy report quickstart\n"
      "  scalestudy report quickstart --output docs/quickstart --html\n"
      "  scalestudy report quickstart --output docs/quickstart --check\n"
      "  scalestudy report quickstart --template second-device\n"
      "  scalestudy report quickstart --lint",
      with_options(options, make_report)};
}

}  // namespace scalestudy
