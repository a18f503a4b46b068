#include "tests/report/contradicting_pages.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <regex>
#include <set>
#include <sstream>

#include "tests/report/published_tables.h"
#include "tests/support/numbers_in.h"

namespace scalestudy::test {
namespace {

std::string heading_of(const std::string& axis) {
  return axis == "devices" ? "Devices" : axis == "batch_global" ? "Global batch" : axis;
}

bool matches(const Said& said, const PublishedTable& table, std::size_t i) {
  static const std::regex batch("batch (?:size )?([0-9]+)");
  for (const auto& [name, value] : said.axes.items()) {
    std::string cell;
    for (const std::string& heading : {name, heading_of(name)}) {
      cell = table.has(heading) ? table.at(i, heading) : cell;
    }
    if (cell.empty() && name == "batch_global" && table.has("Where")) {
      const std::string where = table.at(i, "Where");
      std::smatch found;
      cell = std::regex_search(where, found, batch) ? found[1].str() : "";
    }
    if (cell.empty() && table.has("Against it")) {
      if (!said.has_name(table.at(i, "Against it"))) {
        return false;
      }
      continue;
    }
    cell.erase(std::remove(cell.begin(), cell.end(), ','), cell.end());
    if (!cell.empty() && cell != text_of(value)) {
      return false;
    }
  }
  return true;
}

// The comparison of a table's row, by its columns.
const Said* row_of(const SaidReport& report, const PublishedTable& table, std::size_t i) {
  const Said* only = nullptr;
  for (const Said& said : report.rows) {
    if (said.quantity == "speedup" && matches(said, table, i)) {
      if (only != nullptr) {
        return nullptr;  // the table's columns do not say which
      }
      only = &said;
    }
  }
  return only;
}

void read_use(SaidReport& report, const std::string& use, const Said& said, bool is_apart) {
  const std::string name = said.place() + ": use " + use;
  const bool is_open = use.find("no significant difference") != std::string::npos;
  const bool is_adjusted = use.find("not excluded after adjustment") != std::string::npos;
  if (use.find("(as fast)") != std::string::npos) {
    report.expect(said.verdict == "equivalent", name + " beside " + said.verdict);
  } else if (is_open) {
    report.expect(said.sign() == 0, name + " beside " + said.verdict);
    report.expect(!is_apart || use.find("adjust") != std::string::npos,
                  name + ": the interval leaves out 1, the table does not say why");
  } else if (said.has_name(use)) {
    report.expect(said.verdict == "faster" || is_adjusted, name + " beside " + said.verdict);
  }
}

void read_tables(SaidReport& report) {
  for (const PublishedTable& table : published_tables(report.page)) {
    if (!table.has("Speedup (ratio)")) {
      continue;
    }
    for (std::size_t i = 0; i < table.rows(); ++i) {
      const Said* said = row_of(report, table, i);
      const std::vector<double> printed = numbers_in(table.at(i, "Speedup (ratio)"));
      if (said == nullptr || printed.size() < 3) {
        continue;
      }
      const int sign = said->sign();
      const std::string name = said->place();
      report.expect(
          std::abs(printed[0] / said->ratio - 1.0) < 0.1,
          name + ": " + text_of(printed[0]) + " in a table, " + text_of(said->ratio) + " in JSON");
      const bool is_apart = printed[1] > 1.0 || printed[2] < 1.0;
      report.expect(sign == 0 || is_apart,
                    name + ": its verdict is resolved, its interval holds 1");
      if (table.has("Verdict") && said->p) {
        const std::string verdict = table.at(i, "Verdict");
        report.expect(verdict.find(said->verdict) != std::string::npos,
                      name + ": " + verdict + " in a table, " + said->verdict + " in JSON");
        report.expect(sign != 0 || !is_apart || verdict.find("adjust") != std::string::npos,
                      name + ": the interval leaves out 1, the verdict does not say why");
      }
      if (table.has("Use")) {
        read_use(report, table.at(i, "Use"), *said, is_apart);
      }
    }
  }
}

// "faster in 2, slower in 1 of 3 pairs", in sentences and alternative texts.
void read_counts(SaidReport& report) {
  static const std::regex counted(
      "([^*\\[:;.(]+) against [^:;*]*:(?:\\*\\*)? (?:it depends: )?"
      "((?:[a-z ]+ in [0-9]+, )+[a-z ]+ in [0-9]+) of [0-9]+ pairs");
  static const std::regex one("([a-z ]+?) in ([0-9]+)");
  for (auto i = std::sregex_iterator(report.page.begin(), report.page.end(), counted);
       i != std::sregex_iterator();
       ++i) {
    std::map<std::string, int> actual;
    for (const Said& said : report.rows) {
      if (said.quantity == "speedup" && said.has_name((*i)[1])) {
        const bool is_none = said.verdict == kOpen;
        ++actual[said.verdict == "equivalent" ? "as fast"
                 : is_none                    ? "no significant difference"
                                              : said.verdict];
      }
    }
    const std::string list = (*i)[2];
    for (auto j = std::sregex_iterator(list.begin(), list.end(), one); j != std::sregex_iterator();
         ++j) {
      std::string word = (*j)[1];
      word.erase(0, word.find_first_not_of(' '));
      report.expect(actual[word] == std::stoi((*j)[2]),
                    (*i)[1].str() + ": " + word + " in " + (*j)[2].str() + ", by the rows in " +
                        std::to_string(actual[word]));
    }
  }
}

void read_break_evens(SaidReport& report) {
  static const std::regex line("\\*\\*Break-even[^*]*\\*\\* speedup ([^\\n]*)");
  static const std::regex group("\\(([^()]*)\\)\\.?$");
  static const std::regex number_pattern("([0-9][0-9.]*)");
  static const std::regex open_pattern("at ([0-9][0-9., and]*) the (?:gain|difference) is not");
  static const std::regex between(
      "between (?:[a-z_ ]+ )?([0-9][0-9.]*)[^0-9]*? and ([0-9][0-9.]*)");
  for (auto i = std::sregex_iterator(report.page.begin(), report.page.end(), line);
       i != std::sregex_iterator();
       ++i) {
    static const std::regex thousands("([0-9]),([0-9]{3})(?![0-9])");
    const std::string sentence = std::regex_replace((*i)[1].str(), thousands, "$1$2");
    std::smatch label;
    const std::string of = std::regex_search(sentence, label, group) ? label[1].str() : "";
    const std::string words = sentence.find(" 1x ") != std::string::npos ? sentence : "";
    const auto values = report.curve("speedup", of, "batch_global");
    if (words.empty() || of.find("curves") != std::string::npos || values.empty()) {
      continue;
    }
    std::set<double> open;
    std::smatch listed;
    if (std::regex_search(words, listed, open_pattern)) {
      for (const double x : numbers_in(listed[1])) {
        open.insert(x);
      }
    }
    double least = std::numeric_limits<double>::infinity();
    double most = -std::numeric_limits<double>::infinity();
    for (auto j = std::sregex_iterator(words.begin(), words.end(), between);
         j != std::sregex_iterator();
         ++j) {
      const double lo = std::stod((*j)[1]);
      const double hi = std::stod((*j)[2]);
      least = std::min(least, lo);
      most = std::max(most, hi);
      for (const auto& [x, said] : values) {
        // A tested value that is certain belongs inside only if one that is not lies beyond it.
        const double from = said->sign() > 0 ? x : lo;
        const double to = said->sign() > 0 ? hi : x;
        const bool is_open_beyond =
            std::ranges::any_of(open, [&](double other) { return from < other && other < to; });
        report.expect(said->sign() == 0 || !(lo < x && x < hi) || is_open_beyond,
                      said->place() + ": resolved, but inside '" + (*j)[0].str() + "'");
      }
    }
    const bool is_reached = words.starts_with("reaches");
    for (const auto& [x, said] : values) {
      const int sign = said->sign();
      if (is_reached) {
        report.expect(open.contains(x) == (sign == 0),
                      said->place() + ": not certain in one place alone: '" + words + "'");
        report.expect(x > least || sign <= 0, said->place() + ": faster below the break-even");
        report.expect(x < most || sign >= 0, said->place() + ": slower above the break-even");
      }
      report.expect(!words.starts_with("is above") || sign > 0,
                    said->place() + ": not resolved above");
      report.expect(!words.starts_with("stays below") || sign < 0,
                    said->place() + ": not resolved below");
    }
  }
}

// What is named for a batch by the answer "Use" or "Fastest".
void read_choice(SaidReport& report, const std::string& named, double batch) {
  std::vector<const Said*> cells;
  for (const Said& said : report.rows) {
    if (said.quantity == "speedup" && said.axes.contains("batch_global") &&
        number(said.axes["batch_global"]) == batch) {
      cells.push_back(&said);
    }
  }
  static const std::regex in_brackets("\\([^)]*\\)");
  const bool is_alike = named.find("alike") != std::string::npos;
  const bool is_short =
      named.find("others") != std::string::npos || named.find("not excluded") != std::string::npos;
  const std::string plain = std::regex_replace(named, in_brackets, "");
  const bool is_noise = plain.find("no significant difference") != std::string::npos;
  static const std::regex joint("(?:, | or )");
  std::set<const Said*> chosen;
  std::size_t names = 0;
  for (auto i = std::sregex_token_iterator(plain.begin(), plain.end(), joint, -1);
       i != std::sregex_token_iterator();
       ++i) {
    ++names;
    for (const Said* cell : cells) {
      if (cell->has_name(i->str())) {
        chosen.insert(cell);
      }
    }
  }
  const std::string at = " at batch " + text_of(batch);
  const bool is_base_named = !is_noise && chosen.size() < names;
  for (const Said* cell : cells) {
    const bool is_named = chosen.contains(cell);
    report.expect(!is_named || cell->verdict != "slower",
                  named + at + ": the table calls it slower");
    report.expect(!is_base_named || cell->verdict != "faster" || is_short,
                  named + at + ": the table calls another one faster than the base");
    if (cells.size() == 1) {
      const std::string wanted = is_noise                     ? kOpen
                                 : is_alike                   ? "equivalent"
                                 : is_named && !is_base_named ? "faster"
                                 : !is_named && is_base_named ? "slower"
                                                              : kOpen;
      report.expect(cell->verdict == wanted, named + at + ": the verdict is " + cell->verdict);
      continue;
    }
    for (const Said& row : report.rows) {
      if (row.quantity == "fastest" && row.cell == cell->cell) {
        report.expect(
            is_named != (row.verdict == "slower") || is_short || is_noise,
            named + at + ": " + cell->axes.dump() + " against the best is " + row.verdict);
        report.expect(!is_noise || row.verdict != "slower",
                      named + at + ": " + cell->axes.dump() + " is excluded");
      }
    }
  }
}

// "not one choice for batch 16 to 256: 2 devices at 48, 128 to 256; 1 device at 16 to 32; at 64: no
// significant difference".
void read_often(SaidReport& report, const std::string& sentence, const std::set<double>& batches) {
  static const std::regex range("([0-9]+)(?: to ([0-9]+))?");
  const std::size_t begin = sentence.find(": ");
  if (begin == std::string::npos || sentence.find(" values") != std::string::npos ||
      !sentence.starts_with("not one")) {
    return;
  }
  std::istringstream clauses(sentence.substr(begin + 2));
  for (std::string clause; std::getline(clauses, clause, ';');) {
    clause.erase(0, std::min(clause.size(), clause.find_first_not_of(' ')));
    const bool is_unmade = clause.starts_with("at ");
    const std::size_t at = is_unmade ? clause.find(": ") : clause.rfind(" at ");
    if (at == std::string::npos) {
      continue;
    }
    const std::string named = is_unmade ? clause.substr(at + 2) : clause.substr(0, at);
    const std::string list = is_unmade ? clause.substr(0, at) : clause.substr(at);
    for (auto i = std::sregex_iterator(list.begin(), list.end(), range);
         i != std::sregex_iterator();
         ++i) {
      const double from = std::stod((*i)[1]);
      const double to = (*i)[2].matched ? std::stod((*i)[2]) : from;
      for (const double batch : batches) {
        if (from <= batch && batch <= to) {
          read_choice(report, named, batch);
        }
      }
    }
  }
}

void read_choices(SaidReport& report) {
  static const std::regex line("\\*\\*(?:Use|Fastest)[^*]*\\*\\* ([^\\n]*)");
  static const std::regex range("(?:^| )at (?:[a-z_ ]*batch )?([0-9]+)(?: to ([0-9]+))?");
  static const std::regex unmade(
      "at (?:[a-z_ ]*batch )?([0-9]+(?:(?: to |, | and )[0-9]+)*): (no significant difference)");
  static const std::regex values("([0-9]+)(?: to ([0-9]+))?");
  static const std::regex every(
      "^(.*) at every compared value \\([a-z_ ]*batch ([0-9]+)(?: to "
      "([0-9]+))?\\)");
  std::set<double> batches;
  for (const Said& said : report.rows) {
    if (said.quantity == "speedup" && said.axes.contains("batch_global")) {
      batches.insert(number(said.axes["batch_global"]).value_or(0.0));
    }
  }
  const auto read_range = [&](const std::string& named, const std::smatch& match, int first) {
    const double from = std::stod(match[first]);
    const double to = match[first + 1].matched ? std::stod(match[first + 1]) : from;
    for (const double batch : batches) {
      if (from <= batch && batch <= to) {
        read_choice(report, named, batch);
      }
    }
  };
  for (auto i = std::sregex_iterator(report.page.begin(), report.page.end(), line);
       i != std::sregex_iterator();
       ++i) {
    std::string rest = (*i)[1];
    std::smatch match;
    if (rest.starts_with("with ") || rest.starts_with("in ") ||
        rest.starts_with("not one choice")) {
      read_often(report, rest, batches);
      continue;
    }
    if (std::regex_search(rest, match, every)) {
      read_range(match[1], match, 2);
      continue;
    }
    while (std::regex_search(rest, match, unmade)) {
      const std::string list = match[1];
      for (auto j = std::sregex_iterator(list.begin(), list.end(), values);
           j != std::sregex_iterator();
           ++j) {
        read_range(match[2], *j, 1);
      }
      rest = match.prefix().str() + match.suffix().str();
    }
    while (std::regex_search(rest, match, range)) {
      std::string named = match.prefix();
      named.erase(0, std::min(named.size(), named.find_first_not_of(",; ")));
      read_range(named, match, 1);
      rest = match.suffix();
    }
  }
}

}  // namespace

void read_pages(SaidReport& report) {
  read_tables(report);
  read_counts(report);
  read_break_evens(report);
  read_choices(report);
}

}  // namespace scalestudy::test
