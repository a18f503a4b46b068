#include "harness/site/site_page.h"

#include <fmt/format.h>

#include "harness/report/template/html.h"

namespace scalestudy::report {

std::string site_page(const std::string& title,
                      const std::string& up,
                      const std::string& links,
                      const std::string& body,
                      std::string_view script,
                      std::string_view script_hash) {
  const std::string head = fmt::format(
      "<nav><a href=\"{0}index.html\">Studies</a> · <a href=\"{0}history.html\">History</a> · "
      "<a href=\"{0}datasets.html\">Datasets</a>{1}{2}</nav>\n",
      up,
      links.empty() ? "" : " | ",
      links);
  return html_page(title, head + "<main>\n" + body + "</main>\n", script, script_hash);
}

}  // namespace scalestudy::report
