// `reproduce`: the study of an export or of a report's folder, run here and held to what it states.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/analysis/studies/sides.h"
#include "harness/base/paths.h"
#include "harness/base/read_file.h"
#include "harness/base/replace_file.h"
#include "harness/cli/consent.h"
#include "harness/cli/exchange/put_content.h"
#include "harness/cli/own_text.h"
#include "harness/cli/verb.h"
#include "harness/exchange/export.h"
#include "harness/exchange/reproduction.h"
#include "harness/report/files/csv.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/study/parameters/secret.h"
#include "harness/study/parse.h"
#include "harness/text/shell_word.h"
#include "harness/text/text.h"

namespace scalestudy {

Verb run_verb();

namespace {

namespace fs = std::filesystem;

struct ReproduceOptions {
  std::string folder;
  std::string study;  // of an export of several
  bool yes = false;   // runs what it is without asking
  Format format = Format::kTable;
};

// What is to be reproduced. Only an export tells the machine it was measured on.
struct Original {
  std::string name;
  std::string text;
  ReportTables tables;
  std::optional<Store> store;
};

ReportTables tables_of(const Store& store, const std::string& study) {
  return report::make_csv_files(report::read_input(store, store.find_study(study).value().id));
}

Original from_export(const ReproduceOptions& options) {
  NamedContent read{.name = options.folder, .content = read_export(options.folder)};
  require_own_texts(read);
  StoreContent& content = read.content;
  std::vector<std::string> names;
  for (const StudyContent& study : content.studies) {
    names.push_back(study.study.name);
  }
  const std::string& wanted = options.study.empty() && names.size() == 1 ? names[0] : options.study;
  if (std::ranges::find(names, wanted) == names.end()) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("{}: name one of its studies: {}", options.folder, fmt::join(names, ", ")));
  }
  std::erase_if(content.studies,
                [&](const StudyContent& study) { return study.study.name != wanted; });
  Original original{.name = wanted,
                    .text = content.studies[0].study.source_text,
                    .tables = {},
                    .store = Store::open_in_memory()};
  put_content(*original.store, content);
  original.tables = tables_of(*original.store, wanted);
  return original;
}

Original read_original(const ReproduceOptions& options) {
  if (is_export(options.folder)) {
    return from_export(options);
  }
  PublishedReport report = read_report_folder(options.folder);
  return {.name = std::move(report.study_name),
          .text = std::move(report.study_text),
          .tables = std::move(report.tables),
          .store = std::nullopt};
}

// Whether the store has sessions of an export, or trials of a report.
bool has_own_of(const Original& original, const Store& here, std::int64_t study_id) {
  if (original.store) {
    std::set<std::string> known;
    const std::int64_t original_id = original.store->find_study(original.name).value().id;
    for (const SessionRow& session : original.store->sessions(original_id)) {
      known.insert(session.uid);
    }
    return std::ranges::any_of(here.sessions(study_id), [&](const SessionRow& session) {
      return known.contains(session.uid);
    });
  }
  const std::set<TrialMark> known = read_trials(original.tables);
  std::map<std::int64_t, std::string> hashes;
  for (const CellRow& cell : here.cells(study_id)) {
    hashes.emplace(cell.id, cell.hash);
  }
  return std::ranges::any_of(here.trials(study_id), [&](const TrialRow& trial) {
    return trial.started_at && trial.wall_s &&
           known.contains({hashes[trial.cell_id], *trial.started_at, *trial.wall_s});
  });
}

// To find again what is only a copy of the original would prove nothing.
void require_others(const Original& original, const std::string& results) {
  if (!Store::exists(results)) {
    return;
  }
  const Store here = Store::open_read_only(results);
  const auto row = here.find_study(original.name);
  if (row && has_own_of(original, here, row->id)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{} holds the very trials that are to be reproduced; give another "
                            "folder with --results",
                            results));
  }
}

