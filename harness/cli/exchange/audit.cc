// `audit`: datasets -> findings as a table, JSON, CSV or a report.
#include "harness/audit/audit.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "harness/audit/draft/draft.h"
#include "harness/audit/figure/quantity.h"
#include "harness/base/paths.h"
#include "harness/base/read_file.h"
#include "harness/base/replace_file.h"
#include "harness/cli/table.h"
#include "harness/cli/verb.h"
#include "harness/report/audit_report.h"
#include "harness/text/json.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

struct AuditCommand {
  std::vector<std::string> datasets;  // folders of datasets, or of such folders; or init and a file
  Format format = Format::kTable;
  std::string output;         // file; empty: standard output; of init a folder, empty: its name
  std::string template_file;  // of --format markdown; empty: templates/audit.md
  bool all = false;           // the table shows what follows and what cannot be checked, too
  bool gate = false;          // exit 4 when something does not follow, 5 when nothing is checked
};

using audit::Finding;
using Audited = report::AuditedDataset;

std::string full_name(const Finding& finding) {
  return finding.table.empty() ? finding.figure : finding.table + ": " + finding.figure;
}

// "throughput / baseline throughput: printed 0.05 % above what follows".
std::string reason(const Finding& finding) {
  std::string text = finding.formula;
  text += (text.empty() || finding.why.empty() ? "" : ": ") + finding.why;
  text += (finding.remark.empty() ? "" : "; ") + finding.remark;
  return text + (finding.needs.empty() ? "" : "; to check it: ") + finding.needs;
}

QueryResult as_rows(const std::vector<Audited>& audited, bool flagged_only) {
  QueryResult result;
  result.columns = {
      "dataset", "where", "figure", "printed", "recomputed", "verdict", "formula and reason"};
  for (const Audited& item : audited) {
    for (const Finding& finding : item.findings) {
      if (flagged_only && (finding.verdict == audit::Verdict::kFollows ||
                           finding.verdict == audit::Verdict::kCannotBeChecked)) {
        continue;
      }
      result.rows.push_back({finding.dataset,
                             finding.where,
                             full_name(finding),
                             finding.printed,
                             finding.recomputed_text,
                             std::string(verdict_name(finding.verdict)),
                             reason(finding)});
    }
  }
  return result;
}

Field text_field(const std::string& text) {
  return text.empty() ? Field() : Field(text);
}

// For programs: every figure, its numbers in base units.
QueryResult exact_figures(const std::vector<Audited>& audited) {
  QueryResult result;
  result.columns = {"dataset",
                    "table_name",
                    "figure",
                    "quantity",
                    "location",
                    "printed",
                    "recomputed",
                    "recomputed_lo",
                    "recomputed_hi",
                    "unit",
                    "difference",
                    "verdict",
                    "formula",
                    "why",
                    "remark",
                    "needs",
                    "path",
                    "line"};
  for (const Audited& item : audited) {
    for (const Finding& finding : item.findings) {
      const auto& range = finding.recomputed;
      result.rows.push_back({finding.dataset,
                             text_field(finding.table),
                             finding.figure,
                             finding.quantity,
                             text_field(finding.where),
                             finding.printed,
                             text_field(finding.recomputed_text),
                             range ? Field(range->lo) : Field(),
                             range ? Field(range->hi) : Field(),
                             range ? text_field(std::string(audit::base_unit(
                                         audit::find_quantity(finding.quantity)->dimension)))
                                   : Field(),
                             number_field(finding.difference),
                             std::string(verdict_name(finding.verdict)),
                             text_field(finding.formula),
                             text_field(finding.why),
                             text_field(finding.remark),
                             text_field(finding.needs),
                             finding.place.file,
                             static_cast<std::int64_t>(finding.place.line)});
    }
  }
  return result;
}

// The figures, each with the figures that it is recomputed from. An infinite end of a bound is
// null.
std::string json_text(const std::vector<Audited>& audited) {
  const JsonText figures = json_rows(exact_figures(audited));
  JsonText list = JsonText::list();
  std::size_t row = 0;
  for (const Audited& item : audited) {
    for (const Finding& finding : item.findings) {
      JsonText object = figures.members().at(row++).second;
      object["bases"] = JsonText::list();
      for (const audit::Base& base : finding.bases) {
        object["bases"].push_back(JsonText::object(
            {{"figure", base.figure}, {"printed", base.printed}, {"location", base.where}}));
      }
      list.push_back(std::move(object));
    }
  }
  return list.dump(2) + "\n";
}

