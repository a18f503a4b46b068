// Compares a column's figures and texts with those of its neighbours.
#include "harness/audit/draft/guess_beside.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/audit/figure/figure.h"
#include "harness/audit/figure/quantity.h"
#include "harness/text/text.h"
#include "harness/text/yaml_text.h"

namespace scalestudy::audit {
namespace {

using Figures = std::vector<ParsedFigure>;

// The first column that passes the test on its guess and heading.
template <typename Test>
std::optional<std::size_t> first_column(const DocumentTable& table,
                                        const std::vector<Guess>& guesses,
                                        const Test& test) {
  for (std::size_t c = 0; c < guesses.size(); ++c) {
    if (test(guesses[c], table.head[c])) {
      return c;
    }
  }
  return std::nullopt;
}

// In how many rows an overhead is what the longer time has more than the shorter, over the shorter
// (a change) and over the longer (a saving).
struct OverheadRows {
  int all = 0;
  int change = 0;
  int saving = 0;
};

OverheadRows overhead_rows(const Figures& overheads, const Figures& with, const Figures& without) {
  OverheadRows rows;
  for (std::size_t r = 0; r < overheads.size(); ++r) {
    const auto range = [&](const Figures& column) {
      return column[r].figure ? column[r].figure->range : std::nullopt;
    };
    const std::optional<Range> printed = range(overheads);
    const std::optional<Range> all = range(with);
    const std::optional<Range> part = range(without);
    if (printed && all && part && all->lo > 0.0 && part->lo > 0.0) {
      ++rows.all;
      rows.change += meet(*printed, {all->lo / part->hi - 1.0, all->hi / part->lo - 1.0}) ? 1 : 0;
      rows.saving += meet(*printed, {1.0 - part->hi / all->lo, 1.0 - part->lo / all->hi}) ? 1 : 0;
    }
  }
  return rows;
}

bool is_time(const Guess& guess) {
  const QuantityInfo* info = find_quantity(guess.quantity);
  return info != nullptr && info->dimension == Dimension::kTime;
}

// The value of a cell; absent if it prints none.
std::optional<double> value_in(const Figures& column, std::size_t row) {
  return column[row].figure ? column[row].figure->value : std::nullopt;
}

bool is_degree(const Guess& guess, const std::string& heading, const char* pattern) {
  return guess.quantity == "count" && RE2::PartialMatch(heading, pattern);
}

// Whether the product of the factors is the figure in all rows but one at most, and in two or more.
bool is_product(const Figures& products, const std::vector<Figures>& factors) {
  int right = 0;
  int wrong = 0;
  for (std::size_t r = 0; r < products.size(); ++r) {
    double product = 1.0;
    bool is_known = value_in(products, r).has_value();
    for (const Figures& factor : factors) {
      is_known = is_known && value_in(factor, r).has_value();
      product *= value_in(factor, r).value_or(1.0);
    }
    if (is_known) {
      ++(*value_in(products, r) == product ? right : wrong);
    }
  }
  return right > 1 && wrong <= 1;
}

// Sets the rule of the global batch: that of a group, times accumulated ones, times the groups.
void set_batch_rule(const DocumentTable& table, std::size_t group, std::vector<Guess>& guesses) {
  constexpr const char* groups = R"((?i)^(data[\s_-]*parallel|dp([^a-z]|$)))";
  const auto global = first_column(table, guesses, [](const Guess& guess, const std::string&) {
    return guess.quantity == "batch_global";
  });
  const auto degree =
      first_column(table, guesses, [](const Guess& guess, const std::string& heading) {
        return is_degree(guess, heading, groups);
      });
  const auto steps = first_column(table, guesses, [](const Guess& guess, const std::string&) {
    return guess.quantity == "gradient_accumulation";
  });
  if (!global || !degree) {
    return;
  }
  std::vector<std::string> names;
  std::vector<Figures> factors;
  for (const std::optional<std::size_t> column : {std::optional(group), steps, degree}) {
    if (column) {
      names.push_back(guesses[*column].name);
      factors.push_back(figures_of(table, guesses, *column));
    }
  }
  if (is_product(figures_of(table, guesses, *global), factors)) {
    guesses[*global].follows = fmt::format("product: [{}]", join(names, ", "));
    guesses[*global].reason += "; of all groups of devices";
  }
}

// Columns of times that differ by an overhead.
struct TimePair {
  enum class Said { kNothing, kWithAndWithout, kWithoutCommunication };

