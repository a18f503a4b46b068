// argv -> what was asked for, as plain values. The only file of the program that knows CLI11 is
// options.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace scalestudy {

enum class Format { kTable, kJson, kCsv, kMarkdown };
enum class ColorMode { kAuto, kAlways, kNever };

struct InitOptions {
  std::string path;  // file to write
  bool force = false;
};

struct ValidateOptions {
  std::vector<std::string> studies;  // files, "-" is stdin
  std::vector<std::string> overrides;
};

struct PlanOptions {
  std::string study;
  std::vector<std::string> overrides;
  Format format = Format::kTable;
  bool order = false;     // show every trial in its order
  std::string precision;  // "2%": how many trials it would take; empty: the study's `until`
};

struct RunCommand {
  std::string study;
  std::vector<std::string> overrides;
  bool accept_changes = false;
  bool retry_failed = false;
  bool gate = false;  // exit 4 or 5 by the study's targets
  std::optional<std::int64_t> max_trials;
};

struct StatusOptions {
  std::string study;  // name; empty: all
  Format format = Format::kTable;
};

struct QueryOptions {
  std::string sql;  // SQL, a view's or table's name, or "-" for SQL on stdin
  Format format = Format::kTable;
};

struct ReportCommand {
  std::string study;          // name, or its file
  std::string folder;         // empty: <results>/reports/<study>
  std::string template_file;  // empty: what the study names
  bool check = false;
  bool html = false;
  bool gate = false;
};

struct ImportOptions {
  std::string path;   // file or folder
  std::string kind;   // a name of ImportKind; empty: told from the content
  std::string study;  // name, or its file; empty: shown in no report
  std::vector<std::string> column_map;
};

struct AuditCommand {
  std::vector<std::string> datasets;  // folders of datasets, or of such folders
  Format format = Format::kTable;
  std::string output;         // file; empty: standard output
  std::string template_file;  // of --format markdown; empty: templates/audit.md
  bool all = false;           // the table shows what follows and what cannot be checked, too
  bool gate = false;          // exit 4 when something does not follow
};

struct DoctorOptions {};  // no options of its own

struct SchemaOptions {
  std::string kind = "study";  // study | dataset
};

struct CompletionOptions {
  std::string shell;   // bash | zsh | fish
  std::string script;  // made while parsing, where the options are known
};

struct Invocation {
  std::string results = "results";
  ColorMode color = ColorMode::kAuto;
  bool quiet = false;  // no progress
  std::variant<std::monostate,
               InitOptions,
               ValidateOptions,
               PlanOptions,
               RunCommand,
               StatusOptions,
               QueryOptions,
               ReportCommand,
               ImportOptions,
               AuditCommand,
               DoctorOptions,
               SchemaOptions,
               CompletionOptions>
      verb;             // monostate: only `message` is to be printed (help, version)
  std::string message;  // for stdout
};

// Throws Error{kUsage} with what is wrong and which --help to read.
Invocation parse_options(int argc, const char* const* argv);

}  // namespace scalestudy
