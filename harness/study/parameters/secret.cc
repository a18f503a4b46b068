#include "harness/study/parameters/secret.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "harness/study/parameters/parameter_rules.h"

namespace scalestudy {

namespace {

std::string replaced(std::string text, char what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + with.size())) {
    text.replace(at, 1, with);
  }
  return text;
}

}  // namespace

std::vector<std::string> values_of_variable(const Study& study, const std::string& name) {
  std::vector<Parameters> given = study.zip;
  given.insert(given.end(), study.include.begin(), study.include.end());
  given.push_back(study.parameters);
  std::vector<std::string> values;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing of the harness changes its environment
  if (const char* own = std::getenv(name.c_str())) {
    values.emplace_back(own);
  }
  for (const Parameters& row : given) {
    if (const auto found = row.find("env." + name); found != row.end()) {
      values.push_back(format_value(found->second));
    }
  }
  std::vector<std::map<std::string, std::string>> fixed{study.environment};
  std::ranges::transform(study.sides, std::back_inserter(fixed), &StudySide::environment);
  for (const auto& environment : fixed) {
    if (const auto found = environment.find(name); found != environment.end()) {
      values.push_back(found->second);
    }
  }
  for (const Axis& axis : study.axes) {
    if (axis.name == "env." + name) {
      std::transform(
          axis.values.begin(), axis.values.end(), std::back_inserter(values), format_value);
    }
  }
  std::erase_if(values,
                [](const std::string& value) { return value.empty() || value == kDefaultValue; });
  return values;
}

std::vector<std::string> secret_values(const Study& study) {
  std::vector<std::string> values;
  for (const std::string& name : study.secrets) {
    for (const std::string& value : values_of_variable(study, name)) {
      if (value.size() >= kLeastSecretCharacters) {
        values.push_back(value);
        values.push_back(replaced(replaced(value, '\\', "\\\\"), '"', "\\\""));  // JSON
        values.push_back(replaced(value, '"', "\"\""));                          // CSV
        values.push_back(replaced(value, '\'', "''"));                           // YAML
        values.push_back(replaced(value, '\'', "'\\''"));                        // a shell
      }
    }
  }
  std::sort(values.begin(), values.end(), [](const std::string& a, const std::string& b) {
    return a.size() > b.size();
  });
  return values;
}

std::string masked(std::string text, const std::vector<std::string>& values) {
  for (const std::string& value : values) {
    std::string rest;  // made anew: in place, a log full of secrets would take hours
    std::size_t done = 0;
    for (std::size_t at = text.find(value); at != std::string::npos; at = text.find(value, done)) {
      rest.append(text, done, at - done).append("(secret)");
      done = at + value.size();
    }
    if (done > 0) {
      text = rest.append(text, done);
    }
  }
  return text;
}

}  // namespace scalestudy
