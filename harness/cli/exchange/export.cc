// `export`: studies as text files that another machine imports.
#include "harness/exchange/export.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/cli/find_study.h"
#include "harness/cli/stored_secrets.h"
#include "harness/cli/verb.h"
#include "harness/study/parameters/secret.h"
#include "harness/text/shell_word.h"

namespace scalestudy {
namespace {

struct ExportOptions {
  std::string study;  // with --all: the folder
  std::string folder;
  bool all = false;
};

ExitCode export_studies(const ExportOptions& options,
                        const std::string& results,
                        Terminal& terminal) {
  if (options.all != options.folder.empty() || options.study.empty()) {
    throw Error(ErrorKind::kUsage, "give a study and a folder, or --all and a folder");
  }
  const Store store = Store::open_read_only(results);
  StoreContent content = store.content();
  if (!options.all) {
    const std::string name = stored_study(store, options.study, results).name;
    std::erase_if(content.studies,
                  [&](const StudyContent& study) { return study.study.name != name; });
    content.publications.clear();
  }
  const std::string& folder = options.all ? options.study : options.folder;
  write_export(format_export(content, stored_secrets(store)), folder);
  for (const StudyContent& study : content.studies) {
    terminal.out(fmt::format("{}/{}\n", folder, study.study.name));
  }
  terminal.note(fmt::format("on another machine: scalestudy import {}", shell_word(folder)));
  return ExitCode::kDone;
}

}  // namespace

Verb export_verb() {
  const auto options = std::make_shared<ExportOptions>();
  return {
      "export",
      VerbGroup::kShare,
      "Write a study and all its samples as text files for import",
      {{"[study]", &options->study, "Name of a study in the store, or its file"},
       {"[folder]", &options->folder, "Folder to write; an earlier export in it is replaced"},
       {"--all", &options->all, "Export every study of the store; give only the folder", "ALL"}},
      "The same content gives the same bytes, so an export can be committed and compared.\n"
      "Imported into an empty results folder, it gives the same report, byte for byte. Outputs\n"
      "of trials (logs/) are not exported; a declared secret is written as (secret). Format: "
      "harness/exchange/FORMAT.md\n\n"
      "Examples:\n  scalestudy export quickstart published/quickstart\n"
      "  scalestudy export --all /backup/studies",
      with_options(options, export_studies)};
}

}  // namespace scalestudy
