// Markdown by cmark-gfm, figures inlined, a small style sheet for light and dark.
#include "harness/report/html.h"

#include <cstdlib>
#include <memory>

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>

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
  cmark_gfm_core_extensions_ensure_registered();
  const std::unique_ptr<cmark_parser, decltype(&cmark_parser_free)> parser(
      cmark_parser_new(CMARK_OPT_DEFAULT), cmark_parser_free);
  for (const char* extension : {"table", "strikethrough", "tagfilter"}) {
    cmark_parser_attach_syntax_extension(parser.get(), cmark_find_syntax_extension(extension));
  }
  cmark_parser_feed(parser.get(), markdown.data(), markdown.size());
  const std::unique_ptr<cmark_node, decltype(&cmark_node_free)> document(
      cmark_parser_finish(parser.get()), cmark_node_free);
  // Unsafe: templates fold sections with <details>, and tagfilter keeps scripts out.
  const std::unique_ptr<char, decltype(&std::free)> html(
      cmark_render_html(
          document.get(), CMARK_OPT_UNSAFE, cmark_parser_get_syntax_extensions(parser.get())),
      std::free);
  return html.get();
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
