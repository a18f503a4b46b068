#include "harness/text/latex.h"

#include "tests/support/catch.h"

using namespace scalestudy;

TEST_CASE("LaTeX shows a text literally", "[text]") {
  CHECK(latex_text("50 % & a_b\\{x}~^#$") ==
        "50 \\% \\& a\\_b\\textbackslash{}\\{x\\}\\textasciitilde{}\\textasciicircum{}\\#\\$");
  CHECK(latex_text("a<b|c>d") == "a$<$b$|$c$>$d");
  CHECK(latex_text("two\nlines") == "two lines");
  CHECK(latex_text("a\x01\x0c") == "a  ");
  CHECK(latex_text("what?`x` so!`") == "what?{}`x` so!{}`");
  CHECK(latex_text("run --fast a---b -") == "run -{}-fast a-{}-{}-b -");
}

// What a report prints and pdflatex has no character for in every font.
TEST_CASE("signs of a report are LaTeX of any engine", "[text]") {
  CHECK(latex_text("7.62 ± 0.13 µs") == "7.62 $\\pm$ 0.13 $\\mu$s");
  CHECK(latex_text("speedup ≥ 1.7 – 2 †") == "speedup $\\geq$ 1.7 -- 2 $\\dagger$");
  CHECK(latex_text("a ≠ b ≈ c ‡") == "a $\\neq$ b $\\approx$ c $\\ddagger$");
  CHECK(latex_text("Größe") == "Größe");
  CHECK(latex_text("λ → ∞, Ω²") == "$\\lambda$ $\\rightarrow$ $\\infty$, $\\Omega$$^2$");
  CHECK(latex_text("5 € in CO₂") == "5 \\texteuro{} in CO$_2$");
}

TEST_CASE("characters that pdfLaTeX lacks are known", "[text]") {
  CHECK_FALSE(needs_unicode_engine(latex_text("Größe, Łódź × λ → ∞ “…” — ≤ 5 €")));
  CHECK(needs_unicode_engine("日本語"));
  CHECK(needs_unicode_engine("Москва"));
  CHECK(needs_unicode_engine("fast 🚀"));
  CHECK(needs_unicode_engine("a ∈ b"));
}

TEST_CASE("a tabular has numbers to the right and no row that takes the one before", "[text]") {
  CHECK(latex_tabular({{"Cell"}, {"n", true}}, {{"[1, 2]", "5"}, {"*", "6"}}) ==
        "\\begin{tabular}{lr}\n\\toprule\nCell & n \\\\\n\\midrule\n"
        "{}[1, 2] & 5 \\\\\n{}* & 6 \\\\\n\\bottomrule\n\\end{tabular}\n");
}
