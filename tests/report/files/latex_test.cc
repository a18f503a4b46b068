// The tables and figures of a report for a paper.
#include "harness/report/files/latex.h"

#include <algorithm>
#include <cstdlib>
#include <regex>
#include <sstream>

#include "harness/base/tool.h"
#include "harness/report/figures/figures.h"
#include "harness/report/report.h"
#include "harness/report/sections/sections.h"
#include "tests/report/sample_study.h"
#include "tests/report/scratch_folder.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

ReportFiles render(const test::SampleOptions& options = {}) {
  Store store = Store::open_in_memory();
  ReportRequest request = test::sample_request(test::fill_sample(store, options));
  request.latex = true;
  return render_report(store, request);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

// The number of cells in each row of a tabular, without the escaped "&".
std::vector<std::size_t> cells_of_rows(const std::string& tex) {
  std::vector<std::size_t> cells;
  std::istringstream lines(tex);
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with("\\\\")) {
      cells.push_back(1 + count(line, " & "));
    }
  }
  return cells;
}

}  // namespace

TEST_CASE("the tables of a report are tabulars with the columns of the page", "[report]") {
  const ReportFiles files = render();

  const std::string& speedups = files.at("latex/speedups.tex");
  CHECK_THAT(speedups, StartsWith("% scalestudy: speedups, \\usepackage{booktabs}\n"));
  CHECK_THAT(speedups, Contains("\\begin{tabular}{") && Contains("\\toprule\nDevices & "));
  for (const auto& [name, text] : files) {
    INFO(name);
    CHECK((!name.ends_with(".tex") || !Contains("**").match(text)));
    CHECK((!name.ends_with(".tex") || !Contains("](").match(text)));
  }
}

TEST_CASE("a table for a paper says what limits its numbers, and what its marks mean", "[report]") {
  const auto texts = [](std::initializer_list<std::pair<const char*, const char*>> named) {
    View view;
    for (const auto& [name, text] : named) {
      view.set_text(name, text);
    }
    return view;
  };
  View row;
  row.set_list("differing", {texts({{"value", "2 †"}})});
  View table;
  table.set_list("differing_columns", {texts({{"heading", "Devices"}, {"rule", "---:"}})});
  table.set_list("rows", {row});
  View view =
      texts({{"trust", "low"}, {"basis", "not complete"}, {"state", "interim: 3 % to run"}});
  view.set_list("results", {table});

  CHECK(
      latex_tables(view).at("results.tex") ==
      "% scalestudy: results, \\usepackage{booktabs}\n"
      "% scalestudy: interim: 3 % to run\n"
      "% scalestudy: how far to trust this: low (not complete)\n"
      "\\begin{tabular}{r}\n\\toprule\nDevices \\\\\n\\midrule\n2 $\\dagger$ \\\\\n"
      "\\bottomrule\n\\end{tabular}\n\n"
      "{\\footnotesize Interim: 3 \\% to run. $\\dagger$ More ranks than cores, or shared devices: "
      "these rows show that the program works, not how fast it is.\\par}\n");

  // Nothing limits a trusted study without marks.
  row.set_list("differing", {texts({{"value", "2"}})});
  table.set_list("rows", {row});
  View trusted = texts({{"trust", "high"}, {"basis", "complete"}});
  trusted.set_list("results", {table});
  CHECK(latex_tables(trusted).at("results.tex") ==
        "% scalestudy: results, \\usepackage{booktabs}\n\\begin{tabular}{r}\n\\toprule\n"
        "Devices \\\\\n\\midrule\n2 \\\\\n\\bottomrule\n\\end{tabular}\n");

  row.set_list("differing", {texts({{"value", "λ 日本語"}})});
  table.set_list("rows", {row});
  trusted.set_list("results", {table});
  CHECK_THAT(latex_tables(trusted).at("results.tex"),
             Contains("\n% scalestudy: has characters that need XeLaTeX or LuaLaTeX\n\\begin") &&
                 Contains("\n$\\lambda$ 日本語 "));
}

