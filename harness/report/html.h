// The report as one HTML file.
#pragma once

#include <map>
#include <string>

namespace scalestudy::report {

// markdown  the rendered report.
// figures   SVG by path; the images of those paths are put into the page itself.
std::string make_html(const std::string& title,
                      const std::string& markdown,
                      const std::map<std::string, std::string>& figures);

}  // namespace scalestudy::report
