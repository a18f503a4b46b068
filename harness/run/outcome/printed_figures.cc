#include "harness/run/outcome/printed_figures.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include <re2/re2.h>

#include "harness/run/values/printed_number.h"
#include "harness/run/values/printed_unit.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

// A number's unit as a rule has it, and whether it is a rate of one device.
struct NamedUnit {
  std::string printed;  // with what belongs to it: " img/sec per GPU"
  std::string unit;     // "" for none
  bool is_per_device = false;
};

constexpr const char* kDevices =
    "(?:gpu|device|rank|chip|core|card|worker|npu|tpu|accelerator|process)s?";
constexpr const char* kSteps = "its?|iters?|iterations?|steps?|batch|batches";

// The unit of a rule for what a program prints; "" for anything else.
std::string rule_unit(const std::string& printed) {
  static const std::array<std::pair<re2::RE2, std::string>, 7> kUnits{
      {{"(?:ms|msecs?|milliseconds?)(?:/(?:it|iter|step|batch))?", "ms"},
       {"(?:us|\xc2\xb5s|\xce\xbcs|usecs?|microseconds?)(?:/(?:it|iter|step|batch))?", "us"},
       {"(?:s|secs?|seconds?)(?:/(?:it|iter|step|batch))?", "s"},
       {"(?:min|minutes?)", "min"},
       {std::string("(?:") + kSteps + ")/(?:s|sec|second)", "it/s"},
       {"(?:tok|toks|tokens?)/(?:s|sec|second)", "tokens/s"},
       {"(?:samples?|images?|imgs?|examples?|seqs?|sequences?)/(?:s|sec|second)", "samples/s"}}};
  const std::string text = lowered(printed);
  const auto* const unit = std::ranges::find_if(
      kUnits, [&](const auto& one) { return re2::RE2::FullMatch(text, one.first); });
  return unit == kUnits.end() ? "" : unit->second;
}

bool is_rate(const std::string& unit) {
  return unit.find('/') != std::string::npos;
}

// Adds whose the unit is: "samples/s" of a "gpu", "ms" of an "iter". A rate of a node is no rate of
// a rule, and the time of a token is no time of a step.
NamedUnit unit_of(const std::string& unit, const std::string& owner) {
  static const re2::RE2 kOneDevice(kDevices);
  static const re2::RE2 kParts(
      "(?:tok|token|sample|image|img|example|seq|sequence|word|frame|epoch|param)s?");
  const bool is_per_device = is_rate(unit) && re2::RE2::FullMatch(owner, kOneDevice);
  const bool is_time = !is_rate(unit) && !re2::RE2::FullMatch(owner, kParts) &&
                       !re2::RE2::FullMatch(owner, kOneDevice);
  return {.printed = {},
          .unit = owner.empty() || is_per_device || is_time ? unit : "",
          .is_per_device = is_per_device};
}

// Whether a rate of this name is that of one device: "throughput per GPU: ", "device/samples=".
bool names_device(const std::string& words) {
  static const re2::RE2 kDevice(std::string("(?:/|per[ _-]?)") + kDevices +
                                "(?:[^a-z]|$)[^,;|\t]*$");
  return re2::RE2::PartialMatch(lowered(words), kDevice);
}

