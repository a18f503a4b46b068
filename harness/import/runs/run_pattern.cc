#include "harness/import/runs/run_pattern.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "harness/base/error.h"

namespace scalestudy {
namespace fs = std::filesystem;

struct RunPattern::Search {
  const std::string& text;
  const Accepts& accepts;
  bool may_divide = false;  // a number between two values
  NamedTexts values;
  std::set<NamedTexts> found;
  int steps = 0;
};

namespace {

constexpr std::size_t kEnough = 2;     // readings: one more than is of use
constexpr int kMostSteps = 1'000'000;  // a name that needs more is read as matching nothing

bool is_name(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-';
  });
}

// Whether a number, such as 16, 0.1 or 1,024, begins before the place and goes on after it.
bool is_within_number(const std::string& text, std::size_t at) {
  const auto has_digit = [&](std::size_t i) {  // a place before the first wraps to one after all
    return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0;
  };
  const auto has_point = [&](std::size_t i) {
    return i < text.size() && (text[i] == '.' || text[i] == ',');
  };
  return (has_digit(at - 1) && (has_digit(at) || (has_point(at) && has_digit(at + 1)))) ||
         (has_digit(at - 2) && has_point(at - 1) && has_digit(at));
}

}  // namespace

RunPattern::RunPattern(const std::string& text, const std::string& what) {
  const auto add_literal = [this](char c) {
    if (parts_.empty() || parts_.back().kind != Part::Kind::kLiteral) {
      parts_.emplace_back();
    }
    parts_.back().text += c;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '*') {
      parts_.push_back({.kind = Part::Kind::kStar, .text = ""});
      has_star_ = true;
    } else if (text[at] == '{') {
      const std::size_t end = text.find('}', at);
      const std::string name = end == std::string::npos ? "" : text.substr(at + 1, end - at - 1);
      if (!is_name(name)) {
        throw Error(
            ErrorKind::kUsage,
            fmt::format("{} {}: \"{}\" is not a placeholder; write {{NAME}} with the name of an "
                        "axis, or {{run}} or {{block}}",
                        what,
                        text,
                        text.substr(at, end == std::string::npos ? end : end - at + 1)));
      }
      parts_.push_back({.kind = Part::Kind::kName, .text = name});
      if (std::ranges::find(names_, name) == names_.end()) {
        names_.push_back(name);
      }
      at = end;
    } else {
      add_literal(text[at]);
    }
  }
}

void RunPattern::search(std::size_t part, std::size_t at, Search& state) const {
  if (state.found.size() >= kEnough || ++state.steps > kMostSteps) {
    return;
  }
  if (part == parts_.size()) {
    if (at == state.text.size()) {
      state.found.insert(state.values);
    }
    return;
  }
  const auto& [kind, text] = parts_[part];
  if (kind == Part::Kind::kLiteral) {
    if (state.text.compare(at, text.size(), text) == 0) {
      search(part + 1, at + text.size(), state);
    }
    return;
  }
  if (!state.may_divide && part > 0 && parts_[part - 1].kind != Part::Kind::kLiteral &&
      is_within_number(state.text, at)) {
    return;
  }
  const std::size_t most = std::min(state.text.find('/', at), state.text.size()) - at;
  if (kind == Part::Kind::kStar) {
    for (std::size_t length = 0; length <= most; ++length) {
      search(part + 1, at + length, state);
    }
    return;
  }
  const auto known = state.values.find(text);
  if (known != state.values.end()) {
    if (state.text.compare(at, known->second.size(), known->second) == 0) {
      search(part + 1, at + known->second.size(), state);
    }
    return;
  }
  for (std::size_t length = 1; length <= most; ++length) {
    std::string value = state.text.substr(at, length);
    if (state.accepts(text, value)) {
      const auto place = state.values.emplace(text, std::move(value)).first;
      search(part + 1, at + length, state);
      state.values.erase(place);
    }
  }
}

std::vector<NamedTexts> RunPattern::readings(const std::string& text,
                                             const Accepts& accepts) const {
  Search state{.text = text, .accepts = accepts, .values = {}, .found = {}};
  search(0, 0, state);
  return {state.found.begin(), state.found.end()};
}

bool RunPattern::matches(const std::string& text) const {
  const Accepts any = [](const std::string&, const std::string&) { return true; };
  Search state{.text = text, .accepts = any, .may_divide = true, .values = {}, .found = {}};
  search(0, 0, state);
  return !state.found.empty();
}

namespace {

// What `folder` ("" or with a slash at its end) has by a name that `part` of a pattern matches.
std::vector<std::string> entries_of(const std::string& folder,
                                    const std::string& part,
                                    const RunPattern& pattern) {
  std::vector<std::string> found;
  std::error_code error;
  if (pattern.is_literal()) {
    if (fs::exists(folder + part, error)) {
      found.push_back(folder + part);
    }
    return found;
  }
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, error), none;
       !error && entry != none;
       entry.increment(error)) {
    if (const std::string name = entry->path().filename().string(); pattern.matches(name)) {
      found.push_back(folder + name);
    }
  }
  return found;
}

}  // namespace

std::vector<std::string> matching_files(const std::string& pattern) {
  const RunPattern whole(pattern, "--from");
  std::vector<std::string> found{pattern.starts_with('/') ? "/" : ""};
  std::error_code error;
  for (std::size_t at = 0; at <= pattern.size();) {
    const std::size_t end = std::min(pattern.find('/', at), pattern.size());
    const std::string component = pattern.substr(at, end - at);
    at = end + 1;
    if (component.empty()) {
      continue;
    }
    const RunPattern part(component, "--from");
    std::vector<std::string> longer;
    for (const std::string& folder : found) {
      std::ranges::move(entries_of(folder, component, part), std::back_inserter(longer));
    }
    found.clear();
    for (const std::string& path : longer) {
      if (at <= pattern.size() ? fs::is_directory(path, error) : fs::is_regular_file(path, error)) {
        found.push_back(at <= pattern.size() ? path + "/" : path);
      }
    }
  }
  std::erase_if(found, [&](const std::string& path) { return !whole.matches(path); });
  std::ranges::sort(found);
  return found;
}

}  // namespace scalestudy
