// `publish`: every study of a store, and audits of published figures, as a static site.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "harness/analysis/studies/history.h"
#include "harness/base/paths.h"
#include "harness/base/read_file.h"
#include "harness/cli/find_study.h"
#include "harness/cli/results/history_text.h"
#include "harness/cli/results/made_report.h"
#include "harness/cli/stored_secrets.h"
#include "harness/cli/verb.h"
#include "harness/import/import.h"
#include "harness/report/template/html.h"
#include "harness/site/site.h"
#include "harness/site/site_folder.h"
#include "harness/study/declared/words.h"
#include "harness/study/parameters/secret.h"
#include "harness/study/parse.h"
#include "harness/yaml/fields.h"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

struct PublishCommand {
  std::string folder;
  std::vector<std::string> datasets;  // folders of datasets, or of such folders, to audit
  std::string title = "Scaling studies";
  std::string templates;  // folder whose files come before the product's; empty: none
  bool check = false;
};

// What `history` prints of the study; "" where no cell has the sessions that a change takes.
std::string history_of(const Store& store, const StudyRow& row) {
  std::vector<SessionRow> sessions = store.sessions(row.id);
  if (sessions.empty()) {
    return "";
  }
  const Side all = observe_side(store, row, std::move(sessions));
  const History history = find_history(all, all.study.analysis.confidence);
  return history.changes.empty() && history.steady.empty() && history.wandering.empty()
             ? ""
             : history_text(all, history, Format::kMarkdown);
}

report::SiteStudy site_study(Store& store,
                             const StudyRow& row,
                             const PublishCommand& options,
                             Terminal& terminal) {
  try {
    const Study study = parse_stored_study(row.source_text, row.source_path);
    const ReportRequest request = request_with(row.id, study, options.templates);
    const ReportFiles files = options.check ? render_for_check(store, study, request, terminal)
                                            : analyse_and_render(store, study, request, terminal);
    return report::make_site_study(
        report::read_input(store, row.id), files, history_of(store, row));
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("study {}: {}", row.name, error.what()));
  }
}

report::AuditedDataset audited(const fs::path& folder) {
  report::AuditedDataset item{.dataset = audit::load_dataset(folder), .findings = {}};
  item.findings = audit::audit_dataset(item.dataset);
  audit::add_unreached(item.dataset, item.findings);
  return item;
}

// An imported dataset is audited in the folder it came from, where that still is what was imported.
report::SiteDataset imported(const PublicationRow& row, const std::string& study) {
  report::SiteDataset dataset{.imported = row, .study = study, .audited = {}, .why_not = {}};
  if (row.kind != PublicationKind::kDataset) {
    dataset.why_not = "not a dataset";
    return dataset;
  }
  dataset.why_not = "not audited: its folder is not as it was when it was imported";
  try {
    const std::vector<ImportedSource> now =
        read_import({.path = row.path, .kind = row.kind, .column_map = {}});
    if (now.size() == 1 && now.front().publication.hash == row.hash) {
      dataset.audited = audited(row.path);
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUsage) {
      throw;
    }
  }
  return dataset;
}

std::vector<report::SiteDataset> all_datasets(const Store& store,
                                              const std::vector<std::string>& folders) {
  std::vector<report::SiteDataset> datasets;
  if (!folders.empty()) {
    for (const fs::path& folder : audit::dataset_folders(folders)) {
      datasets.push_back({.imported = {}, .study = {}, .audited = audited(folder), .why_not = {}});
    }
  }
  for (const PublicationRow& row : store.publications({})) {
    datasets.push_back(imported(row, ""));
  }
  for (const StudyRow& study : store.studies()) {
    for (const PublicationRow& row : store.publications(study.id)) {
      datasets.push_back(imported(row, study.name));
    }
  }
  return datasets;
}

ReportFiles site_files(Store& store, const PublishCommand& options, Terminal& terminal) {
  std::vector<report::SiteStudy> studies;
  for (const StudyRow& row : store.studies()) {
    studies.push_back(site_study(store, row, options, terminal));
  }
  const fs::path own_audit = fs::path(options.templates) / "audit.md";
  ReportFiles files = report::make_site(options.title,
                                        std::move(studies),
                                        all_datasets(store, options.datasets),
                                        !options.templates.empty() && fs::exists(own_audit)
                                            ? own_audit
                                            : shared_file("templates/audit.md"));
  const std::vector<std::string> secrets = stored_secrets(store);
  for (auto& [path, content] : files) {
    content = masked(std::move(content), secrets);
  }
  return files;
}