// What a study starts, and what these programs are given: whoever wrote it could start anything.
// "" where all is this scalestudy's own.
std::string programs_text(const Study& study) {
  std::string text;
  const auto add = [&](const std::string& key, const std::vector<std::string>& words) {
    std::vector<std::string> quoted;
    std::ranges::transform(words, std::back_inserter(quoted), shell_word);
    text += words.empty() ? "" : fmt::format("  {}: {}\n", key, fmt::join(quoted, " "));
  };
  const auto add_variables = [&](const std::string& key,
                                 const std::map<std::string, std::string>& variables) {
    for (const auto& [name, value] : variables) {
      add(key + name, {value});
    }
  };
  const auto add_values = [&](const Parameters& values) {
    for (const auto& [name, value] : values) {
      if (study.workload == Workload::kCommand || name.starts_with("env.") ||
          is_own_parameter(study.workload, name)) {
        add(name, {format_value(value)});
      }
    }
  };
  add("build", study.build);
  add("setup", study.setup);
  add("command", study.command);
  add("cleanup", study.cleanup);
  add("on_finish", study.on_finish);
  add("cwd",
      study.working_folder.empty() ? std::vector<std::string>()
                                   : std::vector{study.working_folder});
  for (const auto& [name, command] : study.versions) {
    add("versions." + name, command);
  }
  for (const StudySide& side : study.sides) {
    add("prefix of side " + side.name, side.prefix);
    add("commit of side " + side.name,
        side.commit.empty() ? std::vector<std::string>() : std::vector{side.commit});
    add_variables("env of side " + side.name + ".", side.environment);
  }
  add_variables("env.", study.environment);
  add_values(study.parameters);
  for (const Axis& axis : study.axes) {
    for (const Value& value : axis.values) {
      add_values({{axis.name, value}});
    }
  }
  std::ranges::for_each(study.zip, add_values);
  std::ranges::for_each(study.include, add_values);
  return printable(text);
}

// A study file beside the store, as `run` will read it. One that is there and says something else
// is the user's own.
void write_study(const Original& original, const std::string& path) {
  const std::optional<std::string> known = read_file(path);
  if (known && *known != original.text) {
    throw Error(ErrorKind::kUsage,
                path + ": another study file is there; choose another --results");
  }
  if (!known) {
    replace_file(path, original.text);
  }
}

// As `scalestudy run` would, from a file of the results folder.
ExitCode run_here(const Original& original,
                  const ReproduceOptions& options,
                  const std::string& results,
                  Terminal& terminal) {
  const std::string path = (fs::path(results) / (original.name + ".yaml")).string();
  const ParsedStudy parsed = parse_study(original.text, path, {});
  require_whole_command(parsed.study);
  if (!parsed.problems.empty()) {  // before anything is written
    throw Error(ErrorKind::kUsage, format_problems(parsed.problems, original.text, options.folder));
  }
  if (const std::string programs = programs_text(parsed.study); !programs.empty()) {
    require_consent(
        fmt::format(
            "{} of {} runs here, as you:\n{}Run that?", original.name, options.folder, programs),
        options.yes,
        terminal);
  }
  std::error_code error;
  create_private_folder(results, error);
  write_study(original, path);
  const Verb run = run_verb();
  *std::get<std::string*>(run.options.front().target) = path;
  terminal.divert(true);
  const ExitCode code = run.run(results, terminal);
  terminal.divert(false);
  return code;
}

std::string differences_text(const Original& original, const Store& here, Format format) {
  if (!original.store) {
    return fmt::format(
        "Machine and software of a report are in its section Environment; see yours with `{}`.\n",
        call_of(here.results_folder().string(), "query", "environments"));
  }
  const auto side = [&](const Store& store) {
    const StudyRow row = store.find_study(original.name).value();
    return observe_side(store, row, store.sessions(row.id));
  };
  const auto facts = fact_differences(side(*original.store), side(here));
  if (facts.empty()) {
    return "Machine and software are recorded as the same.\n";
  }
  QueryResult table{.columns = {"fact", "there", "here"}, .rows = {}};
  const auto text = [](const std::set<std::string>& values) {
    return fmt::format("{}", fmt::join(values, ", "));
  };
  for (const FactDifference& difference : facts) {
    table.rows.push_back({difference.name, text(difference.a), text(difference.b)});
  }
  return "Machine and software differ:\n\n" + format_table(table, format, Terminal::columns());
}

// "faster, 1.44 [1.35, 1.54]"
std::string statement_text(const std::optional<Statement>& statement) {
  if (!statement) {
    return "nothing";
  }
  std::string text = statement->word;
  text += statement->value ? fmt::format(", {:.4g}", *statement->value) : "";
  text += statement->lo && statement->hi
              ? fmt::format(" [{:.4g}, {:.4g}]", *statement->lo, *statement->hi)
              : "";
  return text;
}