  std::size_t with = 0;
  std::size_t without = 0;
  Said said = Said::kNothing;  // by their headings
};

// The pair that headings name, or else the only two times of the table if they are of one quantity,
// the longer of the first row as the one with the overhead.
std::optional<TimePair> time_pair(const DocumentTable& table, const std::vector<Guess>& guesses) {
  constexpr const char* says_without = R"((?i)(^|[^a-z])(w/o|without)([^a-z]|$))";
  constexpr const char* says_with = R"((?i)(^|[^a-z])(w/|with)([^a-z]|$))";
  const auto without =
      first_column(table, guesses, [](const Guess& guess, const std::string& heading) {
        return is_time(guess) && RE2::PartialMatch(heading, says_without);
      });
  auto with = first_column(table, guesses, [](const Guess& guess, const std::string& heading) {
    return is_time(guess) && RE2::PartialMatch(heading, says_with);
  });
  if (!with) {
    with = first_column(table, guesses, [](const Guess& guess, const std::string& heading) {
      return guess.quantity == "step_time" && !RE2::PartialMatch(heading, says_without);
    });
  }
  if (with && without) {
    const bool is_known = RE2::PartialMatch(table.head[*without], "(?i)without comm");
    return TimePair{
        *with,
        *without,
        is_known ? TimePair::Said::kWithoutCommunication : TimePair::Said::kWithAndWithout};
  }
  std::vector<std::size_t> times;
  for (std::size_t c = 0; c < guesses.size(); ++c) {
    if (is_time(guesses[c])) {
      times.push_back(c);
    }
  }
  if (times.size() != 2 || guesses[times[0]].quantity != guesses[times[1]].quantity) {
    return std::nullopt;
  }
  const auto first = value_in(figures_of(table, guesses, times[0]), 0);
  const auto second = value_in(figures_of(table, guesses, times[1]), 0);
  const bool is_first_longer = first.value_or(0.0) > second.value_or(0.0);
  return TimePair{is_first_longer ? times[0] : times[1], is_first_longer ? times[1] : times[0]};
}

// Whether so many rows show that the overhead is of the pair: half of them where headings say with
// and without, else all of two, or all but one of four.
bool is_meant(const OverheadRows& rows, TimePair::Said said) {
  constexpr int fewest = 2;
  const int most = std::max(rows.change, rows.saving);
  switch (said) {
    case TimePair::Said::kWithoutCommunication:
      return true;
    case TimePair::Said::kWithAndWithout:
      return most > 0 && 2 * most >= rows.all;
    case TimePair::Said::kNothing:
      break;
  }
  return most == rows.all ? most >= fewest : most + 1 == rows.all && most > fewest;
}

}  // namespace

void tell_overheads(const DocumentTable& table, std::vector<Guess>& guesses) {
  const std::optional<TimePair> pair = time_pair(table, guesses);
  for (std::size_t c = 0; pair && c < guesses.size(); ++c) {
    if (guesses[c].quantity != "overhead") {
      continue;
    }
    const OverheadRows rows = overhead_rows(figures_of(table, guesses, c),
                                            figures_of(table, guesses, pair->with),
                                            figures_of(table, guesses, pair->without));
    if (!is_meant(rows, pair->said)) {
      continue;
    }
    const std::string& all = guesses[pair->with].name;
    const std::string& part = guesses[pair->without].name;
    guesses[c].follows = rows.change > rows.saving ? fmt::format("change: [{}, {}]", all, part)
                                                   : fmt::format("saving: [{}, {}]", part, all);
  }
}

void tell_prices(const DocumentTable& table, std::vector<Guess>& guesses) {
  constexpr const char* cost_at_price =
      R"((?i)\W*(?:(?:total|overall|training|estimated)\s+)*cost\s*[(\[,:]?\s*(?:at\b|@)?\s*)"
      R"(([$€£]\s?\d+(?:\.\d+)?\s*/\s*(?:gpu|device|accelerator)[\s/-]?h(?:(?:ou)?rs?)?))"
      R"(\s*[)\]]?\s*)";
  const auto prices = first_column(table, guesses, [](const Guess& guess, const std::string&) {
    return guess.quantity.starts_with("price_per_");
  });
  for (std::size_t c = 0; !prices && c < guesses.size(); ++c) {
    std::string price;
    if (guesses[c].quantity == "cost" && guesses[c].at.empty() &&
        RE2::FullMatch(table.head[c], cost_at_price, &price) &&
        parse_figure(price, {.dimension = Dimension::kPrice}).figure) {
      guesses[c].at = "price_per_device_hour: " + yaml_text(price);
      guesses[c].reason += "; at the price in its heading";
    }
  }
}

void tell_flop_rates(const DocumentTable& table, std::vector<Guess>& guesses) {
  constexpr const char* of_one = R"((?i)(/|per)[\s_-]*(gpu|device|accelerator|chip))";
  const auto devices = first_column(table, guesses, [](const Guess& guess, const std::string&) {
    return guess.quantity == "devices";
  });
  const auto each = first_column(table, guesses, [](const Guess& guess, const std::string& head) {
    return guess.quantity == "flop_rate_per_device" && RE2::PartialMatch(head, of_one);
  });
  const bool is_scaled = std::any_of(guesses.begin(), guesses.end(), [](const Guess& guess) {
    return guess.quantity == "devices" || guess.quantity == "nodes";
  });
  for (std::size_t c = 0; c < guesses.size(); ++c) {
    const bool says_all =
        RE2::PartialMatch(table.head[c], R"((?i)(^|[^a-z])(total|overall|aggregated?|all)\b)");
    const bool is_beside_each = guesses[c].quantity == "flop_rate" && devices && each;
    if (guesses[c].quantity.starts_with("flop_rate") && (is_scaled || says_all) &&
        !is_beside_each && !RE2::PartialMatch(table.head[c], of_one)) {
      guesses[c].quantity = "other";
      guesses[c].reason += says_all ? "; of all devices" : "; of one device or of all";
    }
  }
}

void tell_collectives(const DocumentTable& table, std::vector<Guess>& guesses) {
  const bool is_collective = std::any_of(guesses.begin(), guesses.end(), [](const Guess& guess) {
    return guess.quantity == "busbw" || guess.quantity == "algbw";
  });
  for (std::size_t c = 0; is_collective && c < guesses.size(); ++c) {
    Guess& guess = guesses[c];
    const bool is_size =
        guess.quantity == "size" && RE2::PartialMatch(table.head[c], "(?i)size|bytes");
    const bool is_time =
        guess.quantity == "time" && RE2::PartialMatch(table.head[c], "(?i)^time|latency");
    if (is_size || is_time) {
      guess.quantity = is_size ? "message_bytes" : "latency";
      guess.reason = "by its heading, beside the bandwidth of a collective";
    }
  }
}

void tell_grids(const DocumentTable& table, std::vector<Guess>& guesses) {
  constexpr const char* shared =
      R"((?i)^((tensor|pipeline|context|model)[\s_-]*parallel|[tpc]p([^a-z]|$)))";
  constexpr const char* any =
      R"((?i)^((tensor|pipeline|data|expert|context|sequence|model)[\s_-]*parallel)"
      R"(|[tpdec]p([^a-z]|$)))";
  constexpr const char* of_each = R"((?i)gpu|device|worker|rank)";
  bool is_grid = false;
  for (std::size_t c = 0; c < guesses.size(); ++c) {
    guesses[c].is_exact = is_degree(guesses[c], table.head[c], any);
    const Figures figures = figures_of(table, guesses, c);
    is_grid = is_grid || (is_degree(guesses[c], table.head[c], shared) &&
                          std::any_of(figures.begin(), figures.end(), [](const ParsedFigure& one) {
                            return one.figure && one.figure->value.value_or(1.0) > 1.0;
                          }));
  }
  for (std::size_t c = 0; is_grid && c < guesses.size(); ++c) {
    Guess& guess = guesses[c];
    if (guess.quantity == "batch" ||
        (guess.quantity == "batch_per_device" && !RE2::PartialMatch(table.head[c], of_each))) {
      guess.quantity = "count";
      guess.is_exact = true;
      guess.reason += "; of a group of devices that share a model";
      set_batch_rule(table, c, guesses);
    }
  }
}

void tell_notes(const DocumentTable& table, std::vector<Guess>& guesses) {
  std::vector<std::size_t> of_run;  // columns
  bool has_condition = false;
  for (std::size_t c = 0; c < guesses.size(); ++c) {
    const QuantityInfo* info = find_quantity(guesses[c].quantity);
    if (info != nullptr && (info->is_condition || info->is_exact || info->is_free)) {
      of_run.push_back(c);
      has_condition = has_condition || info->is_condition;
    }
  }
  std::map<std::vector<std::string>, std::size_t> first_of;  // row by what tells runs
  for (std::size_t r = 0; has_condition && r < table.rows.size(); ++r) {
    std::vector<std::string> run;
    for (const std::size_t c : of_run) {
      run.push_back(table.rows[r][c]);
    }
    const std::size_t first = first_of.try_emplace(std::move(run), r).first->second;
    for (std::size_t c = 0; c < guesses.size(); ++c) {
      if (guesses[c].quantity.empty() && guesses[c].obstacle.empty() &&
          table.rows[r][c] != table.rows[first][c]) {
        guesses[c].quantity = "note";
        guesses[c].reason = "text behind figures that tells rows apart";
      }
    }
  }
}

}  // namespace scalestudy::audit