// "studies/demo/" of "studies/demo/data/results.csv"; "" of a file that is of no study.
std::string study_folder(const std::string& path) {
  constexpr std::string_view studies = "studies/";
  const std::size_t end = path.find('/', studies.size());
  return path.starts_with(studies) && end != std::string::npos ? path.substr(0, end + 1) : "";
}

// Why a page that is of no study differs: the store is the same where the site was made with other
// options.
std::string difference(const std::string& path,
                       const ReportFiles& files,
                       const std::vector<std::string>& differing,
                       const fs::path& folder,
                       const std::string& title) {
  const std::string datasets = "datasets";
  const bool has_other_audits = std::ranges::any_of(differing, [&](const std::string& page) {
    return page.starts_with(datasets + "/") && files.contains(page) != fs::exists(folder / page);
  });
  if (path.starts_with(datasets) && has_other_audits) {
    return "the site was made with other datasets; repeat its --audit";
  }
  const std::string heading = "<h1>" + report::escape_html(title) + "</h1>";
  return path == "index.html" &&
                 read_file(folder / path).value_or(heading).find(heading) == std::string::npos
             ? "the site was made with another title; repeat its --title"
             : "differs from the store";
}

// What differs, study by study as `report --check` says it.
void tell_differing(const ReportFiles& files,
                    const std::vector<std::string>& differing,
                    const fs::path& folder,
                    const std::string& title,
                    Terminal& terminal) {
  std::map<std::string, std::vector<std::string>> by_study;
  for (const std::string& path : differing) {
    const std::string of = study_folder(path);
    if (of.empty()) {
      terminal.out(fmt::format(
          "{}: {}\n", (folder / path).string(), difference(path, files, differing, folder, title)));
    } else {
      by_study[of].push_back(path.substr(of.size()));
    }
  }
  for (const auto& [of, paths] : by_study) {
    ReportFiles own;
    for (const auto& [path, content] : files) {
      if (path.starts_with(of)) {
        own[path.substr(of.size())] = content;
      }
    }
    tell_renewal(own, paths, (folder / of).parent_path(), terminal);
  }
}

ExitCode publish(const PublishCommand& options, const std::string& results, Terminal& terminal) {
  Store store = options.check ? Store::open_read_only(results) : open_existing(results);
  if (!options.templates.empty()) {
    require_templates(options.templates, site_templates());
  }
  terminal.hide(stored_secrets(store));
  warn_of_misnamed(store, results, terminal);
  const fs::path folder = options.folder;
  if (options.check) {
    const ReportFiles files = site_files(store, options, terminal);
    const std::vector<std::string> differing = report::differing_site_files(files, folder);
    tell_differing(files, differing, folder, options.title, terminal);
    return differing.empty() ? ExitCode::kDone : ExitCode::kTargetMissed;
  }
  report::require_site_folder(folder);
  const ReportFiles files = site_files(store, options, terminal);
  const report::SiteChange change = report::write_site(files, folder);
  terminal.out((folder / "index.html").string() + "\n");
  terminal.note(fmt::format(
      "{} files, {} written, {} removed", files.size(), change.written, change.removed));
  return ExitCode::kDone;
}

}  // namespace

Verb publish_verb() {
  const auto options = std::make_shared<PublishCommand>();
  return {
      "publish",
      VerbGroup::kShare,
      "Write all studies of the store as a static site",
      {{"folder",
        &options->folder,
        "Folder to write: new, empty, or an earlier site, whose changed files are replaced"},
       {"--audit",
        &options->datasets,
        "Folders with a dataset.yaml, or folders of such folders, to audit besides the imported "
        "ones",
        "AUDIT",
        "DIR"},
       {"--title",
        &options->title,
        "Heading of the index; default Scaling studies",
        "TITLE",
        "TEXT"},
       {"--template",
        &options->templates,
        "Folder with your own templates, which replace the built-in files of the same names: "
        "report.md, or one file for each kind of report (scaling.md ...); partials/; figures/ "
        "(gnuplot scripts, which can start programs); audit.md",
        "PUBLISH_TEMPLATE",
        "DIR"},
       {"--check",
        &options->check,
        "Write nothing; exit 4 if the site's files do not match the store, and say which numbers "
        "of "
        "a study differ, or that only words do",
        "CHECK"}},
      "Writes an index with the answers and a search, a page and the files of each study, "
      "history,\n"
      "datasets and audits. Addresses never change: studies/NAME/ and datasets/NAME/. The site "
      "needs\n"
      "no server, and no script in the data runs. Publishing counts as a look at the results, as\n"
      "`report` does.\n\n"
      "Examples:\n  scalestudy publish site\n"
      "  scalestudy publish site --audit data/published --title 'Our machines'\n"
      "  scalestudy publish site --template house\n"
      "  scalestudy publish site --check",
      with_options(options, publish)};
}

}  // namespace scalestudy
