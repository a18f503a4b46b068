// The pages about all studies: index with its search, history.
#include "harness/site/site.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "harness/report/template/html.h"
#include "harness/site/site_page.h"

namespace scalestudy::report {
namespace {

// Shows the studies that have all words. The only script of a site: the page's policy knows it by
// its hash and lets no other run; without it the page lacks the search field alone.
constexpr std::string_view kSearch = R"(
const field = document.getElementById("search"), said = document.getElementById("found");
const studies = [...document.querySelectorAll("article")].map(e => [e, e.textContent.toLowerCase()]);
const search = () => {
  const words = field.value.toLowerCase().split(/\s+/);
  const shown = studies.filter(([e, text]) => !(e.hidden = !words.every(w => text.includes(w))));
  said.textContent = field.value.trim() ? shown.length + " of " + studies.length : "";
};
field.form.addEventListener("submit", event => event.preventDefault());
field.addEventListener("input", search);
field.form.hidden = false;
search();
)";
constexpr std::string_view kSearchHash = "sha256-pWUsDtVYGJZnHTF6mMG21598hELF+frxWIhPY3FLFeo=";

std::string index_page(const std::string& title, const std::vector<SiteStudy>& studies) {
  std::string body = fmt::format("<h1>{}</h1>\n", escape_html(title));
  body += studies.empty() ? "<p>No studies yet.</p>\n"
                          : "<form hidden><label>Search: <input id=\"search\" type=\"search\" "
                            "autocomplete=\"off\"></label> <output id=\"found\"></output></form>\n";
  for (const SiteStudy& study : studies) {
    body += study.entry;
  }
  return studies.empty() ? site_page(title, "", "", body)
                         : site_page(title, "", "", body, kSearch, kSearchHash);
}

std::string history_page(const std::vector<SiteStudy>& studies) {
  std::string told;
  std::string others;
  for (const SiteStudy& study : studies) {
    if (!study.history.empty()) {
      told += fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n{}</section>\n",
                          study.name,
                          study.sessions,
                          study.history);
    } else if (!study.sessions.empty()) {
      others += fmt::format("<li>{}</li>\n", study.sessions);
    }
  }
  std::string body =
      "<h1>History</h1>\n<p>From which session on a study's cells are faster or slower: change "
      "points of the sessions' mean step times. It takes ten sessions of a cell to tell.</p>\n";
  body += told;
  body += others.empty() ? "" : "<h2>Too few sessions so far</h2>\n<ul>\n" + others + "</ul>\n";
  return site_page("History", "", "", body);
}

}  // namespace

ReportFiles make_site(const std::string& title,
                      std::vector<SiteStudy> studies,
                      const std::vector<SiteDataset>& datasets,
                      const std::filesystem::path& audit_template) {
  std::ranges::sort(studies, [](const SiteStudy& a, const SiteStudy& b) {
    return a.last_session == b.last_session ? a.name < b.name : a.last_session > b.last_session;
  });
  ReportFiles files = dataset_pages(datasets, studies, audit_template);
  files["index.html"] = index_page(title, studies);
  files["history.html"] = history_page(studies);
  files[".nojekyll"] = "";  // GitHub then shows the files as they are
  for (SiteStudy& study : studies) {
    files.merge(study.files);
  }
  return files;
}

}  // namespace scalestudy::report