std::size_t count(const std::vector<Audited>& audited, audit::Verdict verdict) {
  std::size_t total = 0;
  for (const Audited& item : audited) {
    total += static_cast<std::size_t>(
        std::count_if(item.findings.begin(), item.findings.end(), [&](const Finding& finding) {
          return finding.verdict == verdict;
        }));
  }
  return total;
}

std::string render(const AuditCommand& options, const std::vector<Audited>& audited) {
  switch (options.format) {
    case Format::kJson:
      return json_text(audited);
    case Format::kMarkdown:
      return report::render_audit(audited,
                                  options.template_file.empty()
                                      ? shared_file("templates/audit.md")
                                      : std::filesystem::path(options.template_file));
    case Format::kCsv:
      return format_table(exact_figures(audited), Format::kCsv);
    case Format::kTable:
      break;
  }
  return format_table(as_rows(audited, !options.all),
                      Format::kTable,
                      options.output.empty() ? Terminal::columns() : kAnyWidth);
}

void write(const std::string& text, const std::string& path) {
  if (const int error = overwrite(path, text); error != 0) {
    throw Error(ErrorKind::kUsage, cannot_write(path, error));
  }
}

// Every dataset that cannot be read is told, not only the first.
std::vector<Audited> audit_all(const std::vector<std::string>& paths) {
  std::vector<Audited> audited;
  std::vector<std::string> problems;
  for (const std::filesystem::path& folder : audit::dataset_folders(paths)) {
    try {
      Audited item;
      item.dataset = audit::load_dataset(folder);
      item.findings = audit::audit_dataset(item.dataset);
      audit::add_unreached(item.dataset, item.findings);
      audited.push_back(std::move(item));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kUsage) {
        throw;
      }
      problems.emplace_back(error.what());
    }
  }
  if (!problems.empty()) {
    throw Error(ErrorKind::kUsage, join(problems, "\n"));
  }
  return audited;
}

// `audit init FILE`: a new folder with the dataset drafted from the file.
ExitCode draft(const AuditCommand& options, Terminal& terminal) {
  if (options.datasets.size() != 2) {
    throw Error(ErrorKind::kUsage,
                "audit init takes one file: scalestudy audit init FILE [--output FOLDER]");
  }
  const std::filesystem::path path = options.datasets.back();
  const audit::Document document = audit::read_document(read_given_file(path), path.string());
  const audit::Draft draft = audit::draft_dataset(document, path.string());
  const std::filesystem::path folder = options.output.empty() ? draft.name : options.output;
  if (std::filesystem::exists(folder)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{} exists; name another folder with --output", folder.string()));
  }
  std::error_code ignored;  // told by write
  std::filesystem::create_directories(folder, ignored);
  for (const auto& [name, content] : draft.files) {
    write(content, (folder / name).string());
  }
  if (const std::string left = audit::unread_tables(document); !left.empty()) {
    terminal.note(left);
  }
  for (const std::string& note : draft.notes) {
    terminal.note(note);
  }
  terminal.note(fmt::format(
      "wrote {}: {}, {} guessed, {} left out{}; confirm each `guess:` in {}, then: scalestudy "
      "audit "
      "{}",
      folder.string(),
      format_count(static_cast<std::int64_t>(draft.table_count), "table"),
      format_count(static_cast<std::int64_t>(draft.guess_count), "column"),
      draft.left_out_count,
      document.html_table_count == 0
          ? ""
          : fmt::format(
                " ({} of HTML tags not read)",
                format_count(static_cast<std::int64_t>(document.html_table_count), "table")),
      (folder / "dataset.yaml").string(),
      folder.string()));
  return ExitCode::kDone;
}

std::size_t count_guesses(const std::vector<Audited>& audited) {
  std::size_t total = 0;
  for (const Audited& item : audited) {
    for (const audit::Table& table : item.dataset.tables) {
      total += static_cast<std::size_t>(
          std::count_if(table.columns.begin(), table.columns.end(), [](const auto& column) {
            return !column.guess.empty();
          }));
    }
  }
  return total;
}

