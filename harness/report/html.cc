// Markdown by cmark-gfm, figures inlined, a small style sheet for light and dark.
#include "harness/report/html.h"

#include "harness/base/error.h"
#include "harness/report/filter.h"

namespace scalestudy::report {
namespace {

constexpr const char* kStyle = R"(<style>
:root{color-scheme:light dark;--text:#1f2328;--ground:#fff;--line:#d1d9e0;--soft:#f6f8fa;--link:#0969da}
@media (prefers-color-scheme:dark){:root{--text:#e6edf3;--ground:#0d1117;--line:#3d444d;--soft:#151b23;--link:#4493f8}}
body{color:var(--text);background:var(--ground);font:16px/1.5 system-ui,"Segoe UI",Helvetica,Arial,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem}
a{color:var(--link)}
h1,h2{border-bottom:1px solid var(--line);padding-bottom:.3em}
table{border-collapse:collapse;display:block;overflow-x:auto;max-width:100%;margin:1rem 0;font-variant-numeric:tabular-nums}
th,td{border:1px solid var(--line);padding:.3em .7em}
td[align=right]{white-space:nowrap}
th{vertical-align:bottom}
th,pre,code{background:var(--soft)}
pre{padding:1em;overflow-x:auto}
svg{max-width:100%;height:auto}
</style>
)";

std::string escape_html(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string to_html(const std::string& markdown) {
  const FilterResult result = run_filter({"cmark-gfm",
                                          "-t",
                                          "html",
                                          "--unsafe",
                                          "-e",
                                          "table",
                                          "-e",
                                          "strikethrough",
                                          "-e",
                                          "tagfilter"},
                                         markdown);
  if (!result.found) {
    throw Error(ErrorKind::kMachine,
                "cmark-gfm is missing; the HTML report needs it: install cmark-gfm (Debian)");
  }
  if (result.exit_code != 0) {
    throw Error(ErrorKind::kInternal, "cmark-gfm: " + result.errors);
  }
  return result.output;
}

// <img src="PATH" ... /> becomes the SVG element itself.
void inline_figure(std::string& html, const std::string& path, const std::string& svg) {
  const std::string start = "<img src=\"" + path + "\"";
  for (std::size_t at = html.find(start); at != std::string::npos; at = html.find(start, at)) {
    const std::size_t end = html.find('>', at);
    const std::size_t element = svg.find("<svg");
    if (end == std::string::npos || element == std::string::npos) {
      return;
    }
    html.replace(at, end + 1 - at, svg.substr(element));
    at += svg.size() - element;
  }
}

}  // namespace

std::string make_html(const std::string& title,
                      const std::string& markdown,
                      const std::map<std::string, std::string>& figures) {
  std::string body = to_html(markdown);
  for (const auto& [path, svg] : figures) {
    inline_figure(body, path, svg);
  }
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
         escape_html(title) + "</title>\n" + kStyle + "</head>\n<body>\n" + body +
         "</body>\n</html>\n";
}

}  // namespace scalestudy::report
