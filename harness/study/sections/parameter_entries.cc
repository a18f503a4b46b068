#include "harness/study/sections/parameter_entries.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/study/declared/varied_names.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/text/quantity.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

// Whether the name is that of a parameter which sides give: for any workload, and as text.
bool is_side(const std::string& name, const Study& study) {
  return name == kSideParameter && !study.sides.empty();
}

// Whether the texts differ by letters that were lost, doubled or swapped. A letter in place of
// another, and another digit, make another name: num_levels beside num_layers, layer2 beside
// layer1.
bool differ_by_slip(std::string one, std::string other) {
  constexpr std::size_t least = 5;  // characters of two names that are not alike by chance
  if (std::min(one.size(), other.size()) < least) {
    return false;
  }
  const std::size_t more = std::max(one.size(), other.size()) - std::min(one.size(), other.size());
  for (std::string* text : {&one, &other}) {
    std::erase_if(*text, [](char c) { return c >= '0' && c <= '9'; });
  }
  if (one == other) {
    return false;
  }
  std::ranges::sort(one);
  std::ranges::sort(other);
  return more == 1 ? std::ranges::includes(one, other) || std::ranges::includes(other, one)
                   : one == other;
}

// The text as pages show it: with single spaces, none at its ends, and no invisible characters.
std::string as_shown(std::string text) {
  static const re2::RE2 kInvisible(R"([\p{Cf}\x{fe00}-\x{fe0f}])");
  static const re2::RE2 kBlank(R"(\p{Zs})");
  re2::RE2::GlobalReplace(&text, kInvisible, "");
  re2::RE2::GlobalReplace(&text, kBlank, " ");
  std::istringstream words(text);
  std::string shown;
  for (std::string word; words >> word;) {
    shown += (shown.empty() ? "" : " ") + word;
  }
  return shown;
}

// Letters of Latin-1 by their accents: the mark after a letter, and the characters for both.
struct Accent {
  std::string_view mark;
  std::string_view letters;
  std::string_view accented;  // two bytes a letter
};

constexpr auto kAccents = std::to_array<Accent>({{"\u0300", "AEIOUaeiou", "ÀÈÌÒÙàèìòù"},
                                                 {"\u0301", "AEIOUYaeiouy", "ÁÉÍÓÚÝáéíóúý"},
                                                 {"\u0302", "AEIOUaeiou", "ÂÊÎÔÛâêîôû"},
                                                 {"\u0303", "ANOano", "ÃÑÕãñõ"},
                                                 {"\u0308", "AEIOUaeiouy", "ÄËÏÖÜäëïöüÿ"},
                                                 {"\u030a", "Aa", "Åå"},
                                                 {"\u0327", "Cc", "Çç"}});

// The text with one character for each letter and its accent.
std::string with_joined_accents(std::string text) {
  for (const auto& [mark, letters, accented] : kAccents) {
    for (std::size_t at = text.find(mark, 1); at != std::string::npos; at = text.find(mark, at)) {
      const std::size_t letter = letters.find(text[at - 1]);
      if (letter != std::string_view::npos) {
        text.replace(at - 1, 1 + mark.size(), accented.substr(2 * letter, 2));
      }
      ++at;
    }
  }
  return text;
}

}  // namespace

bool names_version(const std::string& name) {
  return (name.ends_with("version") && !name.ends_with("conversion") &&
          !name.ends_with("inversion")) ||
         std::ranges::any_of(
             std::array<std::string, 3>{"python", "torch", "cuda"},
             [&](const std::string& word) { return name == word || name.ends_with("_" + word); });
}

std::vector<std::string> declared_names(const Study& study) {
  const std::set<std::string> varied = varied_names(study);
  std::vector<std::string> names(varied.begin(), varied.end());
  for (const auto& [name, value] : study.parameters) {
    names.push_back(name);
  }
  return names;
}

std::string hint_of_names(const std::string& given, const std::vector<std::string>& names) {
  const std::string near = suggestion(given, names);
  return names.empty() ? "; it has none" : near.empty() ? "; it has: " + join(names, ", ") : near;
}

std::string meant_by_slip(const std::string& given, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (name == given + "s" || given == name + "s") {
      return name;
    }
  }
  const std::string match = closest_match(given, names);
  return differ_by_slip(match, given) ? match : "";
}

