// Scans printed figures: marks, bounds, spans, digits.
#include "harness/audit/figure/figure_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

namespace scalestudy::audit {
namespace {

constexpr auto kMarks = std::to_array<std::string_view>({"*", "†", "‡", "§", "¹", "²", "³"});
constexpr auto kDashes = std::to_array<std::string_view>({"-", "–", "—", " to "});
constexpr auto kCurrencySigns = std::to_array<std::string_view>({"$", "€", "£"});

struct Prefix {
  std::string_view text;
  FigureForm form;
};
constexpr auto kPrefixes = std::to_array<Prefix>({{"<=", FigureForm::kAtMost},
                                                  {"≤", FigureForm::kAtMost},
                                                  {"<", FigureForm::kAtMost},
                                                  {">=", FigureForm::kAtLeast},
                                                  {"≥", FigureForm::kAtLeast},
                                                  {">", FigureForm::kAtLeast},
                                                  {"~", FigureForm::kApproximate},
                                                  {"≈", FigureForm::kApproximate},
                                                  {"∼", FigureForm::kApproximate}});

void trim(std::string_view& text) {
  while (text.starts_with(' ') || text.starts_with('\t')) {
    text.remove_prefix(1);
  }
  while (text.ends_with(' ') || text.ends_with('\t')) {
    text.remove_suffix(1);
  }
}

template <typename List>
bool take_prefix(std::string_view& text, const List& candidates, std::string* taken = nullptr) {
  for (const std::string_view candidate : candidates) {
    if (text.starts_with(candidate)) {
      if (taken != nullptr) {
        *taken = candidate;
      }
      text.remove_prefix(candidate.size());
      return true;
    }
  }
  return false;
}

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// Digits with thousands separators in their places: "1,234,567". Nothing when misplaced, as in
// "0,412": nobody has zero thousands.
std::optional<std::string> digits_of(std::string_view text) {
  std::string digits;
  const std::size_t first_comma = text.find(',');
  if (first_comma == std::string_view::npos) {
    return std::string(text);
  }
  if (first_comma == 0 || first_comma > 3 || text.front() == '0') {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_place = i >= first_comma && (i - first_comma) % 4 == 0;
    if ((text[i] == ',') != is_place) {
      return std::nullopt;
    }
    if (!is_place) {
      digits += text[i];
    }
  }
  return (text.size() - first_comma) % 4 == 0 ? std::optional(digits) : std::nullopt;
}

// Length of "e-4" at the start of `text`, 0 when there is no exponent.
std::size_t exponent_length(std::string_view text) {
  if (!text.starts_with('e') && !text.starts_with('E')) {
    return 0;
  }
  std::size_t at = 1;
  at += at < text.size() && (text[at] == '-' || text[at] == '+') ? 1U : 0U;
  const std::size_t digits = at;
  while (at < text.size() && is_digit(text[at])) {
    ++at;
  }
  return at == digits || at - digits > 3 ? 0 : at;
}

// Takes digits with their separators from the front of `text`; nothing when misplaced.
std::optional<std::string> take_whole(std::string_view& text) {
  std::size_t length = 0;
  const auto separates = [&](std::size_t at) {
    return text[at] == ',' && at + 1 < text.size() && is_digit(text[at + 1]);
  };
  while (length < text.size() && (is_digit(text[length]) || separates(length))) {
    ++length;
  }
  const std::string_view taken = text.substr(0, length);
  text.remove_prefix(length);
  return digits_of(taken);
}

// Takes ".85" from the front of `text`, if it is there, and counts its places, or else the zeros at
// the end of `digits`.
void take_fraction(std::string_view& text, std::string& digits, Number& number) {
  if (text.starts_with('.') && text.size() > 1 && is_digit(text[1])) {
    std::size_t length = 1;
    while (length < text.size() && is_digit(text[length])) {
      ++length;
    }
    digits += text.substr(0, length);
    number.decimals = static_cast<int>(length) - 1;
    text.remove_prefix(length);
    return;
  }
  const std::size_t last = digits.find_last_not_of('0');
  number.trailing_zeros =
      last == std::string::npos ? 0 : static_cast<int>(digits.size() - 1 - last);
}

// Takes "e-4" from the front of `text`, if it is there.
void take_exponent(std::string_view& text, std::string& digits, Number& number) {
  const std::size_t length = digits.empty() ? 0 : exponent_length(text);
  if (length == 0) {
    return;
  }
  const std::size_t sign = text[1] == '+' ? 1 : 0;  // from_chars knows no plus
  int power = 0;
  std::from_chars(text.data() + 1 + sign, text.data() + length, power);
  digits += "e" + std::string(text.substr(1 + sign, length - 1 - sign));
  number.decimals -= power;
  text.remove_prefix(length);
}

// Takes a number from the front of `text`.
std::optional<Number> take_number(std::string_view& text) {
  Number number;
  std::string_view rest = text;
  const bool is_negative = take_prefix(rest, std::array<std::string_view, 2>{"-", "−"});
  if (!is_negative) {
    take_prefix(rest, std::array<std::string_view, 1>{"+"});
  }
  take_prefix(rest, kCurrencySigns, &number.currency);
  trim(rest);
  const std::optional<std::string> whole = take_whole(rest);
  if (!whole) {
    return std::nullopt;
  }
  std::string digits = *whole;
  take_fraction(rest, digits, number);
  take_exponent(rest, digits, number);
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number.value);
  if (error != std::errc() || end != digits.data() + digits.size() ||
      !std::isfinite(number.value)) {
    return std::nullopt;
  }
  number.value = is_negative ? -number.value : number.value;
  text = rest;
  return number;
}

// Where a span's second number begins in what follows the first: length before, and of the dash.
std::optional<std::pair<std::size_t, std::size_t>> find_span(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const std::string_view dash : kDashes) {
      if (!text.substr(at).starts_with(dash)) {
        continue;
      }
      std::string_view after = text.substr(at + dash.size());
      trim(after);
      take_prefix(after, kCurrencySigns);
      if (!after.empty() && (is_digit(after[0]) || after[0] == '.')) {
        return std::pair(at, dash.size());
      }
    }
  }
  return std::nullopt;
}

