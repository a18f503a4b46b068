// Starts gnuplot and makes its SVG follow the reader's colour scheme.
#include "harness/report/gnuplot.h"

#include "harness/base/error.h"
#include "harness/report/filter.h"

namespace scalestudy::report {
namespace {

// The scheme of the page decides, also where the figure is an <img> of its own.
constexpr const char* kStyle =
    "<style>svg{color:#1f2328;background:transparent}"
    "@media (prefers-color-scheme:dark){svg{color:#e6edf3}}</style>\n";

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// Points with error bars stand on a white disc that covers short bars, and shines on a dark page.
void remove_halos(std::string& svg) {
  const std::string end = " color='white'/>";
  for (std::size_t at = svg.find(end); at != std::string::npos; at = svg.find(end)) {
    const std::size_t start = svg.rfind('<', at);
    svg.erase(start, at + end.size() - start);
  }
}

// Cuts UTF-8 text after at most `limit` code points.
std::string shortened(const std::string& text, std::size_t limit) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool starts_character = (static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U;
    if (starts_character && ++count > limit) {
      return text.substr(0, at) + "…";
    }
  }
  return text;
}

}  // namespace

std::string gnuplot_string(const std::string& text) {
  std::string quoted = "'";
  for (const char c : shortened(text, 60)) {
    if (static_cast<unsigned char>(c) < 0x20U) {
      quoted += ' ';
    } else {
      quoted += c == '\'' ? std::string("''") : std::string(1, c);
    }
  }
  return quoted + "'";
}

std::string gnuplot_array(const std::string& name, const std::vector<std::string>& values) {
  std::string text = "array " + name + "[" + std::to_string(values.size()) + "] = [";
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += (i == 0 ? "" : ", ") + values[i];
  }
  return text + "]\n";
}

std::string adapt_to_scheme(std::string svg) {
  remove_halos(svg);
  replace_all(svg, " color=\"black\"", "");
  replace_all(svg, "stroke=\"black\"", "stroke=\"currentColor\"");
  replace_all(svg, "fill=\"black\"", "fill=\"currentColor\"");
  replace_all(svg, "stroke='black'", "stroke='currentColor'");
  replace_all(svg, "fill='black'", "fill='currentColor'");
  replace_all(svg, "rgb(  0,   0,   0)", "currentColor");
  const std::size_t open = svg.find("<svg");
  const std::size_t end = open == std::string::npos ? open : svg.find('>', open);
  if (end != std::string::npos) {
    svg.insert(end + 1, std::string("\n") + kStyle);
  }
  return svg;
}

std::string draw_svg(const std::string& script, const std::string& name) {
  // -d: nothing of the user's own gnuplot settings may reach a report.
  const FilterResult result = run_filter({"gnuplot", "-d", "-"}, script);
  if (!result.found) {
    throw Error(ErrorKind::kMachine,
                "gnuplot is missing; figures need it: install gnuplot-nox (Debian) or gnuplot");
  }
  if (result.exit_code != 0 || result.output.find("</svg>") == std::string::npos) {
    throw Error(ErrorKind::kUsage,
                name + ": gnuplot ended with code " + std::to_string(result.exit_code) + ": " +
                    result.errors);
  }
  return adapt_to_scheme(result.output);
}

}  // namespace scalestudy::report