bool check_entry_name(const YamlNode& key, SectionContext& context) {
  if (!context.is_workload_known) {
    return false;
  }
  if (is_side(key.text, context.study)) {
    return true;
  }
  const bool is_own = context.own_names.contains(key.text);
  std::string wrong =
      check_parameter_name(is_own ? Workload::kCommand : context.study.workload, key.text);
  if (!wrong.empty() && !is_own && context.has_beside &&
      is_own_parameter(context.study.workload, key.text)) {
    wrong += fmt::format("; for one of your own, write {{{}}} into setup", key.text);
  }
  return wrong.empty() || !context.problems.refuse(key, wrong);
}

bool read_entry_value(const std::string& name,
                      const YamlNode& item,
                      SectionContext& context,
                      Value& value) {
  if (!item.is_scalar()) {
    context.problems.add(item, fmt::format("{} must be one value, not {}", name, describe(item)));
    return false;
  }
  if (is_side(name, context.study)) {
    value = item.text;
    return true;
  }
  const Workload workload = context.study.workload;
  if (context.problems.is_stored()) {
    value = stored_parameter_value(workload, name, item.text, item.is_quoted);
    return true;
  }
  ParsedValue parsed = parse_parameter_value(workload, name, item.text, item.is_quoted);
  if (!parsed.value) {
    context.problems.add(item, parsed.problem);
    return false;
  }
  value = *parsed.value;
  return true;
}

void check_versions(const std::string& name,
                    std::span<const YamlNode> items,
                    SectionContext& context) {
  const Workload workload = context.study.workload;
  const bool is_free = workload == Workload::kCommand || is_own_parameter(workload, name);
  if (!is_free || is_environment_parameter(name)) {  // variables keep their zeros
    return;
  }
  for (const YamlNode& item : items) {
    const std::string& text = item.text;
    if (!item.is_scalar() || item.is_quoted || !may_be_version(text)) {
      continue;
    }
    const bool is_beside = std::ranges::any_of(
        items, [&](const YamlNode& other) { return is_version_beside(text, other.text); });
    const auto number = parse_number(text);
    if (number && (is_beside || names_version(name))) {
      context.problems.refuse(
          item,
          fmt::format("{0} is {1}, which is the number {2}: write {2}, or \"{1}\" in "
                      "quotes if it is a version",
                      name,
                      text,
                      format_value(*number)));
    }
  }
}

void check_lookalikes(const std::string& name,
                      std::span<const YamlNode* const> items,
                      SectionContext& context) {
  std::map<std::string, std::string> texts;  // by their look
  for (const YamlNode* item : items) {
    const std::string shown = as_shown(item->text);
    const auto [other, is_new] = texts.emplace(with_joined_accents(shown), item->text);
    if (is_new || other->second == item->text) {
      continue;
    }
    context.problems.refuse(
        *item,
        fmt::format("{} has \"{}\" and \"{}\"{}",
                    name,
                    other->second,
                    item->text,
                    as_shown(other->second) == shown
                        ? ", which differ only in spaces or invisible characters and look the same "
                          "in reports; name them in zip, or by -n in `time`"
                        : ": accented letters are typed as one character in one, as a letter and "
                          "an accent in the other; type both alike"));
  }
}

bool read_entry(const YamlNode& key, const YamlNode& item, SectionContext& context, Value& value) {
  return check_entry_name(key, context) && read_entry_value(key.text, item, context, value);
}

Parameters read_selection(const YamlNode& map, const std::string& what, SectionContext& context) {
  Parameters selection;
  if (!context.is_workload_known) {
    return selection;
  }
  const std::vector<std::string> names = declared_names(context.study);
  for (std::size_t i = 0; i < map.keys.size(); ++i) {
    const YamlNode& key = map.keys[i];
    if (std::find(names.begin(), names.end(), key.text) == names.end()) {
      if (context.problems.refuse(
              key,
              fmt::format("{} names \"{}\", which is not an axis of this study{}",
                          what,
                          key.text,
                          hint_of_names(key.text, names)))) {
        continue;
      }
    }
    Value value;
    if (read_entry(key, map.items[i], context, value)) {
      selection[key.text] = std::move(value);
    }
  }
  return selection;
}

}  // namespace scalestudy
