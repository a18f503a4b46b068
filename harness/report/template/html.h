// Markdown as HTML, and whole pages: the report as one file, and those of a site.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace scalestudy::report {

// Text that shows as it is, also in an attribute in double quotes.
std::string escape_html(std::string_view text);

// GitHub's Markdown, its headings with ids for links. HTML in it stays: text of users comes escaped
// (markdown.h).
std::string markdown_to_html(const std::string& markdown);

// A page with a content security policy: no script runs but `script`, nothing is loaded but images
// from where the page lies. Readable on a phone, on paper, on a light and on a dark screen.
//   body         HTML.
//   script       at the end of the page; "": none.
//   script_hash  of it, as policies write them: "sha256-...".
std::string html_page(const std::string& title,
                      const std::string& body,
                      std::string_view script = {},
                      std::string_view script_hash = {});

// markdown  the rendered report.
// figures   SVG by path; the images of those paths are put into the page itself.
std::string make_html(const std::string& title,
                      const std::string& markdown,
                      const std::map<std::string, std::string>& figures);

}  // namespace scalestudy::report
