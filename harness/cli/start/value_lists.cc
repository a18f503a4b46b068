#include "harness/cli/start/value_lists.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/study/matrix/command.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw Error(
      ErrorKind::kUsage,
      fmt::format("-L {}: {}; write a name and its values, e.g. -L level 1,6,9", text, why));
}

ValueList read_list(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) {
    refuse(text, "there are no values");
  }
  ValueList list{.name = text.substr(0, equals), .values = {}};
  if (!is_parameter_name(list.name)) {
    refuse(text, "a name has letters, digits, _ and ., and begins with a letter");
  }
  for (const std::string& value : split(text.substr(equals + 1), ",")) {
    if (value.empty()) {
      refuse(text, "a value is empty");
    }
    if (std::ranges::find(list.values, value) != list.values.end()) {
      refuse(text, value + " is given twice");
    }
    list.values.push_back(value);
  }
  return list;
}

}  // namespace

std::vector<ValueList> read_value_lists(const std::vector<std::string>& texts) {
  std::vector<ValueList> lists;
  for (const std::string& text : texts) {
    ValueList list = read_list(text);
    if (std::ranges::find(lists, list.name, &ValueList::name) != lists.end()) {
      refuse(text, list.name + " has a list already");
    }
    lists.push_back(std::move(list));
  }
  return lists;
}

std::vector<std::string> unlisted_names(const std::string& command,
                                        const std::vector<ValueList>& lists) {
  std::vector<std::string> unlisted;
  for (const std::string& name : placeholders(command)) {
    const bool is_shells = command.find("${" + name + "}") != std::string::npos;
    if (!is_shells && std::ranges::find(lists, name, &ValueList::name) == lists.end()) {
      unlisted.push_back(name);
    }
  }
  return unlisted;
}

std::string with_value(std::string command, const std::string& name, const std::string& value) {
  const std::string placeholder = "{" + name + "}";
  std::size_t at = command.find(placeholder);
  while (at != std::string::npos) {
    const bool is_shells = at > 0 && command[at - 1] == '$';
    if (!is_shells) {
      command.replace(at, placeholder.size(), value);
    }
    at = command.find(placeholder, at + (is_shells ? 1 : value.size()));
  }
  return command;
}

}  // namespace scalestudy
