// A rendered template as one page or as two: what is below its line "<!-- details -->" is
// details.md beside report.md, and folded in HTML.
#pragma once

#include <string>

namespace scalestudy::report {

// The Markdown of a report's pages.
struct Pages {
  std::string report;
  std::string details;  // "" if the template has no line of details
};

// The rendered template without links to headings that it lacks: their words stay, but for those
// of a sentence that is nothing else. A page can leave out sections that its partials point to.
std::string without_dead_links(const std::string& markdown);

// Parts a rendered template at its first line "<!-- details -->". Links to a heading of the other
// page name that page's file. The report ends with a link to each section of the details, which get
// a title and a link back.
Pages split_pages(const std::string& markdown);

// The rendered template as one page, without that line.
std::string whole_page(const std::string& markdown);

// The two pages as one for HTML, with the details below and folded.
std::string folded_page(const Pages& pages);

}  // namespace scalestudy::report