// The unit in a number's name: "time_ms=", "\"step_s\": ", "time (ms): ", "SamplesPerSec=",
// "tokens/s/gpu: ", "ms_per_iter=", "ms/batch ".
NamedUnit unit_in_name(const std::string& words) {
  static const std::string kEnd = "[)\\]]?[\"']? *[:=]? *[\"']?$";
  static const re2::RE2 kRate(
      "([a-z]+)(?:[ _]?per[ _]?|/)s(?:ecs?|econds?)?(?:(?: ?\\(?per[ _]?|[ _]per[ "
      "_]?|/)([a-z]+))?" +
      kEnd);
  static const re2::RE2 kTimePer(
      "(?:^|[^a-z])(ms|msecs?|milliseconds?|us|usecs?|microseconds?|s|secs?|seconds?|min|minutes?)"
      "(?:[ _]?per[ _]?|/)([a-z]+)" +
      kEnd);
  static const re2::RE2 kTime("(?:[_ (\\[])(ms|us|s|sec|seconds)" + kEnd);
  const std::string name = lowered(words);
  std::string unit;
  std::string owner;
  if (re2::RE2::PartialMatch(name, kRate, &unit, &owner)) {
    std::string rate = rule_unit(unit + "/s");
    for (const char* amount : {"tokens", "samples", "images", "steps", "iterations"}) {
      rate = rate.empty() && unit.ends_with(amount) ? rule_unit(std::string(amount) + "/s") : rate;
    }
    return unit_of(rate, owner);
  }
  if (re2::RE2::PartialMatch(name, kTimePer, &unit, &owner)) {
    return unit_of(rule_unit(unit), owner);
  }
  static const re2::RE2 kPlural("[a-z]\\(s\\)[^a-z]*$");
  const bool is_plural = has(name, kPlural) && !names_time(words);  // "GPU(s): "
  return {.printed = {},
          .unit = !is_plural && re2::RE2::PartialMatch(name, kTime, &unit) ? rule_unit(unit) : "",
          .is_per_device = false};
}

// The unit that stands right behind a number, as it is printed, with the space before it. That of a
// number that is no time of a step, "2s/epoch", is printed and is none of a rule.
NamedUnit unit_behind(const std::string& words, const std::string& rest) {
  static const re2::RE2 kUnit(
      "^(( ?)([A-Za-z\xc2\xb5\xce\xbc]+(?:/[A-Za-z]+)?)(?:(?: \\(?per |/)([A-Za-z]+))?)"
      "(?:[^A-Za-z0-9_/]|$)");
  std::string printed;
  std::string space;
  std::string unit;
  std::string owner;
  if (!re2::RE2::PartialMatch(rest, kUnit, &printed, &space, &unit, &owner)) {
    return {};
  }
  const std::string known = rule_unit(unit);
  const std::optional<PrintedUnit> other = parse_printed_unit(unit);
  if ((known.empty() && (!other || other->kind != PrintedUnit::Kind::kTimePer)) ||
      (!space.empty() &&
       is_next_label(words, known.empty() ? unit : known, rest.substr(printed.size())))) {
    return {};
  }
  NamedUnit found = unit_of(known, lowered(owner));
  found.printed = printed;
  return found;
}

// What may be a number: a time of day, a time in several units, numbers with commas between them,
// or any other.
const re2::RE2& number_pattern() {
  static const re2::RE2 kNumber(
      "(?:^|[^A-Za-z0-9_.])("
      "[0-9]+(?::[0-9]+)+(?:[.,][0-9]+)?|"
      "(?:[0-9]+ ?(?:days?|d|hours?|hrs?|h|minutes?|mins?|m),? ?)+"
      "[0-9]+(?:\\.[0-9]+)? ?(?:seconds?|secs?|s|minutes?|mins?|m)\\b|"
      "[0-9]+(?:,[0-9]+)+(?:\\.[0-9]+)?|"
      "[0-9]+(?:\\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)");
  return kNumber;
}

// The number that `text` begins with, and the marks between its thousands: "1.226,7", "1'226.80",
// "1 226,7"; `number` if there are none.
std::string with_thousands(const re2::StringPiece& text, const std::string& number) {
  static const re2::RE2 kMarked(
      std::string("^([1-9][0-9]{0,2}(?:(?:\\.[0-9]{3})+,[0-9]+|(?: [0-9]{3})+,(?:[0-9]{1,2}|"
                  "[0-9]{4,})|(?:(?:_|") +
      kBetweenThousands + ")[0-9]{3})+(?:[.,][0-9]+)?))(?:[^0-9.,:]|[.,:](?:[^0-9]|$)|$)");
  std::string whole;
  return re2::RE2::PartialMatch(text, kMarked, &whole) ? whole : number;
}

// Whether the comma is before the decimals: "1.226,7", or no three digits are behind it: "12,5". A
// list of columns has others: "3,41 ms" at the begin of a line, or behind another comma.
bool has_decimals(const std::string& number, const std::string& words) {
  static const re2::RE2 kDecimals(
      "^(?:[1-9][0-9]{0,2}(?:\\.[0-9]{3})+,[0-9]+|[0-9]+,(?:[0-9]{1,2}|[0-9]{4,}))$");
  static const re2::RE2 kName("[A-Za-z:=|]");
  return has(number, kDecimals) && has(words, kName) && !words.ends_with(',');
}

