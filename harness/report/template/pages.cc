// Splits the Markdown of a report and joins it again; links follow.
#include "harness/report/template/pages.h"

#include <functional>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "harness/report/template/html.h"

namespace scalestudy::report {
namespace {

constexpr const char* kLine = "<!-- details -->\n";
constexpr const char* kReportFile = "report.md";
constexpr const char* kDetailsFile = "details.md";

// Where the line of details begins; npos if the text has none.
std::size_t details_line(const std::string& markdown) {
  const std::string below = std::string("\n") + kLine;
  const std::size_t at = markdown.find(below);
  return at == std::string::npos ? at : at + 1;
}

// The anchors of the text's headings, as links name them.
std::set<std::string> anchors_of(const std::string& markdown) {
  const std::string html = markdown_to_html(markdown);
  const std::string start = " id=\"";
  std::set<std::string> anchors;
  for (std::size_t at = html.find(start); at != std::string::npos; at = html.find(start, at)) {
    at += start.size();
    anchors.insert(html.substr(at, html.find('"', at) - at));
  }
  return anchors;
}

// The text with each target of a link, "#speedup" or "details.md#speedup", as `change` returns it.
// What is fenced stays: it holds the text of a study.
std::string with_targets(const std::string& markdown,
                         const std::function<std::string(const std::string&)>& change) {
  const std::string link = "](";
  std::istringstream lines(markdown);
  std::string changed;
  std::string fence;
  for (std::string line; std::getline(lines, line);) {
    const std::string ticks = line.substr(0, line.find_first_not_of('`'));
    if (ticks.size() >= 3 && (fence.empty() || (ticks.size() >= fence.size() && ticks == line))) {
      fence = fence.empty() ? ticks : "";
    } else if (fence.empty()) {
      for (std::size_t at = line.find(link); at != std::string::npos; at = line.find(link, at)) {
        at += link.size();
        const std::size_t end = line.find(')', at);
        if (end != std::string::npos) {
          line.replace(at, end - at, change(line.substr(at, end - at)));
        }
      }
    }
    changed += line + "\n";
  }
  return changed;
}

// Links to the headings of another page by the name of its file.
std::string linked(const std::string& markdown,
                   const std::set<std::string>& own,
                   const std::set<std::string>& others,
                   const std::string& file) {
  return with_targets(markdown, [&](const std::string& target) {
    const std::string anchor = target.starts_with("#") ? target.substr(1) : "";
    return !own.contains(anchor) && others.contains(anchor) ? file + target : target;
  });
}

std::string unlinked(const std::string& markdown) {
  return with_targets(markdown, [](const std::string& target) {
    for (const std::string file : {kReportFile, kDetailsFile}) {
      if (target == file || target.starts_with(file + "#")) {
        return target == file ? "#" : target.substr(file.size());
      }
    }
    return target;
  });
}

// "Speedup" and its anchor for each heading of the second level, in their order.
std::vector<std::pair<std::string, std::string>> sections_of(const std::string& markdown) {
  const std::string html = markdown_to_html(markdown);
  const std::string start = "<h2 id=\"";
  std::vector<std::pair<std::string, std::string>> sections;
  for (std::size_t at = html.find(start); at != std::string::npos; at = html.find(start, at)) {
    at += start.size();
    const std::size_t text = html.find("\">", at);
    const std::size_t end = html.find("</h2>", text);
    sections.emplace_back(html.substr(text + 2, end - text - 2), html.substr(at, text - at));
  }
  return sections;
}

std::string contents(const std::string& details) {
  std::string links;
  for (const auto& [heading, anchor] : sections_of(details)) {
    links +=
        (links.empty() ? "" : " · ") + ("[" + heading) + "](" + kDetailsFile + "#" + anchor + ")";
  }
  return links.empty() ? "" : "\n**Details:** " + links + "\n";
}

std::string title_of(const std::string& markdown) {
  return markdown.starts_with("# ") ? markdown.substr(2, markdown.find('\n') - 2) : "Report";
}

}  // namespace

Pages split_pages(const std::string& markdown) {
  const std::size_t at = details_line(markdown);
  if (at == std::string::npos) {
    return {markdown, ""};
  }
  std::string report = markdown.substr(0, at);
  report.erase(report.find_last_not_of('\n') + 1);
  report += '\n';
  const std::string details = markdown.substr(at + std::string(kLine).size());
  const std::set<std::string> of_report = anchors_of(report);
  const std::set<std::string> of_details = anchors_of(details);
  return {linked(report, of_report, of_details, kDetailsFile) + contents(details),
          "# Details: " + title_of(markdown) + "\n\nThe answer is in [the report](" + kReportFile +
              ").\n\n" + linked(details, of_details, of_report, kReportFile)};
}

std::string whole_page(const std::string& markdown) {
  const std::size_t at = details_line(markdown);
  return at == std::string::npos ? markdown
                                 : std::string(markdown).erase(at, std::string(kLine).size());
}

std::string folded_page(const Pages& pages) {
  const std::string paragraph = "\n\n";
  const std::size_t title = pages.details.find(paragraph);
  const std::size_t way_back =
      title == std::string::npos ? title : pages.details.find(paragraph, title + 1);
  if (way_back == std::string::npos) {
    return unlinked(pages.report);
  }
  return unlinked(pages.report) +
         "\n<details class=\"more\">\n<summary>Details: every table, method, environment, study "
         "file</summary>\n" +
         unlinked(pages.details.substr(way_back)) + "\n</details>\n";
}

}  // namespace scalestudy::report
