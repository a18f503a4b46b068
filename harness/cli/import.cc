// `import`: files that others wrote -> published figures in the store.
#include "harness/import/import.h"

#include <set>
#include <utility>

#include <fmt/format.h>

#include "harness/cli/stored_study.h"
#include "harness/cli/verbs.h"
#include "harness/store/store.h"

namespace scalestudy {
namespace {

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

std::string counted(std::size_t count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
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
                     publication.kind,
                     counted(publication.figures.size(), "figure"),
                     counted(tables.size(), "table"),
                     effect_word(effect));
}

}  // namespace

ExitCode import_figures(const ImportOptions& options,
                        const std::string& results,
                        Terminal& terminal) {
  // All files are read before the store is opened: what cannot be read leaves it as it was.
  const std::vector<ImportedSource> sources =
      read_import({options.path, parse_import_kind(options.kind), options.column_map});
  Store store = options.study.empty() ? Store::open(results) : open_existing(results);
  std::vector<PublicationRow> publications;
  for (const ImportedSource& source : sources) {
    publications.push_back(source.publication);
    if (!options.study.empty()) {
      publications.back().study_id = stored_study(store, options.study, results).id;
    }
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
                      "see them with: scalestudy query published"
                    : fmt::format("to show them beside measured figures: scalestudy report {}",
                                  options.study));
  return ExitCode::kDone;
}

}  // namespace scalestudy
