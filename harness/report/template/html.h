// Markdown as HTML, and whole pages: the report as one file, and those of a site.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace scalestudy::report {

// The text escaped so that it shows literally, also within an attribute in double quotes.
std::string escape_html(std::string_view text);

// GitHub's Markdown as HTML; headings have ids, so that links reach them. HTML in it stays, so text
// of users must have been escaped (markdown.h).
std::string markdown_to_html(const std::string& markdown);

// A whole page with a content security policy: no script runs but `script`, and no image is shown
// but those within the page and from its origin. Readable on a phone, on paper, on a light and on a
// dark screen.
// - body: HTML.
// - script: JavaScript for the end of the page; "" for none.
// - script_hash: hash of the script as policies write it, "sha256-...".
std::string html_page(const std::string& title,
                      const std::string& body,
                      std::string_view script = {},
                      std::string_view script_hash = {});

// The report as one HTML file.
// - markdown: the rendered report.
// - figures: SVG texts by path; images of these paths are put into the page itself.
std::string make_html(const std::string& title,
                      const std::string& markdown,
                      const std::map<std::string, std::string>& figures);

}  // namespace scalestudy::report
