// The command line, declared with CLI11. Help texts stand here and nowhere else.
#include "harness/cli/options.h"

#include <map>
#include <sstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "harness/base/build_info.h"
#include "harness/base/error.h"
#include "harness/cli/completion.h"

namespace scalestudy {
namespace {

const std::map<std::string, Format> kFormatNames{{"table", Format::kTable},
                                                 {"json", Format::kJson},
                                                 {"csv", Format::kCsv},
                                                 {"markdown", Format::kMarkdown}};
const std::map<std::string, ColorMode> kColorNames{
    {"auto", ColorMode::kAuto}, {"always", ColorMode::kAlways}, {"never", ColorMode::kNever}};

// Every verb's options, bound while CLI11 parses; the chosen one is copied out at the end.
struct Bound {
  Invocation invocation;
  InitOptions init;
  ValidateOptions validate;
  PlanOptions plan;
  RunCommand run;
  StatusOptions status;
  QueryOptions query;
  ReportCommand report;
  ImportOptions import;
  AuditCommand audit;
  DoctorOptions doctor;
  SchemaOptions schema;
  CompletionOptions completion;
};

void add_format(CLI::App* verb, Format& format) {
  verb->add_option("--format", format, "Format of the output")
      ->transform(CLI::CheckedTransformer(kFormatNames, CLI::ignore_case))
      ->option_text("table|json|csv|markdown (Env:SCALESTUDY_FORMAT)")
      ->envname("SCALESTUDY_FORMAT");
}

void add_overrides(CLI::App* verb, std::vector<std::string>& overrides) {
  verb->add_option("--set",
                   overrides,
                   "Replace a value of the study file, e.g. trials.count=3 or axes.devices=[1]; "
                   "repeatable")
      ->option_text("KEY=VALUE (Env:SCALESTUDY_SET)")
      ->allow_extra_args(false)
      ->envname("SCALESTUDY_SET");
}

void add_init(CLI::App& app, Bound& bound) {
  CLI::App* verb = app.add_subcommand("init", "Write a commented study file as a starting point");
  verb->add_option("file", bound.init.path, "File to write; - is standard output")->required();
  verb->add_flag("--force", bound.init.force, "Overwrite the file")->envname("SCALESTUDY_FORCE");
  verb->footer("Examples:\n  scalestudy init studies/my-question.yaml\n  scalestudy init -");
}

void add_validate(CLI::App& app, Bound& bound) {
  CLI::App* verb = app.add_subcommand("validate", "Check study files and list every problem");
  verb->add_option("study", bound.validate.studies, "Study files; - is standard input")->required();
  add_overrides(verb, bound.validate.overrides);
  verb->footer(
      "Examples:\n  scalestudy validate studies/*.yaml\n"
      "  scalestudy validate study.yaml --set trials.count=3");
}

void add_plan(CLI::App& app, Bound& bound) {
  CLI::App* verb = app.add_subcommand(
      "plan", "Show cells, exclusions and their reasons, order and estimated time");
  verb->add_option("study", bound.plan.study, "Study file; - is standard input")->required();
  verb->add_flag("--order", bound.plan.order, "List every trial in its order instead of the cells")
      ->envname("SCALESTUDY_ORDER");
  verb->add_option("--precision",
                   bound.plan.precision,
                   "Show how many trials an interval of this half-width needs, e.g. 2%");
  add_overrides(verb, bound.plan.overrides);
  add_format(verb, bound.plan.format);
  verb->footer(
      "Examples:\n  scalestudy plan studies/quickstart.yaml\n"
      "  scalestudy plan studies/quickstart.yaml --order --format csv\n"
      "  scalestudy plan studies/quickstart.yaml --precision 1%");
}

void add_run(CLI::App& app, Bound& bound) {
  CLI::App* verb = app.add_subcommand(
      "run", "Run the trials a study is missing and analyse it; resumes an interrupted run");
  verb->add_option("study", bound.run.study, "Study file; - is standard input")->required();
  verb->add_flag("--accept-changes",
                 bound.run.accept_changes,
                 "Continue although the study differs from the stored one")
      ->envname("SCALESTUDY_ACCEPT_CHANGES");
  verb->add_flag("--retry-failed",
                 bound.run.retry_failed,
                 "Retry trials that ended failed, timeout, oom, invalid or unsupported in earlier "
                 "sessions")
      ->envname("SCALESTUDY_RETRY_FAILED");
  verb->add_option("--max-trials", bound.run.max_trials, "Stop after this many trials")
      ->check(CLI::PositiveNumber)
      ->option_text("N (Env:SCALESTUDY_MAX_TRIALS)")
      ->envname("SCALESTUDY_MAX_TRIALS");
  verb->add_flag("--gate", bound.run.gate, "Exit 4 if a target is missed, 5 if one is undecided")
      ->envname("SCALESTUDY_GATE");
  add_overrides(verb, bound.run.overrides);
  verb->footer(
      "Examples:\n  scalestudy run studies/quickstart.yaml\n"
      "  scalestudy run studies/small-mlp-second-device.yaml --set trials.count=3 "
      "--results /scratch/try");
}

void add_status(CLI::App& app, Bound& bound) {
  CLI::App* verb = app.add_subcommand("status", "Count trials by state, for one study or all");
  verb->add_option("study", bound.status.study, "Name of a study in the store");
  add_format(verb, bound.status.format);
  verb->footer("Examples:\n  scalestudy status\n  scalestudy status quickstart --format json");
}

void add_query(CLI::App& app, Bound& bound) {
  CLI::App* verb = app.add_subcommand(
      "query", "Query the store, read-only: SQL, or the name of a view or table");
  verb->add_option("sql",
                   bound.query.sql,
                   "SQL, a view (results, speedups, trials, samples, "
                   "accounting ...) or - for standard input")
      ->required();
  add_format(verb, bound.query.format);
  verb->footer(
      "Examples:\n  scalestudy query speedups\n"
      "  scalestudy query \"SELECT state, count(*) FROM trials GROUP BY state\" --format markdown\n"
      "Views and tables: harness/store/SCHEMA.md");
}

void add_report(CLI::App& app, Bound& bound) {
  CLI::App* verb = app.add_subcommand(
      "report", "Analyse a study's samples and write report.md, figures and CSV files");
  verb->add_option("study", bound.report.study, "Name of a study in the store, or its file")
      ->required();
  verb->add_option("--output",
                   bound.report.folder,
                   "Folder of the report; default <results>/reports/<study>")
      ->option_text("DIR (Env:SCALESTUDY_OUTPUT_FOLDER)")
      ->envname("SCALESTUDY_OUTPUT_FOLDER");
  verb->add_option("--template",
                   bound.report.template_file,
                   "Main template; default templates/<report.template of the study>.md")
      ->option_text("FILE (Env:SCALESTUDY_TEMPLATE)")
      ->envname("SCALESTUDY_TEMPLATE");
  verb->add_flag("--html",
                 bound.report.html,
                 "Also write a self-contained report.html; an existing one is always updated")
      ->envname("SCALESTUDY_HTML");
  verb->add_flag("--check",
                 bound.report.check,
                 "Write nothing; exit 4 if the report's files do not match the store")
      ->envname("SCALESTUDY_CHECK");
  verb->add_flag("--gate", bound.report.gate, "Exit 4 if a target is missed, 5 if one is undecided")
      ->envname("SCALESTUDY_GATE");
  verb->footer(
      "Examples:\n  scalestudy report quickstart\n"
      "  scalestudy report quickstart --output docs/quickstart --html\n"
      "  scalestudy report quickstart --output docs/quickstart --check");
}

void add_import(CLI::App& app, Bound& bound) {
  CLI::App* verb = app.add_subcommand(
      "import",
      "Import figures published by others, to show beside measured ones; no statistic uses them");
  verb->add_option("path",
                   bound.import.path,
                   "Folder of a dataset (data/published/FORMAT.md) or of several, or a file: "
                   "output or JSON (-J) of nccl-tests, JSON of hyperfine, CSV")
      ->required();
  verb->add_option(
          "--as", bound.import.kind, "Kind of the input; detected from its content by default")
      ->check(CLI::IsMember({"published-dataset", "nccl-tests", "hyperfine", "csv"}))
      ->option_text("published-dataset|nccl-tests|hyperfine|csv (Env:SCALESTUDY_AS)")
      ->envname("SCALESTUDY_AS");
  verb->add_option(
          "--study", bound.import.study, "Show the figures in the report of this stored study")
      ->option_text("NAME (Env:SCALESTUDY_IMPORT_STUDY)")
      ->envname("SCALESTUDY_IMPORT_STUDY");
  verb->add_option("--map",
                   bound.import.column_map,
                   "Meaning of a CSV column, e.g. GPUs=devices or \"time=step_time:ms\"; "
                   "repeatable; other columns are ignored")
      ->option_text("COLUMN=QUANTITY[:UNIT] (Env:SCALESTUDY_MAP)")
      ->allow_extra_args(false)
      ->envname("SCALESTUDY_MAP");
  verb->footer(
      "Importing the same content again changes nothing; a changed file replaces its figures.\n\n"
      "Examples:\n  scalestudy import data/published/mlp-4096-ddp --study mlp-4096-batch\n"
      "  scalestudy import all_reduce.json\n"
      "  scalestudy import theirs.csv --map gpus=devices --map \"speed=throughput:img/s\"\n"
      "  scalestudy query published");
}

void add_audit(CLI::App& app, Bound& bound) {
  CLI::App* verb = app.add_subcommand(
      "audit", "Recompute published figures from the figures they should follow from");
  verb->add_option("dataset",
                   bound.audit.datasets,
                   "Folders with a dataset.yaml, or folders of such folders")
      ->required();
  add_format(verb, bound.audit.format);
  verb->add_flag("--all",
                 bound.audit.all,
                 "Also list figures that follow and those that cannot be checked")
      ->envname("SCALESTUDY_ALL");
  verb->add_option("--output", bound.audit.output, "File to write; default standard output")
      ->option_text("FILE (Env:SCALESTUDY_OUTPUT_FILE)")
      ->envname("SCALESTUDY_OUTPUT_FILE");
  verb->add_option("--template",
                   bound.audit.template_file,
                   "Template of --format markdown; default templates/audit.md")
      ->option_text("FILE (Env:SCALESTUDY_AUDIT_TEMPLATE)")
      ->envname("SCALESTUDY_AUDIT_TEMPLATE");
  verb->add_flag("--gate", bound.audit.gate, "Exit 4 if a figure does not follow")
      ->envname("SCALESTUDY_GATE");
  verb->footer(
      "Verdicts: follows; does not follow (what it should be, and by which formula); implausible\n"
      "(possible, but needs an explanation); cannot be checked (why). csv and json hold all, and\n"
      "markdown is a report for the author.\n\n"
      "Examples:\n  scalestudy audit data/published\n"
      "  scalestudy audit data/published/mlp-4096-ddp --all\n"
      "  scalestudy audit data/published --format markdown --output audit.md\n"
      "  scalestudy audit my-report --gate\n"
      "Write a dataset: data/published/FORMAT.md");
}

void add_others(CLI::App& app, Bound& bound) {
  CLI::App* doctor = app.add_subcommand(
      "doctor",
      "Check what this machine has and lacks for running studies; exit 2 if something is missing");
  doctor->footer("Example:\n  scalestudy doctor");
  CLI::App* schema =
      app.add_subcommand("schema", "Print the JSON Schema of study files or datasets, for editors");
  schema->add_option("kind", bound.schema.kind, "study or dataset (of published figures)")
      ->capture_default_str()
      ->check(CLI::IsMember({"study", "dataset"}));
  schema->footer(
      "Examples:\n  scalestudy schema > study.schema.json\n"
      "  scalestudy schema dataset > dataset.schema.json");
  CLI::App* completion = app.add_subcommand("completion", "Print a shell completion script");
  completion->add_option("shell", bound.completion.shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completion->footer(
      "Examples:\n  source <(scalestudy completion bash)\n"
      "  scalestudy completion fish > ~/.config/fish/completions/scalestudy.fish");
}

void add_globals(CLI::App& app, Bound& bound) {
  app.add_option("--results", bound.invocation.results, "Folder for the store, logs and reports")
      ->option_text("DIR (Env:SCALESTUDY_RESULTS)")
      ->envname("SCALESTUDY_RESULTS")
      ->capture_default_str();
  app.add_option("--color", bound.invocation.color, "Coloured output; NO_COLOR is respected")
      ->transform(CLI::CheckedTransformer(kColorNames, CLI::ignore_case))
      ->option_text("auto|always|never (Env:SCALESTUDY_COLOR)")
      ->envname("SCALESTUDY_COLOR");
  app.add_flag("--quiet", bound.invocation.quiet, "Print errors only: no progress, no notes")
      ->envname("SCALESTUDY_QUIET");
}

std::string version_text() {
  const BuildInfo info = build_info();
  return fmt::format("scalestudy {} ({}; {}; preset {})\n",
                     info.version,
                     info.revision,
                     info.compiler,
                     info.preset);
}

// What the completion scripts need to know of the command line.
CommandTree describe(const CLI::App& app) {
  CommandTree tree;
  const auto long_flags = [](const CLI::App& command) {
    std::vector<std::string> flags;
    for (const CLI::Option* option : command.get_options()) {
      for (const std::string& name : option->get_lnames()) {
        flags.push_back("--" + name);
      }
    }
    return flags;
  };
  tree.global_flags = long_flags(app);
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    tree.verbs.push_back({verb->get_name(), verb->get_description(), long_flags(*verb)});
  }
  return tree;
}

// The chosen verb's options.
void choose(const CLI::App& app, Bound& bound) {
  const std::string verb = app.get_subcommands().front()->get_name();
  auto& chosen = bound.invocation.verb;
  if (verb == "init") {
    chosen = bound.init;
  } else if (verb == "validate") {
    chosen = bound.validate;
  } else if (verb == "plan") {
    chosen = bound.plan;
  } else if (verb == "run") {
    chosen = bound.run;
  } else if (verb == "status") {
    chosen = bound.status;
  } else if (verb == "query") {
    chosen = bound.query;
  } else if (verb == "report") {
    chosen = bound.report;
  } else if (verb == "audit") {
    chosen = bound.audit;
  } else if (verb == "import") {
    chosen = bound.import;
  } else if (verb == "doctor") {
    chosen = bound.doctor;
  } else if (verb == "schema") {
    chosen = bound.schema;
  } else {
    bound.completion.script = completion_script(bound.completion.shell, describe(app));
    chosen = bound.completion;
  }
}

}  // namespace

Invocation parse_options(int argc, const char* const* argv) {
  CLI::App app{
      "Reproducible studies of data-parallel training: declare a matrix, run it, publish a report "
      "in\n"
      "which every figure follows from stored samples.",
      "scalestudy"};
  app.require_subcommand(1);
  app.fallthrough();
  app.set_version_flag("--version", version_text());
  app.footer(
      "Exit codes: 0 done; 1 internal error; 2 usage, study, store or machine; 3 finished with "
      "failed\n"
      "trials; 4 target missed, report out of date or published figure that does not follow, 5\n"
      "inconclusive (4 and 5 when asked); 75 another run holds the lock; 130 interrupted, run\n"
      "again to go on.\n\n"
      "Examples:\n  scalestudy init my-question.yaml\n  scalestudy plan my-question.yaml\n"
      "  scalestudy run my-question.yaml\n  scalestudy report my-question\n"
      "  scalestudy run --help");
  Bound bound;
  add_globals(app, bound);
  add_init(app, bound);
  add_validate(app, bound);
  add_plan(app, bound);
  add_run(app, bound);
  add_status(app, bound);
  add_query(app, bound);
  add_report(app, bound);
  add_import(app, bound);
  add_audit(app, bound);
  add_others(app, bound);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out;
    std::ostringstream err;
    if (app.exit(error, out, err) == 0) {  // --help, --version
      bound.invocation.message = out.str();
      return bound.invocation;
    }
    std::string verb;
    for (const CLI::App* parsed : app.get_subcommands()) {
      verb += " " + parsed->get_name();
    }
    throw Error(ErrorKind::kUsage,
                fmt::format("{}\nread `scalestudy{} --help`", error.what(), verb));
  }
  choose(app, bound);
  return bound.invocation;
}

}  // namespace scalestudy
