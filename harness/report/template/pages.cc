// Splits the Markdown of a report and joins it again; links follow.
#include "harness/report/template/pages.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
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

// The anchors of the text's headings, as links name them, and those that its HTML sets.
std::set<std::string> anchors_of(const std::string& markdown) {
  const std::string html = markdown_to_html(markdown);
  std::set<std::string> anchors;
  for (const std::string start : {" id=\"", " id='", " name=\"", " name='"}) {
    for (std::size_t at = html.find(start); at != std::string::npos; at = html.find(start, at)) {
      at += start.size();
      anchors.insert(html.substr(at, html.find(start.back(), at) - at));
    }
  }
  return anchors;
}

// What a link's target, "#speedup" or "details.md#speedup", becomes; absent: the link is taken out.
using ChangeTarget = std::function<std::optional<std::string>(const std::string& target)>;

// Leaves of a link only its words, and nothing of one that is a sentence of its own, such as
// "[What to do](#drift).": its words alone would point nowhere.
// - changed: the line up to the link's ']'; its '[' is at `begin`.
// - line: the whole line, in which the link's ')' is at `end`.
// - returns: where in `line` the rest begins, less 1.
std::size_t take_out(std::string& changed,
                     std::size_t begin,
                     const std::string& line,
                     std::size_t end) {
  if (std::string_view(changed).substr(0, begin).ends_with(". ") &&
      line.compare(end + 1, 1, ".") == 0) {
    changed.resize(begin - 1);
    return end + 1;
  }
  changed.erase(begin, 1);
  return end;
}

// Where the rest of the line begins, behind the `code` that begins at `at`; behind its backticks
// alone where the line has not as many again to end it.
std::size_t end_of_code(const std::string& line, std::size_t at) {
  const auto behind = [&](std::size_t ticks) {
    return std::min(line.find_first_not_of('`', ticks), line.size());
  };
  const std::size_t code = behind(at);
  for (std::size_t end = line.find('`', code); end != std::string::npos;
       end = line.find('`', behind(end))) {
    if (behind(end) - end == code - at) {
      return behind(end);
    }
  }
  return code;
}

// The line with its links as `change` says. Brackets that are escaped or within `code` make none.
std::string with_links(const std::string& line, const ChangeTarget& change) {
  const std::size_t last = line.rfind(')');
  std::string changed;
  std::vector<std::size_t> open;  // brackets in `changed` that are not closed yet
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '`' || line[at] == '\\') {
      const std::size_t rest = line[at] == '`' ? end_of_code(line, at) : at + 2;
      changed.append(line, at, rest - at);
      at = rest - 1;
      continue;
    }
    if (line[at] == '[') {
      open.push_back(changed.size());
    }
    if (line[at] != ']') {
      changed += line[at];
      continue;
    }
    const std::size_t begin = open.empty() ? std::string::npos : open.back();
    if (!open.empty()) {
      open.pop_back();
    }
    if (last == std::string::npos || at > last || line.compare(at, 2, "](") != 0) {
      changed += ']';
      continue;
    }
    const std::size_t end = line.find(')', at);
    const std::string old = line.substr(at + 2, end - at - 2);
    const std::optional<std::string> target = change(old);
    if (target || begin == std::string::npos) {
      changed += "](" + target.value_or(old) + ")";
      at = end;
    } else {
      at = take_out(changed, begin, line, end);
    }
  }
  return changed;
}

// The text with its links as `change` says. What is fenced stays: it holds the text of a study.
std::string with_targets(const std::string& markdown, const ChangeTarget& change) {
  std::istringstream lines(markdown);
  std::string changed;
  std::string fence;
  for (std::string line; std::getline(lines, line);) {
    const std::string ticks = line.substr(0, line.find_first_not_of('`'));
    const bool is_fence =
        ticks.size() >= 3 && (fence.empty() ? line.find('`', ticks.size()) == std::string::npos
                                            : ticks.size() >= fence.size() && ticks == line);
    if (is_fence) {
      fence = fence.empty() ? ticks : "";
    } else if (fence.empty()) {
      line = with_links(line, change);
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

std::string without_dead_links(const std::string& markdown) {
  std::set<std::string> anchors = anchors_of(markdown);
  anchors.emplace("");  // these two lead to the top of any page
  anchors.emplace("top");
  return with_targets(markdown, [&](const std::string& target) {
    const std::string place = target.substr(0, target.find(' '));  // without a title
    // Other letters may be written in several ways.
    const bool is_plain = std::ranges::all_of(
        place, [](unsigned char letter) { return letter < 0x80U && letter != '%'; });
    return place.starts_with("#") && is_plain && !anchors.contains(place.substr(1))
               ? std::nullopt
               : std::optional(target);
  });
}

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
