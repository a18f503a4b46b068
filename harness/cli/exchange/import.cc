// `import`: files that others wrote -> published figures in the store; exports -> their studies;
// logs -> trials.
#include "harness/import/import.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "harness/cli/exchange/import_logs.h"
#include "harness/cli/exchange/put_content.h"
#include "harness/cli/find_study.h"
#include "harness/cli/own_text.h"
#include "harness/cli/verb.h"
#include "harness/exchange/export.h"
#include "harness/import/assumptions.h"
#include "harness/run/process/lock.h"
#include "harness/run/session/unstored.h"
#include "harness/store/cell_parameters.h"
#include "harness/store/merge/merge.h"
#include "harness/store/store.h"
#include "harness/study/parse.h"
#include "harness/text/number.h"
#include "harness/text/shell_word.h"

namespace scalestudy {
namespace {

struct ImportOptions {
  std::vector<std::string> paths;  // a file or folder; or "runs" and a study
  std::string path;                // the one file or folder
  std::string kind;                // a word of PublicationKind; empty: told from the content
  std::string study;               // name, or its file; empty: shown in no report
  std::vector<std::string> column_map;
  std::vector<std::string> assumed;
  ImportLogs logs;  // of `import runs`
};

const char* effect_word(ImportEffect effect) {
  switch (effect) {
    case ImportEffect::kStored:
      return "stored";
    case ImportEffect::kReplaced:
      return "replaced an earlier import";
    case ImportEffect::kUnchanged:
      break;
  }
  return "unchanged, it was imported before";
}

// "all_reduce.json: nccl-tests, 89 figures of 1 table: stored"
std::string summary(const PublicationRow& publication, ImportEffect effect) {
  std::set<std::string> tables;
  for (const PublishedFigureRow& figure : publication.figures) {
    if (figure.row) {
      tables.insert(figure.table_name);
    }
  }
  return fmt::format("{}: {}, {} of {}: {}\n",
                     publication.source,
                     to_word(publication.kind),
                     format_count(std::ssize(publication.figures), "figure"),
                     format_count(std::ssize(tables), "table"),
                     effect_word(effect));
}

// The content of another machine's store. Into an empty one it comes with its numbers of trials and
// sessions, so that reports are the same to the byte; beside other studies it is merged.
ExitCode import_studies(const ImportOptions& options,
                        const std::string& results,
                        Terminal& terminal) {
  if (!options.kind.empty() || !options.study.empty() || !options.column_map.empty() ||
      !options.assumed.empty()) {
    throw Error(ErrorKind::kUsage,
                options.path +
                    ": an export of studies; --as, --study, --map and --assume are for figures "
                    "published by others");
  }
  const NamedContent from{.name = options.path, .content = read_export(options.path)};
  require_own_texts(from);
  const RunLock lock(results);
  Store store = Store::open(results);
  store_unstored(store);
  NamedContent into{.name = results, .content = store.content()};
  if (into.content.studies.empty() && into.content.publications.empty()) {
    put_content(store, from.content);
  } else if (const Merged merged = merge(std::move(into), from); merged.has_changed) {
    put_content(store, merged.content);
    warn_of_restored(merged.restored, options.path, terminal);
  } else {
    terminal.note("nothing of it is new here");
  }
  for (const StudyContent& study : from.content.studies) {
    terminal.out(fmt::format("{}: {} of {}\n",
                             study.study.name,
                             format_count(std::ssize(study.trials), "attempt"),
                             format_count(std::ssize(study.sessions), "session")));
    terminal.note("next: " + call_of(results, "report", study.study.name));
  }
  return ExitCode::kDone;
}

// Every parameter of the study's cells, defaults too.
std::set<std::string> condition_names(const Store& store, const StudyRow& row) {
  const Study study = parse_stored_study(row.source_text, row.source_path);
  std::set<std::string> names;
  for (const CellRow& cell : store.cells(row.id)) {
    for (const auto& parameter : effective_parameters(cell, study)) {
      names.insert(parameter.first);
    }
  }
  return names;
}

ExitCode import_figures(const ImportOptions& options,
                        const std::string& results,
                        Terminal& terminal) {
  if (is_export(options.path)) {
    return import_studies(options, results, terminal);
  }
  // All files are read before the store is opened: what cannot be read leaves it as it was.
  const std::vector<ImportedSource> sources = read_import({options.path,
                                                           from_word<PublicationKind>(options.kind),
                                                           options.column_map,
                                                           options.assumed});
  if (!options.study.empty() && !Store::exists(results)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--study {}: {} has no studies yet. Leave --study out: targets of a "
                            "study find the figures without it",
                            options.study,
                            results));
  }
  Store store = Store::open(results);
  std::vector<PublicationRow> publications;
  std::ranges::transform(sources, std::back_inserter(publications), &ImportedSource::publication);
  if (!options.study.empty()) {
    const StudyRow study = stored_study(store, options.study, results);
    require_known_names(
        parse_assumptions(options.assumed), publications, condition_names(store, study));
    for (PublicationRow& publication : publications) {
      publication.study_id = study.id;
    }
  }
  for (const ImportedSource& source : sources) {
    for (const std::string& note : source.notes) {
      terminal.note(fmt::format("{}: {}", source.publication.path, note));
    }
  }
  const std::vector<ImportEffect> effects = store.put_publications(publications);
  for (std::size_t i = 0; i < publications.size(); ++i) {
    terminal.out(summary(publications[i], effects[i]));
  }
  terminal.note(options.study.empty()
                    ? "no report shows them: --study NAME puts them in a study's report; "
                      "see them with: " +
                          call_of(results, "query", "published")
                    : "to show them beside measured figures: " +
                          call_of(results, "report", options.study));
  return ExitCode::kDone;
}