// "[0.468, 0.603]" at the end of the text.
bool take_interval(std::string_view& text, Pieces& pieces) {
  if (!text.ends_with(']')) {
    return true;
  }
  const std::size_t open = text.rfind('[');
  if (open == std::string_view::npos) {
    return false;
  }
  std::string_view inside = text.substr(open + 1, text.size() - open - 2);
  trim(inside);
  const std::optional<Number> lo = take_number(inside);
  if (!lo || !take_prefix(inside, std::array<std::string_view, 2>{", ", ","})) {
    return false;
  }
  trim(inside);
  const std::optional<Number> hi = take_number(inside);
  if (!hi || !inside.empty()) {
    return false;
  }
  pieces.interval = std::pair(*lo, *hi);
  text = text.substr(0, open);
  trim(text);
  return true;
}

// "± 45 ms" or "(± 45 ms)" at the end of the text; its unit counts if the first number has none.
bool take_spread(std::string_view& text, Pieces& pieces, std::string& unit) {
  for (const std::string_view sign : {"±", "+/-"}) {
    const std::size_t at = text.find(sign);
    if (at == std::string_view::npos) {
      continue;
    }
    std::string_view after = text.substr(at + sign.size());
    text = text.substr(0, at);
    trim(text);
    if (text.ends_with('(') && after.ends_with(')')) {
      text.remove_suffix(1);
      after.remove_suffix(1);
      trim(text);
    }
    trim(after);
    pieces.spread = take_number(after);
    trim(after);
    unit = after;
    return pieces.spread.has_value();
  }
  return true;
}

void take_marks(std::string_view& text) {
  bool found = true;
  while (found) {
    found = false;
    for (const std::string_view mark : kMarks) {
      if (text.ends_with(mark)) {
        text.remove_suffix(mark.size());
        trim(text);
        found = true;
      }
    }
  }
}

void take_form(std::string_view& text, Pieces& pieces) {
  for (const Prefix& prefix : kPrefixes) {
    if (text.starts_with(prefix.text)) {
      pieces.form = prefix.form;
      pieces.is_approximate = prefix.form == FigureForm::kApproximate;
      text.remove_prefix(prefix.text.size());
      trim(text);
      break;
    }
  }
  if (text.ends_with('+') && text.size() > 1) {
    pieces.form = FigureForm::kAtLeast;
    text.remove_suffix(1);
    trim(text);
  }
}

}  // namespace

std::optional<Pieces> take_apart(std::string_view text) {
  Pieces pieces;
  take_marks(text);
  std::string spread_unit;
  if (!take_interval(text, pieces) || !take_spread(text, pieces, spread_unit)) {
    return std::nullopt;
  }
  take_form(text, pieces);
  if (text.empty() && pieces.spread) {
    pieces.form = FigureForm::kSpan;
    pieces.unit = spread_unit;
    return pieces;
  }
  pieces.first = take_number(text);
  if (!pieces.first) {
    return std::nullopt;
  }
  if (text.starts_with('+')) {  // "120+ hours"
    pieces.form = FigureForm::kAtLeast;
    text.remove_prefix(1);
  }
  std::string_view unit = text;
  if (const auto span = find_span(text)) {
    unit = text.substr(0, span->first);
    text.remove_prefix(span->first + span->second);
    trim(text);
    pieces.second = take_number(text);
    if (!pieces.second || pieces.form == FigureForm::kAtMost ||
        pieces.form == FigureForm::kAtLeast) {
      return std::nullopt;
    }
    pieces.form = FigureForm::kSpan;
    trim(unit);
    trim(text);
    if (!unit.empty() && unit != text) {
      return std::nullopt;  // "850 ms - 2 s": two units, two figures
    }
    unit = text;
  }
  trim(unit);
  pieces.unit = pieces.first->currency + std::string(unit.empty() ? spread_unit : unit);
  return pieces;
}

std::string take_currency(std::string_view& text) {
  std::string currency;
  take_prefix(text, kCurrencySigns, &currency);
  return currency;
}

}  // namespace scalestudy::audit