// What programs get of a statement: its word and numbers, NULL where there is none.
std::vector<Field> statement_fields(const std::optional<Statement>& statement) {
  return statement ? std::vector<Field>{statement->word,
                                        number_field(statement->value),
                                        number_field(statement->lo),
                                        number_field(statement->hi)}
                   : std::vector<Field>(4);
}

QueryResult exact_table(const std::vector<Reproduction>& compared) {
  QueryResult table{.columns = {"statement",
                                "verdict_there",
                                "value_there",
                                "lo_there",
                                "hi_there",
                                "verdict_here",
                                "value_here",
                                "lo_here",
                                "hi_here",
                                "outcome"},
                    .rows = {}};
  for (const Reproduction& each : compared) {
    std::vector<Field> row{each.there.name};
    for (const std::optional<Statement>& statement : {std::optional(each.there), each.here}) {
      std::ranges::copy(statement_fields(statement), std::back_inserter(row));
    }
    row.emplace_back(to_word(each.outcome));
    table.rows.push_back(std::move(row));
  }
  return table;
}

QueryResult readable_table(const std::vector<Reproduction>& compared) {
  QueryResult table{.columns = {"statement", "there", "here", "outcome"}, .rows = {}};
  for (const Reproduction& row : compared) {
    table.rows.push_back({row.there.name,
                          statement_text(row.there),
                          statement_text(row.here),
                          to_word(row.outcome)});
  }
  return table;
}

std::int64_t count_of(const std::vector<Reproduction>& compared, ReproductionOutcome outcome) {
  return std::ranges::count(compared, outcome, &Reproduction::outcome);
}

ExitCode code_of(const std::vector<Reproduction>& compared, ExitCode run) {
  if (count_of(compared, ReproductionOutcome::kNotReproduced) > 0) {
    return ExitCode::kTargetMissed;
  }
  if (run != ExitCode::kDone) {
    return run;
  }
  return count_of(compared, ReproductionOutcome::kReproduced) == std::ssize(compared) &&
                 !compared.empty()
             ? ExitCode::kDone
             : ExitCode::kInconclusive;
}

ExitCode reproduce(const ReproduceOptions& options,
                   const std::string& results,
                   Terminal& terminal) {
  const Original original = read_original(options);
  require_others(original, results);
  const ExitCode run = run_here(original, options, results, terminal);
  if (run == ExitCode::kInterrupted) {
    return run;
  }
  const Store here = Store::open_read_only(results);
  const auto compared = compare_statements(read_statements(original.tables),
                                           read_statements(tables_of(here, original.name)));
  const bool is_for_people =
      options.format == Format::kTable || options.format == Format::kMarkdown;
  if (is_for_people) {
    terminal.out(differences_text(original, here, options.format) + "\n");
  }
  terminal.out(format_table(is_for_people ? readable_table(compared) : exact_table(compared),
                            options.format,
                            Terminal::columns()));
  if (is_for_people) {
    terminal.out(fmt::format("\n{} reproduced, {} not, {} undecided there or here\n",
                             count_of(compared, ReproductionOutcome::kReproduced),
                             count_of(compared, ReproductionOutcome::kNotReproduced),
                             count_of(compared, ReproductionOutcome::kUndecided)));
  }
  return code_of(compared, run);
}

}  // namespace

Verb reproduce_verb() {
  const auto options = std::make_shared<ReproduceOptions>();
  return {
      "reproduce",
      VerbGroup::kShare,
      "Run an exported study here and say which statements hold",
      {{"folder", &options->folder, "Folder that `export` or `report` wrote"},
       {"[study]", &options->study, "Which study, if the export has several"},
       {"--yes", &options->yes, "Do not ask whether to run the programs that the study names"},
       format_option(options->format)},
      "Runs what is missing, as `run` does, then compares every decided verdict, break-even,\n"
      "target and search with the results here. Differences of machine and software are listed\n"
      "first. If the study starts programs by relative paths, they must exist here. Programs and\n"
      "variables that it names are shown first, and nothing runs until you agree (--yes if there\n"
      "is no terminal).\n"
      "Exit codes: 0 every statement reproduces; 4 one does not; 5 nothing contradicts, but some\n"
      "statements are undecided there or here; 3 trials failed and nothing contradicts; 130 "
      "stopped,\n"
      "the same command continues.\n\n"
      "Examples:\n  scalestudy --results mine reproduce published/quickstart\n"
      "  scalestudy --results mine reproduce results/reports/quickstart --yes --format markdown",
      with_options(options, reproduce)};
}

}  // namespace scalestudy
