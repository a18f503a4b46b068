// Starts gnuplot and makes its SVG follow the reader's colour scheme.
#include "harness/report/figures/gnuplot.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/base/tool.h"
#include "harness/text/text.h"

namespace scalestudy::report {
namespace {

// The scheme of the page decides, also where the figure is an <img> of its own. A series has one
// colour in both; words in it are drawn darker or lighter, to a contrast of 4.5.
constexpr const char* kStyle =
    "<style>svg{color:#1f2328;background:transparent}"
    "@supports (fill:color-mix(in srgb,red,red)){"
    "[style^=\"--c\"]{fill:color-mix(in srgb,var(--c) 80%,#000)}}"
    "@media (prefers-color-scheme:dark){svg{color:#e6edf3}"
    "@supports (fill:color-mix(in srgb,red,red)){"
    "[style^=\"--c\"]{fill:color-mix(in srgb,var(--c) 80%,#fff)}}}</style>\n";

// Points with error bars stand on a white disc that covers short bars, and shines on a dark page.
void remove_halos(std::string& svg) {
  const std::string end = " color='white'/>";
  for (std::size_t at = svg.find(end); at != std::string::npos; at = svg.find(end)) {
    const std::size_t start = svg.rfind('<', at);
    svg.erase(start, at + end.size() - start);
  }
}

// fill="rgb(0,114,178)", as gnuplot writes it around words alone, becomes a variable of kStyle,
// too.
void name_colours_of_words(std::string& svg) {
  const std::string start = " fill=\"rgb(";
  for (std::size_t at = svg.find(start); at != std::string::npos; at = svg.find(start, at)) {
    const std::size_t colour = at + start.size() - 4;
    const std::string name = svg.substr(colour, svg.find('"', colour) - colour);
    const std::string style = " style=\"--c:" + name + "\"";
    svg.insert(at, style);
    at += style.size() + start.size();
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

std::string in_quotes(const std::string& text) {
  std::string string = "'";
  for (const char c : text) {
    string += c == '\'' ? "''" : std::string(1, c);
  }
  return string + "'";
}

ToolResult run_gnuplot(const std::string& program) {
  constexpr ToolLimits limits{.timeout_s = 600.0, .most_bytes = std::size_t{1} << 30U};
  // -d: nothing of the user's own gnuplot settings may reach a report; nor their time zone a PDF.
  ToolResult result = run_tool({"/usr/bin/env", "TZ=UTC0", "gnuplot", "-d", "-"}, program, limits);
  constexpr int not_found = 127;  // of env, or of a script
  if (result.exit_code == not_found && !find_program("gnuplot")) {
    throw Error(ErrorKind::kMachine,
                "gnuplot is missing, and a report cannot draw its figures without it: apt-get "
                "install gnuplot-nox (Debian), or module load gnuplot. run, query and compare do "
                "not need it");
  }
  return result;
}

bool is_drawn(const std::string& svg) {
  return svg.find("</svg>") != std::string::npos;
}

// What one gnuplot writes for each program; absent when any of them fails, or ends it early.
std::optional<std::vector<std::string>> draw_together(const std::vector<FigureProgram>& programs) {
  const std::string end = "scalestudy: end of a figure";  // a line that no SVG holds
  const std::string after =
      "\nunset output\nset print '-'\nprint '" + end + "'\nset print\nreset session\n";
  std::string all;
  for (const FigureProgram& program : programs) {
    all += program.text;
    all += after;
  }
  const ToolResult result = run_gnuplot(all);
  std::vector<std::string> svgs;
  std::size_t from = 0;
  for (std::size_t at = result.output.find(end + "\n"); at != std::string::npos;
       at = result.output.find(end + "\n", from)) {
    svgs.push_back(result.output.substr(from, at - from));
    from = at + end.size() + 1;
  }
  const bool is_whole = result.exit_code == 0 && svgs.size() == programs.size() &&
                        std::all_of(svgs.begin(), svgs.end(), is_drawn);
  return is_whole ? std::optional(svgs) : std::nullopt;
}

bool is_pdf(const std::string& drawn) {
  return drawn.starts_with("%PDF-") && drawn.find("%%EOF") != std::string::npos;
}

// One gnuplot for each, so that every failure is told as its own.
std::vector<std::string> draw_apart(const std::vector<FigureProgram>& programs,
                                    bool (*is_whole)(const std::string&)) {
  std::vector<std::string> figures;
  std::set<std::string> failures;
  for (const FigureProgram& program : programs) {
    ToolResult result = run_gnuplot(program.text);
    if (result.exit_code != 0 || !is_whole(result.output)) {
      failures.insert(fmt::format(
          "{}: gnuplot ended with code {}: {}", program.name, result.exit_code, result.errors));
    }
    figures.push_back(std::move(result.output));
  }
  if (!failures.empty()) {
    throw Error(ErrorKind::kUsage, fmt::format("{}", fmt::join(failures, "\n")));
  }
  return figures;
}

// The same study gives the same bytes at any time.
void remove_date(std::string& pdf) {
  const std::string start = "/CreationDate (D:";
  const std::size_t at = pdf.find(start);
  const std::size_t end =
      at == std::string::npos ? at : pdf.find_first_not_of("0123456789", at + start.size());
  if (end != std::string::npos) {
    const std::string epoch = "19700101000000";
    pdf.replace(
        at + start.size(), end - at - start.size(), epoch.substr(0, end - at - start.size()));
  }
}

}  // namespace

std::string gnuplot_string(const std::string& text, std::size_t limit) {
  std::string printable = shortened(text, limit);
  std::replace_if(
      printable.begin(),
      printable.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20U; },
      ' ');
  return in_quotes(printable);
}

std::string gnuplot_path(const std::filesystem::path& file) {
  // A name that starts with < would be run, one that starts with ~ looked for at home.
  return in_quotes(std::filesystem::absolute(file).string());
}

std::string gnuplot_tic(const std::string& text) {
  std::string label = gnuplot_string(text);
  replace_all(label, "%", "%%");
  return label;
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
  name_colours_of_words(svg);
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

std::vector<std::string> draw_svgs(const std::vector<FigureProgram>& programs) {
  std::vector<FigureProgram> shared;
  std::vector<FigureProgram> alone;
  for (const FigureProgram& program : programs) {
    (program.is_alone ? alone : shared).push_back(program);
  }
  const std::optional<std::vector<std::string>> together =
      shared.empty() ? std::vector<std::string>() : draw_together(shared);
  std::vector<std::string> svgs = draw_apart(together ? alone : programs, is_drawn);
  for (std::size_t i = 0, next = 0; together && i < programs.size(); ++i) {
    if (!programs[i].is_alone) {
      svgs.insert(svgs.begin() + static_cast<std::ptrdiff_t>(i), (*together)[next++]);
    }
  }
  std::transform(svgs.begin(), svgs.end(), svgs.begin(), adapt_to_scheme);
  return svgs;
}

std::vector<std::string> draw_pdfs(const std::vector<FigureProgram>& programs) {
  std::vector<std::string> pdfs = draw_apart(programs, is_pdf);
  std::ranges::for_each(pdfs, remove_date);
  return pdfs;
}

}  // namespace scalestudy::report
