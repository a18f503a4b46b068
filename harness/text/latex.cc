#include "harness/text/latex.h"

#include <array>
#include <string_view>
#include <utility>

namespace scalestudy {
namespace {

// What LaTeX reads as something else, or has no character for in some fonts.
constexpr auto kCharacters =
    std::to_array<std::pair<std::string_view, std::string_view>>({{"\\", "\\textbackslash{}"},
                                                                  {"~", "\\textasciitilde{}"},
                                                                  {"^", "\\textasciicircum{}"},
                                                                  {"&", "\\&"},
                                                                  {"%", "\\%"},
                                                                  {"$", "\\$"},
                                                                  {"#", "\\#"},
                                                                  {"_", "\\_"},
                                                                  {"{", "\\{"},
                                                                  {"}", "\\}"},
                                                                  {"<", "$<$"},
                                                                  {">", "$>$"},
                                                                  {"|", "$|$"},
                                                                  {"\n", " "},
                                                                  {"\r", " "},
                                                                  {"\t", " "},
                                                                  {"–", "--"},
                                                                  {"−", "$-$"},
                                                                  {"±", "$\\pm$"},
                                                                  {"×", "$\\times$"},
                                                                  {"≤", "$\\leq$"},
                                                                  {"≥", "$\\geq$"},
                                                                  {"µ", "$\\mu$"},
                                                                  {"μ", "$\\mu$"},
                                                                  {"≠", "$\\neq$"},
                                                                  {"≈", "$\\approx$"},
                                                                  {"·", "$\\cdot$"},
                                                                  {"‡", "$\\ddagger$"},
                                                                  {"†", "$\\dagger$"},
                                                                  {"…", "\\ldots{}"},
                                                                  {"→", "$\\rightarrow$"},
                                                                  {"α", "$\\alpha$"},
                                                                  {"β", "$\\beta$"},
                                                                  {"γ", "$\\gamma$"},
                                                                  {"δ", "$\\delta$"},
                                                                  {"ε", "$\\varepsilon$"},
                                                                  {"ζ", "$\\zeta$"},
                                                                  {"η", "$\\eta$"},
                                                                  {"θ", "$\\theta$"},
                                                                  {"ι", "$\\iota$"},
                                                                  {"κ", "$\\kappa$"},
                                                                  {"λ", "$\\lambda$"},
                                                                  {"ν", "$\\nu$"},
                                                                  {"ξ", "$\\xi$"},
                                                                  {"π", "$\\pi$"},
                                                                  {"ρ", "$\\rho$"},
                                                                  {"σ", "$\\sigma$"},
                                                                  {"ς", "$\\varsigma$"},
                                                                  {"τ", "$\\tau$"},
                                                                  {"υ", "$\\upsilon$"},
                                                                  {"φ", "$\\varphi$"},
                                                                  {"χ", "$\\chi$"},
                                                                  {"ψ", "$\\psi$"},
                                                                  {"ω", "$\\omega$"},
                                                                  {"Γ", "$\\Gamma$"},
                                                                  {"Δ", "$\\Delta$"},
                                                                  {"Θ", "$\\Theta$"},
                                                                  {"Λ", "$\\Lambda$"},
                                                                  {"Ξ", "$\\Xi$"},
                                                                  {"Π", "$\\Pi$"},
                                                                  {"Σ", "$\\Sigma$"},
                                                                  {"Υ", "$\\Upsilon$"},
                                                                  {"Φ", "$\\Phi$"},
                                                                  {"Ψ", "$\\Psi$"},
                                                                  {"Ω", "$\\Omega$"},
                                                                  {"∞", "$\\infty$"},
                                                                  {"²", "$^2$"},
                                                                  {"³", "$^3$"},
                                                                  {"₂", "$_2$"},
                                                                  {"€", "\\texteuro{}"}});

}  // namespace

std::string latex_text(const std::string& text) {
  std::string result;
  std::string_view rest = text;
  while (!rest.empty()) {
    std::size_t taken = 1;
    std::string_view shown = rest.substr(0, 1);
    if (static_cast<unsigned char>(shown.front()) < 0x20U) {
      shown = " ";  // LaTeX refuses other control characters
    }
    for (const auto& [character, latex] : kCharacters) {
      if (rest.starts_with(character)) {
        taken = character.size();
        shown = latex;
        break;
      }
    }
    result += shown;
    if (rest.starts_with("--") || rest.starts_with("?`") || rest.starts_with("!`")) {
      result += "{}";  // else a dash, or an inverted sign
    }
    rest.remove_prefix(taken);
  }
  return result;
}

bool needs_unicode_engine(const std::string& latex) {
  constexpr unsigned char other_scripts = 0xC6;  // the first byte of U+0180
  for (std::size_t at = 0; at < latex.size(); ++at) {
    const std::string_view character = std::string_view(latex).substr(at, 3);
    const bool is_punctuation = "‐" <= character && character <= "…";
    if (static_cast<unsigned char>(latex[at]) >= other_scripts && !is_punctuation) {
      return true;
    }
  }
  return false;
}

std::string latex_tabular(const std::vector<LatexColumn>& columns,
                          const std::vector<std::vector<std::string>>& rows) {
  std::string text = "\\begin{tabular}{";
  for (const LatexColumn& column : columns) {
    text += column.is_number ? 'r' : 'l';
  }
  text += "}\n\\toprule\n";
  const auto add_row = [&](const auto& text_of) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const std::string cell = text_of(c);
      // "[" or "*" would belong to the \\ of the row before.
      const bool would_belong = c == 0 && (cell.starts_with('[') || cell.starts_with('*'));
      text += (c == 0 ? "" : " & ") + std::string(would_belong ? "{}" : "") + cell;
    }
    text += " \\\\\n";
  };
  add_row([&](std::size_t c) { return latex_text(columns[c].heading); });
  text += "\\midrule\n";
  for (const std::vector<std::string>& row : rows) {
    add_row([&](std::size_t c) { return row.at(c); });
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

}  // namespace scalestudy