TEST_CASE("every row of every tabular has the cells of its head, whatever names say", "[report]") {
  for (const auto& [name, text] :
       render({.title = test::kHostile, .batch_label_extra = test::kHostile})) {
    if (!name.ends_with(".tex")) {
      continue;
    }
    INFO(name);
    const std::vector<std::size_t> cells = cells_of_rows(text);
    REQUIRE(cells.size() >= 2);
    CHECK(std::ranges::all_of(cells, [&](std::size_t row) { return row == cells.front(); }));
    CHECK(count(text, "\\begin{tabular}") == 1);
    CHECK(count(text, "\\end{tabular}") == 1);
  }
}

// One page, the fonts in the file, vectors alone.
TEST_CASE("each figure is a PDF of one page as well, the same at any time", "[report]") {
  const ReportFiles files = render();

  std::size_t pdfs = 0;
  for (const auto& [name, pdf] : files) {
    if (!name.starts_with("figures/")) {
      continue;
    }
    const std::string stem = name.substr(8, name.size() - 8 - 4);
    INFO(stem);
    REQUIRE(files.contains("latex/" + stem + ".pdf"));
    const std::string& drawn = files.at("latex/" + stem + ".pdf");
    CHECK_THAT(drawn, StartsWith("%PDF-1."));
    CHECK(std::regex_search(drawn, std::regex("/Type /Pages[^>]*/Count 1\\s")));
    CHECK_THAT(drawn, Contains("/FontFile"));
    CHECK_THAT(drawn, !Contains("/Subtype /Image"));
    CHECK_THAT(drawn, Contains("/CreationDate (D:19700101000000Z"));
    ++pdfs;
  }
  CHECK(pdfs >= 3);
  CHECK((render() == files));
}

TEST_CASE("a figure has the same bytes in every time zone", "[report]") {
  const ReportFiles files = render();
  // NOLINTBEGIN(concurrency-mt-unsafe): one thread
  const char* zone = std::getenv("TZ");
  const std::string before = zone == nullptr ? "" : zone;
  setenv("TZ", "AAA-5", 1);
  const ReportFiles elsewhere = render();
  zone == nullptr ? unsetenv("TZ") : setenv("TZ", before.c_str(), 1);
  // NOLINTEND(concurrency-mt-unsafe)

  CHECK((elsewhere == files));
}

TEST_CASE("a report has no files for a paper unless it is asked for them", "[report]") {
  Store store = Store::open_in_memory();
  const ReportFiles files = render_report(store, test::sample_request(test::fill_sample(store)));

  CHECK(std::ranges::none_of(files,
                             [](const auto& file) { return file.first.starts_with("latex/"); }));
}

TEST_CASE("tables and figures of an older report leave the folder of the paper", "[report]") {
  const test::ScratchFolder folder;
  write_report({{"report.md", "![a](figures/a.svg)"},
                {"figures/a.svg", "x"},
                {"latex/a.pdf", "x"},
                {"latex/old.tex", "% scalestudy: old\n"}},
               folder.path());
  folder.write("latex/paper.tex", "\\documentclass{article}");
  folder.write("latex/photo.pdf", "x");

  write_report({{"report.md", "b"}}, folder.path());

  CHECK_FALSE(std::filesystem::exists(folder.path() / "latex/a.pdf"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "latex/old.tex"));
  CHECK(std::filesystem::exists(folder.path() / "latex/paper.tex"));
  CHECK(std::filesystem::exists(folder.path() / "latex/photo.pdf"));
}

TEST_CASE("a paper with all tables and figures can be typeset", "[report]") {
  const test::ScratchFolder folder;
  const ReportFiles files = render({.batch_label_extra = test::kHostile});
  std::string paper =
      "\\documentclass{article}\n\\usepackage{booktabs,graphicx}\n\\begin{document}\n";
  for (const auto& [name, text] : files) {
    if (name.starts_with("latex/")) {
      folder.write(name, text);
      paper += name.ends_with(".tex") ? "\\input{" + name + "}\n\n"
                                      : "\\includegraphics[width=\\linewidth]{" + name + "}\n\n";
    }
  }
  folder.write("paper.tex", paper + "\\end{document}\n");

  const ToolResult result = run_tool({"sh",
                                      "-c",
                                      "cd '" + folder.path().string() +
                                          "' && pdflatex -interaction=nonstopmode "
                                          "-halt-on-error paper.tex"});

  if (result.exit_code == 127) {
    WARN("not typeset: there is no pdflatex here");
    return;
  }
  INFO(result.output);
  CHECK(result.exit_code == 0);
}