ExitCode import_any(const ImportOptions& given, const std::string& results, Terminal& terminal) {
  ImportOptions options = given;
  const RunsRequest& request = options.logs.request;
  if (options.paths.front() == "runs" &&
      (options.paths.size() > 1 || !request.from.empty() || !std::filesystem::exists("runs"))) {
    if (options.paths.size() != 2 || request.from.empty()) {
      throw Error(ErrorKind::kUsage,
                  "import runs takes a study and the names of its logs: scalestudy import runs "
                  "STUDY.yaml --from 'logs/{devices}-{run}.log'");
    }
    if (!options.kind.empty() || !options.study.empty() || !options.assumed.empty()) {
      throw Error(ErrorKind::kUsage,
                  "--as, --study and --assume are for published figures, not for runs");
    }
    options.logs.study = options.paths.back();
    options.logs.request.column_map = options.column_map;
    return import_logs(options.logs, results, terminal);
  }
  if (options.paths.size() > 1) {
    throw Error(ErrorKind::kUsage,
                "import takes one file or folder, or: runs STUDY --from PATTERN");
  }
  if (!request.from.empty() || !request.separator.empty() || !request.order.empty() ||
      options.logs.is_check || !options.logs.overrides.empty()) {
    throw Error(ErrorKind::kUsage,
                "--from, --separator, --order, --check and --set are for logs: scalestudy import "
                "runs STUDY --from PATTERN");
  }
  options.path = options.paths.front();
  return import_figures(options, results, terminal);
}

constexpr const char* kDetails =
    "Importing the same content again changes nothing; a changed file replaces its "
    "figures, and studies are merged as by `scalestudy merge`.\n\n"
    "`import runs` turns each log into a trial, with the extract rules of a study of a command. "
    "It\n"
    "keeps a copy of the log. Imported trials are marked and never mix with trials that\n"
    "scalestudy ran. {block} instead of {run} says that runs with the same number ran together.\n\n"
    "Examples:\n  scalestudy import data/published/mlp-4096-ddp --study mlp-4096-batch\n"
    "  scalestudy import all_reduce.json\n"
    "  scalestudy --results theirs import exported-folder\n"
    "  scalestudy import data/published/dense-two-rtx-4070 --study small-mlp-second-device \\\n"
    "    --assume memory/devices=2\n"
    "  scalestudy import theirs.csv --map gpus=devices --map \"speed=throughput:img/s\"\n"
    "  scalestudy import runs my.yaml --from 'logs/{devices}-{batch_global}-{run}.log' --check\n"
    "  scalestudy query published";

}  // namespace

Verb import_verb() {
  const auto options = std::make_shared<ImportOptions>();
  return {
      "import",
      VerbGroup::kShare,
      "Import exported studies, published figures, or logs of runs as trials",
      {{"path",
        &options->paths,
        "A folder with one or more exports or datasets (data/published/FORMAT.md), or a file: "
        "output or JSON (-J) of nccl-tests, JSON or CSV of hyperfine, other CSV. For logs: runs "
        "STUDY",
        "",
        "FILE|STUDY",
        {},
        {"runs"}},
       {"--as",
        &options->kind,
        "Kind of the input; detected from its content by default",
        "AS",
        "published-dataset|nccl-tests|hyperfine|csv",
        words_of<PublicationKind>()},
       {"--study",
        &options->study,
        "Show the figures in the report of this stored study",
        "IMPORT_STUDY",
        "NAME"},
       {"--map",
        &options->column_map,
        "Meaning of a CSV column, e.g. GPUs=devices or \"time=step_time:ms\"; "
        "repeatable; other columns are ignored. With runs: step, run, an axis or a metric",
        "MAP",
        "COLUMN=QUANTITY[:UNIT]"},
       {"--assume",
        &options->assumed,
        "Assume a condition that figures do not state, e.g. model=gpt-6.7b, or platform=* for any; "
        "memory/devices=2 is about one table, column or row; repeatable. Reports name what was "
        "assumed",
        "ASSUME",
        "[WHERE/]NAME=VALUE"},
       {"--from",
        &options->logs.request.from,
        "With runs: names of the logs, with {AXIS}, {run} or {block} for what differs and * for "
        "any text",
        "FROM",
        "PATTERN"},
       {"--separator",
        &options->logs.request.separator,
        "With runs: each file holds several runs, which begin at lines that match. Named groups "
        "give values: (?<devices>\\d+)",
        "SEPARATOR",
        "REGEX"},
       {"--order",
        &options->logs.request.order,
        "With runs: the value (number or time stamp) that orders the launches, e.g. run",
        "ORDER_OF_RUNS",
        "NAME"},
       {"--check",
        &options->logs.is_check,
        "With runs: show which cell each log belongs to and what is read; write nothing",
        "CHECK"},
       override_option(options->logs.overrides)},
      kDetails,
      with_options(options, import_any)};
}

}  // namespace scalestudy
