#include "harness/study/parameters/secret.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <sstream>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/hash.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/text/json.h"
#include "harness/text/text.h"
#include "harness/yaml/yaml_tree.h"

namespace scalestudy {

namespace {

// What a variable is set to, and not left at or cut out.
bool is_value(const std::string& text) {
  return !text.empty() && text != kDefaultValue && text != kSecretMark;
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  replace_all(text, what, with);
  return text;
}

// Adds each value without the blanks at its ends, and each of its lines: programs print a key
// without its last line end, launchers put a rank in front of every line, and a reason of a trial
// is one line. Short lines may be words that are no secret: "true", "2048".
void add_lines(std::vector<std::string>& values) {
  constexpr std::size_t least_of_line = 8;
  std::vector<std::string> found;
  const auto add = [&](std::string_view text, std::size_t least) {
    if (trimmed(text).size() >= least) {
      found.emplace_back(trimmed(text));
    }
  };
  for (const std::string& value : values) {
    add(value, kLeastSecretCharacters);
    for (std::size_t at = 0; at < value.size();) {
      const std::size_t end = std::min(value.find('\n', at), value.size());
      add(std::string_view(value).substr(at, end - at), least_of_line);
      at = end + 1;
    }
  }
  values.insert(values.end(), found.begin(), found.end());
}

// Calls visit() with each value that the study gives to the variable: a Value, or a text.
template <typename AStudy, typename Visit>
void for_each_value(AStudy& study, const std::string& name, const Visit& visit) {
  const std::string parameter = "env." + name;
  const auto visit_in = [&](auto& map, const std::string& key) {
    if (const auto found = map.find(key); found != map.end()) {
      visit(found->second);
    }
  };
  for (auto* rows : {&study.zip, &study.include}) {
    for (auto& row : *rows) {
      visit_in(row, parameter);
    }
  }
  visit_in(study.parameters, parameter);
  visit_in(study.environment, name);
  for (auto& side : study.sides) {
    visit_in(side.environment, name);
  }
  for (auto& axis : study.axes) {
    if (axis.name == parameter) {
      std::ranges::for_each(axis.values, visit);
    }
  }
}

// Adds the scalars that hold one of the values, as the file spells them: "a\x20b", or text folded
// over lines. A spelling that is masked as it is adds nothing.
// - is_own: the node is a value that the file gives to a secret variable.
void add_spellings(const YamlNode& node,
                   const Study& study,
                   bool is_own,
                   std::vector<std::string>& values) {
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const std::string& key = node.is_map() ? node.keys[i].text : "";
    const bool is_secret = std::ranges::any_of(
        study.secrets, [&](const std::string& name) { return key == "env." + name; });
    add_spellings(node.items[i], study, is_own || is_secret, values);
  }
  const bool holds = is_own
                         ? node.text.size() >= kLeastSecretCharacters && node.text != kDefaultValue
                         : masked(node.text, values) != node.text;
  if (node.is_scalar() && holds) {
    const std::string spelling = spelling_of(node, study.source_text);
    if (masked(spelling, values) == spelling && spelling.size() >= kLeastSecretCharacters) {
      values.push_back(spelling);
    }
  }
}

}  // namespace

std::vector<std::string> values_of_variable(const Study& study, const std::string& name) {
  std::vector<std::string> values;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing of the harness changes its environment
  if (const char* own = std::getenv(name.c_str())) {
    values.emplace_back(own);
  }
  for_each_value(study, name, [&](const auto& value) { values.push_back(format_value(value)); });
  std::erase_if(values, [](const std::string& value) { return !is_value(value); });
  return values;
}

void take_secrets(Study& study) {
  for (const std::string& name : study.secrets) {
    bool is_left_out = false;
    for_each_value(study, name, [&](const auto& value) {
      const bool is_marked = format_value(value) == kSecretMark;
      is_left_out = is_left_out || is_marked;
      // The store keeps the parameters of cells, and masks only what the texts of studies tell.
      if (is_marked && std::is_same_v<decltype(value), const Value&>) {
        throw Error(ErrorKind::kUsage,
                    fmt::format("study {} came without its secret parameter env.{}: run it from "
                                "the file that has it",
                                study.name,
                                name));
      }
    });
    if (!is_left_out) {
      continue;
    }
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing of the harness changes its environment
    const char* own = std::getenv(name.c_str());
    if (own == nullptr || *own == '\0') {
      throw Error(ErrorKind::kUsage,
                  fmt::format("study {} came without the value of its secret {}: set the "
                              "environment variable {} to it, and repeat the command",
                              study.name,
                              name,
                              name));
    }
    for_each_value(study, name, [&](auto& value) {
      if (format_value(value) == kSecretMark) {
        value = std::string(own);
      }
    });
  }
}

void require_whole_command(const Study& study) {
  for (const auto* words : {&study.command, &study.setup, &study.cleanup, &study.build}) {
    for (const std::string& word : *words) {
      if (!study.secrets.empty() && word.find(kSecretMark) != std::string::npos) {
        throw Error(ErrorKind::kUsage,
                    fmt::format("study {} came without the secret in \"{}\": run it from the file "
                                "that has it",
                                study.name,
                                word));
      }
    }
  }
}

std::vector<std::string> secret_values(const Study& study) {
  std::vector<std::string> plain;
  for (const std::string& name : study.secrets) {
    std::ranges::copy_if(
        values_of_variable(study, name), std::back_inserter(plain), [](const std::string& value) {
          return value.size() >= kLeastSecretCharacters;
        });
  }
  if (plain.empty()) {
    return {};
  }
  std::vector<Problem> ignored;
  add_spellings(parse_yaml(study.source_text, ignored), study, false, plain);
  add_lines(plain);
  std::vector<std::string> values;
  for (const std::string& value : plain) {
    const std::string json = JsonText(value).dump();
    values.push_back(value);
    values.push_back(json.substr(1, json.size() - 2));
    values.push_back(replaced(value, "\"", "\"\""));  // CSV
    values.push_back(replaced(value, "'", "''"));     // YAML
    values.push_back(replaced(value, "'", "'\\''"));  // a shell
  }
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::string secret_prints(const Study& study) {
  std::string lines;
  for (const std::string& name : study.secrets) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing of the harness changes its environment
    const char* value = std::getenv(name.c_str());
    if (value != nullptr && is_value(value) && std::strlen(value) >= kLeastSecretCharacters) {
      const std::string salt = random_uid();
      lines += fmt::format("{} {} {}\n", name, salt, text_hash(salt + value));
    }
  }
  return lines;
}

std::vector<std::string> unknown_secrets(const std::string& prints,
                                         const std::vector<std::string>& values) {
  std::vector<std::string> names;
  std::istringstream lines(prints);
  std::string salt;
  std::string hash;
  for (std::string name; lines >> name >> salt >> hash;) {
    if (std::ranges::none_of(
            values, [&](const std::string& value) { return text_hash(salt + value) == hash; })) {
      names.push_back(name);
    }
  }
  return names;
}

std::string masked(std::string text, const std::vector<std::string>& values) {
  std::vector<std::string_view> longest_first(values.begin(), values.end());
  std::ranges::stable_sort(longest_first, std::greater(), &std::string_view::size);
  for (const std::string_view value : longest_first) {
    std::string rest;  // made anew: in place, a log full of secrets would take hours
    std::size_t done = 0;
    for (std::size_t at = text.find(value); at != std::string::npos; at = text.find(value, done)) {
      rest.append(text, done, at - done).append(kSecretMark);
      done = at + value.size();
    }
    if (done > 0) {
      text = rest.append(text, done);
    }
  }
  return text;
}

}  // namespace scalestudy