// kInconclusive if nothing is wrong and a dataset has no figure that can be checked.
ExitCode gate_figures(const std::vector<Audited>& audited, Terminal& terminal) {
  if (count(audited, audit::Verdict::kDoesNotFollow) > 0) {
    return ExitCode::kTargetMissed;
  }
  ExitCode code = ExitCode::kDone;
  for (const Audited& item : audited) {
    if (std::ranges::all_of(item.findings, [](const Finding& finding) {
          return finding.verdict == audit::Verdict::kCannotBeChecked;
        })) {
      terminal.error(fmt::format("--gate: no figure of {} can be checked", item.dataset.name));
      code = ExitCode::kInconclusive;
    }
  }
  return code;
}

ExitCode audit_figures(const AuditCommand& options,
                       const std::string& /*results*/,
                       Terminal& terminal) {
  const bool is_draft = !options.datasets.empty() && options.datasets.front() == "init";
  // Set for all reports, it is no mistake where none is made.
  const char* house = std::getenv("SCALESTUDY_AUDIT_TEMPLATE");  // NOLINT(concurrency-mt-unsafe)
  const bool is_asked = house == nullptr || options.template_file != house;
  if (!options.template_file.empty() && is_asked && is_draft) {
    throw Error(ErrorKind::kUsage,
                "--template is for a report, and init writes none; leave it out");
  }
  if (!options.template_file.empty() && is_asked && options.format != Format::kMarkdown) {
    throw Error(ErrorKind::kUsage,
                "--template is for a report; add --format markdown, or leave it out");
  }
  if (is_draft) {
    return draft(options, terminal);
  }
  const std::vector<Audited> audited = audit_all(options.datasets);
  const std::string text = render(options, audited);
  if (options.output.empty() || options.output == "-") {
    terminal.out(text);
  } else {
    write(text, options.output);
  }
  const std::size_t flagged = count(audited, audit::Verdict::kDoesNotFollow);
  terminal.note(fmt::format(
      "{}: {} do not follow, {} follow if cut off, {} implausible, {} follow, {} cannot "
      "be checked",
      format_count(std::ssize(audited), "dataset"),
      flagged,
      count(audited, audit::Verdict::kFollowsIfCutOff),
      count(audited, audit::Verdict::kImplausible),
      count(audited, audit::Verdict::kFollows),
      count(audited, audit::Verdict::kCannotBeChecked)));
  if (const std::size_t guesses = count_guesses(audited); guesses > 0) {
    terminal.note(
        fmt::format("{} still to confirm: guesses of `audit init` (`guess:` in dataset.yaml)",
                    format_count(static_cast<std::int64_t>(guesses), "column")));
  }
  return options.gate ? gate_figures(audited, terminal) : ExitCode::kDone;
}

}  // namespace

Verb audit_verb() {
  const auto options = std::make_shared<AuditCommand>();
  return {
      "audit",
      VerbGroup::kAudit,
      "Check whether published figures follow from each other",
      {{"dataset",
        &options->datasets,
        "Folders with a dataset.yaml, or folders of such folders; or init FILE",
        "",
        "FILE",
        {},
        {"init"}},
       format_option(options->format),
       {"--all",
        &options->all,
        "Also list figures that follow and those that cannot be checked",
        "ALL"},
       {"--output",
        &options->output,
        "File to write; default standard output. With init, the folder; default the file's name",
        "OUTPUT_FILE",
        "FILE"},
       {"--template",
        &options->template_file,
        "Template of --format markdown; default templates/audit.md",
        "AUDIT_TEMPLATE",
        "FILE"},
       {"--gate",
        &options->gate,
        "Exit 4 if a figure does not follow, 5 if a dataset has none that can be checked",
        "GATE"}},
      "Verdicts: follows; follows if cut off (only if digits were cut off instead of rounded); "
      "does not\n"
      "follow (with the right value, its formula and the likely mistake); implausible (possible, "
      "but\n"
      "needs an explanation); cannot be checked (with the reason and what is missing). csv and "
      "json\n"
      "have all figures; markdown is a report for the author.\n\n"
      "Examples:\n  scalestudy audit data/published\n"
      "  scalestudy audit data/published/mlp-4096-ddp --all\n"
      "  scalestudy audit data/published --format markdown --output audit.md\n"
      "  scalestudy audit my-report --gate\n"
      "  scalestudy audit init report.md\n\n"
      "audit init drafts a dataset from the tables of a Markdown or CSV file: it guesses columns\n"
      "by headings and units and marks each guess. The format: data/published/FORMAT.md",
      with_options(options, audit_figures)};
}

}  // namespace scalestudy
