// docs/reference/files.md: the files of a results folder, held to those that a run and a report
// leave.
#include <array>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "tests/cli/cli_fixture.h"
#include "tests/docs/page.h"
#include "tests/support/catch.h"

using namespace scalestudy;
namespace fs = std::filesystem;

namespace {

enum class Left {
  kAlways,     // by a run with logs, and a report with --html and --latex
  kSometimes,  // by other verbs, or for a while
};

struct FileRow {
  std::string_view path;  // STUDY, TRIAL, NAME and COMMIT stand for names
  Left left;
  std::string_view meaning;
};

constexpr auto kFiles = std::to_array<FileRow>({
    {"results.db", Left::kAlways, "The store: every trial, sample and result, in SQLite."},
    {"results.db-wal", Left::kSometimes, "Part of the store while a program has it open."},
    {"results.db-shm", Left::kSometimes, "Part of the store while a program has it open."},
    {"lock", Left::kAlways, "Locked by the one run that may write here."},
    {"unstored.json",
     Left::kSometimes,
     "A finished trial that is not in the store yet. The next `run` stores it."},
    {"logs/STUDY/TRIAL/stdout", Left::kAlways, "What the trial printed to standard output."},
    {"logs/STUDY/TRIAL/stderr", Left::kAlways, "What the trial printed to standard error."},
    {"logs/STUDY/TRIAL/run.sh", Left::kAlways, "A script that repeats the trial by hand."},
    {"logs/STUDY/TRIAL/protocol.jsonl",
     Left::kSometimes,
     "The trial's record, written by `train`, `collective` and programs that use the trial "
     "protocol."},
    {"logs/STUDY/TRIAL/files",
     Left::kSometimes,
     "The folder `{trial_folder}`, with what the trial wrote there."},
    {"logs/STUDY/TRIAL/setup.stdout",
     Left::kSometimes,
     "What `setup` printed; likewise `cleanup`."},
    {"logs/STUDY/unmasked-TRIAL",
     Left::kSometimes,
     "Marks a trial whose logs may still hold secrets after a kill. The next `run` masks them if "
     "it has these secrets."},
    {"check", Left::kSometimes, "The results folder of `run --check`."},
    {"time/STUDY.yaml", Left::kSometimes, "The study files that `time` wrote."},
    {"checkouts/COMMIT", Left::kSometimes, "Git worktrees of `run --against`."},
    {"jobs/STUDY", Left::kSometimes, "Jobs of `submit`, each with a results folder of its own."},
    {"reports/STUDY/report.md", Left::kAlways, "The report."},
    {"reports/STUDY/details.md", Left::kAlways, "Everything behind the report."},
    {"reports/STUDY/report.html", Left::kAlways, "The report as one page (`report --html`)."},
    {"reports/STUDY/figures/NAME.svg", Left::kAlways, "Its figures."},
    {"reports/STUDY/data/NAME.csv", Left::kAlways, "Its [tables](#tables-of-a-report)."},
    {"reports/STUDY/latex/NAME.tex",
     Left::kAlways,
     "The tables of its pages for a paper (`report --latex`)."},
    {"reports/STUDY/latex/NAME.pdf", Left::kAlways, "Its figures for a paper."},
    {"reports/STUDY/results.json", Left::kAlways, "The rows of the views that it rests on."},
    {"reports/STUDY/CITATION.cff", Left::kAlways, "How to cite it."},
});

struct TableRow {
  std::string_view file;
  std::string_view view;
  std::string_view rows;
};

// tests/report/files/csv_test.cc holds it to the files.
constexpr auto kTables = std::to_array<TableRow>({
    {"results.csv", "metrics", "All statistics but times of phases."},
    {"phases.csv", "metrics", "Times of the phases of a step."},
    {"speedups.csv", "comparisons", "Speedups, efficiencies, choices, effects of settings."},
    {"overhead.csv", "comparisons", "What communication, synchronization and transfers cost."},
    {"controls.csv", "comparisons", "A/A, overlap and device controls."},
    {"metrics.csv", "comparisons", "The metrics of `analysis.metrics` and `analysis.time_to`."},
    {"thresholds.csv", "thresholds", "All."},
    {"laws.csv", "laws", "All."},
    {"law_choices.csv", "law_choices", "All."},
    {"projections.csv", "projections", "All."},
    {"targets.csv", "targets", "All."},
    {"trials.csv",
     "trials",
     "All. `counts`, `flagged_trial` and `flagged_steps` say which trials count and what is marked "
     "as an outlier."},
    {"search.csv", "search", "All, without what `comparisons` says of the setting."},
    {"volumes.csv", "volumes", "All."},
    {"published.csv", "published", "Those of this study."},
});

// logs/demo/f1315364-b0-a1/stdout: logs/STUDY/TRIAL/stdout.
std::string as_described(const fs::path& path) {
  std::vector<std::string> parts;
  for (const fs::path& part : path) {
    parts.push_back(part.string());
  }
  if (parts.size() > 1) {
    parts[1] = "STUDY";
  }
  if (parts.size() == 4) {
    parts[2] = parts[0] == "logs" ? "TRIAL" : parts[2];
    parts[3] = parts[0] == "reports" ? "NAME" + path.extension().string() : parts[3];
  }
  return fmt::format("{}", fmt::join(parts, "/"));
}

}  // namespace

TEST_CASE("the page of files has those that a run and a report leave", "[docs]") {
  const test::Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  REQUIRE(workspace.run({"report", "demo", "--html", "--latex"}).exit_code == 0);
  std::set<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(workspace.results())) {
    if (!entry.is_directory()) {
      found.insert(as_described(fs::relative(entry.path(), workspace.results())));
    }
  }

  std::string page =
      "# Files of a results folder\n\n"
      "`scalestudy` keeps everything in one folder: `results`, or the one that `--results` or "
      "`SCALESTUDY_RESULTS` names.\n\n"
      "| file | what it is |\n| --- | --- |\n";
  for (const FileRow& file : kFiles) {
    page += fmt::format("| `{}` | {} |\n", file.path, file.meaning);
    CAPTURE(file.path);
    CHECK((found.erase(std::string(file.path)) == 1 || file.left == Left::kSometimes));
  }
  CAPTURE(found);
  CHECK(found.empty());  // no file lacks a row
  page +=
      "\n## Tables of a report\n\n"
      "Each file in `data` has rows of a [view](sql.md), in full precision and with the view's "
      "column names; the values of a list are separated by spaces. Tables of cells also have the "
      "conditions of each cell, and comparisons the test for equivalence. `baseline_cell` is "
      "the hash of `baseline`; `trials` and `baseline_trials` are the trials behind a row.\n"
      "If a study has nothing for a table, its file is missing or has no rows.\n\n"
      "| file | view | rows |\n| --- | --- | --- |\n";
  for (const TableRow& table : kTables) {
    page += fmt::format("| `{}` | `{}` | {} |\n", table.file, table.view, table.rows);
  }
  test::check_page("files.md", page);
}
