#include "harness/site/site_datasets.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/report/template/html.h"
#include "harness/site/site_page.h"
#include "harness/text/text.h"

namespace scalestudy::report {
namespace {

using audit::Verdict;

constexpr std::array kVerdicts{Verdict::kDoesNotFollow,
                               Verdict::kFollowsIfCutOff,
                               Verdict::kImplausible,
                               Verdict::kFollows,
                               Verdict::kCannotBeChecked};

std::string shown(const std::string& text) {
  return escape_html(printable(text));
}

std::string audited_row(const AuditedDataset& audited) {
  std::string row = fmt::format("<tr><td><a href=\"datasets/{}/index.html\">{}</a></td><td>{}</td>",
                                audited.dataset.name,
                                shown(audited.dataset.title),
                                shown(audited.dataset.source.document));
  for (const Verdict verdict : kVerdicts) {
    row += fmt::format("<td align=\"right\">{}</td>",
                       std::ranges::count(audited.findings, verdict, &audit::Finding::verdict));
  }
  return row + "</tr>\n";
}

std::string audited_table(const std::vector<SiteDataset>& datasets) {
  std::map<std::string, std::string> by_name;  // imported and named to be audited: one row
  for (const SiteDataset& dataset : datasets) {
    if (dataset.audited) {
      by_name.emplace(dataset.audited->dataset.name, audited_row(*dataset.audited));
    }
  }
  std::string rows;
  for (const auto& [name, row] : by_name) {
    rows += row;
  }
  if (rows.empty()) {
    return "";
  }
  std::string head = "<tr><th>Dataset</th><th>From</th>";
  for (const Verdict verdict : kVerdicts) {
    head += fmt::format("<th>{}</th>", verdict_name(verdict));
  }
  return fmt::format(
      "<h2>Audits</h2>\n<p>Derived figures, recomputed from the figures they should follow from: "
      "how many of each verdict.</p>\n<table>\n<thead>{}</tr></thead>\n<tbody>\n{}</tbody>\n"
      "</table>\n",
      head,
      rows);
}

// Where a study's page has the figures. A page by a template of one's own may have no such section.
std::string link_to_figures(const std::string& study, const std::vector<SiteStudy>& studies) {
  const std::string page = "studies/" + study + "/index.html";
  const bool has_section = std::ranges::any_of(studies, [&](const SiteStudy& one) {
    const auto found = one.files.find(page);
    return found != one.files.end() &&
           found->second.find("id=\"published-figures\"") != std::string::npos;
  });
  return page + (has_section ? "#published-figures" : "");
}

std::string imported_row(const SiteDataset& dataset, const std::vector<SiteStudy>& studies) {
  const PublicationRow& row = *dataset.imported;
  const bool is_titled = row.kind == PublicationKind::kDataset && !row.title.empty();
  const std::string kind = row.title.empty() ? "" : row.title + ": ";  // "a CSV file"
  const std::string study =
      dataset.study.empty()
          ? "no study"
          : fmt::format(
                "<a href=\"{1}\">{0}</a>, <a href=\"studies/{0}/data/published.csv\">CSV</a>",
                dataset.study,
                link_to_figures(dataset.study, studies));
  return fmt::format(
      "<tr><td>{}</td><td>{}</td><td align=\"right\">{}</td><td>{}</td><td>{}</td></tr>\n",
      shown(is_titled ? row.title : kind + row.source),
      to_word(row.kind),
      row.figures.size(),
      study,
      dataset.audited ? fmt::format("<a href=\"datasets/{}/index.html\">audit</a>",
                                    dataset.audited->dataset.name)
                      : shown(dataset.why_not));
}

std::string imported_table(const std::vector<SiteDataset>& datasets,
                           const std::vector<SiteStudy>& studies) {
  std::string rows;
  for (const SiteDataset& dataset : datasets) {
    rows += dataset.imported ? imported_row(dataset, studies) : "";
  }
  return rows.empty()
             ? ""
             : fmt::format(
                   "<h2>Imported</h2>\n<p>Shown beside measured figures, in no statistic.</p>\n"
                   "<table>\n<thead><tr><th>Figures of</th><th>Kind</th><th>Figures</th><th>Beside "
                   "the results "
                   "of</th><th>Audit</th></tr></thead>\n<tbody>\n{}</tbody>\n</table>\n",
                   rows);
}

}  // namespace

ReportFiles dataset_pages(const std::vector<SiteDataset>& datasets,
                          const std::vector<SiteStudy>& studies,
                          const std::filesystem::path& audit_template) {
  render_audit({}, audit_template);  // so that a wrong template is told even if it makes no page
  ReportFiles files;
  for (const SiteDataset& dataset : datasets) {
    if (!dataset.audited) {
      continue;
    }
    const std::string& name = dataset.audited->dataset.name;
    const std::string page =
        site_page(dataset.audited->dataset.title,
                  "../../",
                  "",
                  markdown_to_html(render_audit({*dataset.audited}, audit_template)));
    const auto [place, is_new] = files.emplace("datasets/" + name + "/index.html", page);
    if (!is_new && place->second != page) {
      throw Error(
          ErrorKind::kUsage,
          fmt::format("two datasets are named {}, and they are not the same: a site has one "
                      "page a name; rename one (dataset: in its dataset.yaml)",
                      name));
    }
  }
  const std::string tables = audited_table(datasets) + imported_table(datasets, studies);
  files["datasets.html"] = site_page(
      "Datasets",
      "",
      "",
      "<h1>Datasets</h1>\n" + (tables.empty() ? "<p>No published figures.</p>\n" : tables));
  return files;
}

}  // namespace scalestudy::report
