// Markdown by cmark-gfm, figures inlined, a small style sheet for light, dark and paper.
#include "harness/report/template/html.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>
#include <fmt/format.h>

namespace scalestudy::report {
namespace {

// Wide tables and figures scroll in boxes of their own, so that the page never does. On a desk
// intervals break instead, which keeps the last column in sight. On paper what is folded is open,
// but a report's details are there only if the reader opened them; colours are those of a light
// screen.
constexpr const char* kStyle = R"(<style>
:root{color-scheme:light dark;--text:#1f2328;--soft-text:#59636e;--ground:#fff;--line:#d1d9e0;--soft:#f6f8fa;--link:#0969da}
@media screen and (prefers-color-scheme:dark){:root{--text:#e6edf3;--soft-text:#9198a1;--ground:#0d1117;--line:#3d444d;--soft:#151b23;--link:#4493f8}}
body{color:var(--text);background:var(--ground);font:16px/1.5 system-ui,"Segoe UI",Helvetica,Arial,sans-serif;max-width:84rem;margin:2rem auto;padding:0 1rem;overflow-wrap:break-word}
a{color:var(--link)}
h1,h2{border-bottom:1px solid var(--line);padding-bottom:.3em;line-height:1.25}
table,p:has(>svg,>img){display:block;overflow-x:auto;max-width:100%;margin:1rem 0}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;overflow-wrap:normal}
p,ul,ol,pre{max-width:72rem}
th,td{border:1px solid var(--line);padding:.3em .55em}
@media screen and (max-width:60rem){td[align=right]{white-space:nowrap}td:not([align]){min-width:8rem}}
th{vertical-align:bottom}
th,pre,code{background:var(--soft)}
pre{padding:1em;overflow-x:auto}
svg,img{max-width:100%;height:auto}
p:has(>svg,>img)>*{display:block;min-width:30rem;width:100%;max-width:52rem}
.soft{color:var(--soft-text)}
article{overflow:hidden}
.small{float:right;width:18rem;max-width:45%;margin:0 0 .5rem 1.5rem}
@media screen and (max-width:40rem){.small{float:none;width:100%;max-width:none;margin:0}}
[hidden]{display:none}
@media print{
:root{color-scheme:light}
body{font-size:10pt;max-width:none;margin:0}
nav,form{display:none}
table{display:table;font-size:7.5pt}
th,td{padding:.2em .4em}
pre{white-space:pre-wrap;overflow-wrap:anywhere}
tr,svg,img,pre{break-inside:avoid}
h1,h2,h3{break-after:avoid}
p:has(>svg,>img)>*{min-width:0;max-width:13cm}
details::details-content{content-visibility:visible;block-size:auto}
details.more:not([open]){display:none}
}
</style>
)";

// Of the start of an element: "what" of alt="what", as HTML has it; "" when absent.
std::string attribute(const std::string& element, const std::string& name) {
  const std::string start = " " + name + "=\"";
  const std::size_t at = element.find(start);
  return at == std::string::npos
             ? ""
             : element.substr(at + start.size(),
                              element.find('"', at + start.size()) - at - start.size());
}

// The SVG with `prefix` before each of its ids, also where an element refers to one. Text between
// its elements stays.
std::string with_own_ids(const std::string& svg, const std::string& prefix) {
  std::string changed;
  for (std::size_t at = 0; at < svg.size();) {
    const std::size_t begin = std::min(svg.find('<', at), svg.size());
    const std::size_t end = std::min(svg.find('>', begin), svg.size());
    changed.append(svg, at, begin - at);
    std::string element = svg.substr(begin, end - begin);
    for (const std::string_view name : {" id=\"", " id='", "href=\"#", "href='#", "url(#"}) {
      for (std::size_t id = element.find(name); id != std::string::npos;
           id = element.find(name, id)) {
        id += name.size();
        element.insert(id, prefix);
      }
    }
    changed += element;
    at = end;
  }
  return changed;
}

// <img src="PATH" ... /> becomes the SVG element itself, which keeps the words of its alt. Its ids
// begin with the figure's name and a dot, which no anchor of a heading has.
void inline_figure(std::string& html, const std::string& path, const std::string& svg) {
  constexpr std::string_view opening = "<svg";
  const std::size_t element = svg.find(opening);
  if (element == std::string::npos) {
    return;
  }
  const std::string start = "<img src=\"" + path + "\"";
  const std::string name = std::filesystem::path(path).stem().string();
  int count = 0;
  for (std::size_t at = html.find(start); at != std::string::npos; at = html.find(start, at)) {
    const std::size_t end = html.find('>', at);
    if (end == std::string::npos) {
      return;
    }
    const std::string words = attribute(html.substr(at, end - at), "alt");
    const std::string prefix = ++count == 1 ? name + "." : fmt::format("{}.{}.", name, count);
    const std::string drawn =
        fmt::format("<svg role=\"img\" aria-label=\"{}\"{}",
                    words,
                    with_own_ids(svg.substr(element), prefix).substr(opening.size()));
    html.replace(at, end + 1 - at, drawn);
    at += drawn.size();
  }
}

// What links to a heading are written with on GitHub: "Threats to validity" -> threats-to-validity.
//   heading  HTML; elements and entities of it count for nothing.
std::string anchor_of(std::string_view heading) {
  std::string anchor;
  char until = '\0';
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (until != '\0') {
      until = c == until ? '\0' : until;
    } else if (c == '<' || c == '&') {
      until = c == '<' ? '>' : ';';
    } else if (c == ' ') {
      anchor += '-';
    } else if (c == '-' || c == '_' || byte >= 0x80U || std::isalnum(byte) != 0) {
      anchor += static_cast<char>(std::tolower(byte));
    }
  }
  return anchor;
}

// <h2>Why</h2> becomes <h2 id="why">Why</h2>. The second of a name is why-1, or why-2 if a heading
// "Why 1" came before it.
void name_headings(std::string& html) {
  std::map<std::string, int> seen;  // how many further headings of that name there were
  for (std::size_t at = html.find("<h"); at != std::string::npos; at = html.find("<h", at + 1)) {
    const std::size_t start = at + 4;  // behind <h2>
    const std::size_t end = html.find("</h", at);
    if (end == std::string::npos) {
      return;
    }
    if (html.compare(at + 3, 1, ">") == 0 && html[at + 2] >= '1' && html[at + 2] <= '6') {
      const std::string name = anchor_of(std::string_view(html).substr(start, end - start));
      std::string anchor = name;
      while (!seen.emplace(anchor, 0).second) {
        anchor = name + "-" + std::to_string(++seen[name]);
      }
      html.insert(start - 1, " id=\"" + anchor + "\"");
    }
  }
}

}  // namespace

std::string escape_html(std::string_view text) {
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
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string markdown_to_html(const std::string& markdown) {
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
  std::string page = html.get();
  name_headings(page);
  return page;
}

std::string html_page(const std::string& title,
                      const std::string& body,
                      std::string_view script,
                      std::string_view script_hash) {
  const std::string run = script.empty() ? "" : fmt::format("; script-src '{}'", script_hash);
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n{}</head>\n<body>\n{}{}</body>\n</html>\n",
      run,
      escape_html(title),
      kStyle,
      body,
      script.empty() ? "" : fmt::format("<script>{}</script>\n", script));
}

std::string make_html(const std::string& title,
                      const std::string& markdown,
                      const std::map<std::string, std::string>& figures) {
  std::string body = markdown_to_html(markdown);
  for (const auto& [path, svg] : figures) {
    inline_figure(body, path, svg);
  }
  return html_page(title, body);
}

}  // namespace scalestudy::report