// Whether a rule would read a part of it, or it is itself a part: "1m 2.0s", "1'226.8", "5" of
// "1.5:5".
bool is_cut_number(const Figure& figure, const std::string& rest) {
  static const re2::RE2 kThousands("^[1-9][0-9]{0,2}(,[0-9]{3})+(\\.[0-9]+)?$");
  static const re2::RE2 kDigit("^[,.:']?[0-9]");
  const std::string& number = figure.printed;
  return number.find_first_not_of("0123456789.,eE+-") != std::string::npos ||
         (figure.has_commas && !has(number, kThousands)) || figure.words == ":" ||
         (figure.words == "'" && figure.before != "'") || has(rest, kDigit);
}

// Whether a progress bar shows it as the time so far or to come: the 2 of "2s 37us/sample", both
// times of "1/8 3.1it/s 0.3s<2.0s".
bool is_elapsed_time(const Figure& figure, const std::string& rest) {
  static const re2::RE2 kBehindRate("#/# +#(?:it/s|s/it) +(?:#s<)?$");
  static const re2::RE2 kBeforeTime("^s +[0-9.]+ ?(?:[mu\xc2\xb5\xce\xbc]*s)/[A-Za-z]");
  return figure.after == "s" &&
         (has(figure.before, kBehindRate) ||
          (figure.printed.find('.') == std::string::npos && has(rest, kBeforeTime)));
}

// The words from behind what is printed for a number that is missing: " | time: " of
// ", val: n/a | time: ".
std::string behind_missing(const std::string& words) {
  static const re2::RE2 kMissing(
      "(?i)^.*(?:\\bn/a|\\bnan|[a-z0-9_\"')\\]] *[:=] *[-+]?(?:inf|none|null|-))"
      "([^a-z0-9_].*[a-z].*)$");
  std::string name;
  return re2::RE2::PartialMatch(words, kMissing, &name) ? name : words;
}

}  // namespace

bool has(const std::string& text, const re2::RE2& pattern) {
  return re2::RE2::PartialMatch(text, pattern);
}

std::vector<Figure> figures_of(const std::string& line) {
  std::vector<Figure> figures;
  re2::StringPiece number;
  std::size_t end = 0;  // of the number before, and its unit
  std::string before;
  re2::StringPiece rest(line);
  while (re2::RE2::FindAndConsume(&rest, number_pattern(), &number)) {
    const auto begin = static_cast<std::size_t>(number.data() - line.data());
    if (begin < end) {
      continue;
    }
    Figure figure{
        .before = {},
        .words = line.substr(end, begin - end),
        .printed = with_thousands({number.data(), line.size() - begin}, number.as_string()),
        .after = {},
        .unit = {},
        .at = begin};
    while (figure.words.ends_with('-') || figure.words.ends_with('+')) {
      figure.words.pop_back();  // a sign
    }
    figure.before = before + figure.words;
    figure.words = behind_missing(figure.words);
    const std::string behind = line.substr(begin + figure.printed.size());
    NamedUnit unit = unit_behind(figure.words, behind);
    const std::string printed_unit = unit.printed;
    figure.after = unit.unit.empty() ? "" : printed_unit;
    if (figure.after.empty()) {
      unit = unit_in_name(figure.words);
    }
    figure.unit = figure.printed.find_first_of("dhms") != std::string::npos ? "s" : unit.unit;
    figure.is_per_device =
        unit.is_per_device || (is_rate(figure.unit) && names_device(figure.words));
    figure.has_decimal_comma = has_decimals(figure.printed, figure.words);
    figure.has_commas = !figure.has_decimal_comma && figure.printed.find(',') != std::string::npos;
    figure.is_elapsed = is_elapsed_time(figure, behind);
    figure.is_cut = is_cut_number(figure, behind);
    before = figure.before + "#" + printed_unit;
    end = begin + figure.printed.size() + printed_unit.size();
    figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace scalestudy
