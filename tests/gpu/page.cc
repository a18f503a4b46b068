#include "tests/gpu/page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>
#include <sstream>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace scalestudy::test {
namespace {

using nlohmann::json;

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

std::optional<double> optional_number(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number() || !std::isfinite(found->get<double>())) {
    return std::nullopt;
  }
  return found->get<double>();
}

bool matches(const Band& band, const Line& line) {
  if (band.section != line.section) {
    return false;
  }
  if (line.name == kWholeSection) {
    return true;
  }
  return band.name.ends_with('*') ? line.name.starts_with(band.name.substr(0, band.name.size() - 1))
                                  : line.name == band.name;
}

std::string describe(const Band& band) {
  if (band.least && band.most) {
    return number(*band.least) + " to " + number(*band.most);
  }
  return band.least ? "at least " + number(*band.least)
                    : (band.most ? "at most " + number(*band.most) : "");
}

// Written so that NaN, which parsing leaves out, could not pass either.
std::string fault(const Line& line, const Band& band) {
  if (!line.value) {
    return "not measured";
  }
  const auto is_inside = [&](double value) {
    return !(band.least && !(value >= *band.least)) && !(band.most && !(value <= *band.most));
  };
  const double lo = line.lo.value_or(*line.value);
  const double hi = line.hi.value_or(*line.value);
  if (is_inside(*line.value) && is_inside(lo) && is_inside(hi)) {
    return "";
  }
  return (band.least && !(hi >= *band.least)) || (band.most && !(lo <= *band.most))
             ? "outside of its band"
             : "undecided, its interval leaves the band";
}

std::string value_text(const Line& line) {
  if (!line.value) {
    return "n/a";
  }
  return number(*line.value) +
         (line.lo && line.hi ? " [" + number(*line.lo) + ", " + number(*line.hi) + "]" : "");
}

// Of a section that its time did not end: the lines before it are of what it has measured so far.
constexpr const char* kUnfinished = "not finished";

json optional_json(const std::optional<double>& value) {
  return value ? json(*value) : json();
}

std::string cell(std::string text) {
  std::replace(text.begin(), text.end(), '|', '/');
  return text;
}

}  // namespace

std::vector<Line> parse_lines(const std::string& section, const std::string& text) {
  std::vector<Line> lines;
  std::istringstream stream(text);
  for (std::string row; std::getline(stream, row);) {
    const json object = json::parse(row, nullptr, false);
    if (!object.is_object() || !object.contains("name") || !object["name"].is_string()) {
      throw std::invalid_argument(
          std::string("section ").append(section).append(" wrote no line: ").append(row));
    }
    const auto skipped = object.find("skipped");
    lines.push_back({section,
                     object["name"],
                     optional_number(object, "value"),
                     object.value("unit", ""),
                     optional_number(object, "lo"),
                     optional_number(object, "hi"),
                     skipped != object.end() && skipped->is_string() ? *skipped : ""});
  }
  return lines;
}

std::vector<Band> parse_bands(const std::string& text) {
  const json list = json::parse(text, nullptr, false);
  if (!list.is_array()) {
    throw std::invalid_argument("the bands are not a JSON list");
  }
  std::vector<Band> bands;
  for (const json& object : list) {
    Band band{object.at("section"),
              object.at("name"),
              optional_number(object, "least"),
              optional_number(object, "most"),
              object.value("optional", false),
              object.value("why", "")};
    if (!band.least && !band.most) {
      throw std::invalid_argument("the band of " + band.name + " has no end");
    }
    bands.push_back(std::move(band));
  }
  return bands;
}

std::vector<Verdict> judge(const std::vector<Line>& lines, const std::vector<Band>& bands) {
  std::vector<Verdict> verdicts;
  std::set<const Band*> used;
  std::set<std::string> begun;  // sections
  for (const Line& line : lines) {
    begun.insert(line.section);
    if (!line.skipped.empty() || line.name == kWholeSection) {
      for (const Band& band : bands) {
        if (matches(band, line)) {
          used.insert(&band);
        }
      }
      verdicts.push_back({line, "", line.skipped.empty() ? kUnfinished : ""});
      continue;
    }
    const auto band = std::find_if(
        bands.begin(), bands.end(), [&](const Band& one) { return matches(one, line); });
    if (band == bands.end()) {
      verdicts.push_back({line, "", "no band is declared for it"});
      continue;
    }
    used.insert(&*band);
    verdicts.push_back({line, describe(*band), fault(line, *band), band->why});
  }
  for (const Band& band : bands) {
    if (begun.contains(band.section) && !band.is_optional && !used.contains(&band)) {
      verdicts.push_back(
          {{band.section, band.name, std::nullopt, ""}, describe(band), "not measured", band.why});
    }
  }
  for (const Band& band : bands) {
    if (!band.is_optional && begun.insert(band.section).second) {
      verdicts.push_back({{band.section, kWholeSection, std::nullopt, ""}, "", "not begun"});
    }
  }
  return verdicts;
}

bool has_passed(const std::vector<Verdict>& verdicts) {
  return !verdicts.empty() &&
         std::all_of(verdicts.begin(), verdicts.end(), [](const Verdict& verdict) {
           return verdict.reason.empty();
         });
}

std::string format_json(const std::vector<Verdict>& verdicts, const std::string& machine) {
  json lines = json::array();
  for (const Verdict& verdict : verdicts) {
    lines.push_back({{"section", verdict.line.section},
                     {"name", verdict.line.name},
                     {"value", optional_json(verdict.line.value)},
                     {"lo", optional_json(verdict.line.lo)},
                     {"hi", optional_json(verdict.line.hi)},
                     {"unit", verdict.line.unit},
                     {"band", verdict.band},
                     {"why", verdict.why},
                     {"passed", verdict.reason.empty() && verdict.line.skipped.empty()},
                     {"reason", verdict.reason},
                     {"skipped", verdict.line.skipped}});
  }
  return json{{"version", 1},
              {"machine", machine},
              {"passed", has_passed(verdicts)},
              {"lines", lines}}
             .dump(1) +
         "\n";
}

std::string format_checklist(const std::vector<Verdict>& verdicts) {
  struct Section {
    std::string name;
    int passed = 0;
    std::vector<std::string> failed = {};  // as they are printed
    std::set<std::string> skipped = {};    // reasons
  };
  std::vector<Section> sections;
  for (const Verdict& verdict : verdicts) {
    auto section = std::ranges::find(sections, verdict.line.section, &Section::name);
    if (section == sections.end()) {
      section = sections.insert(section, {verdict.line.section});
    }
    if (!verdict.line.skipped.empty()) {
      section->skipped.insert(verdict.line.skipped);
    } else if (verdict.line.name == kWholeSection) {
      section->failed.push_back(verdict.reason);
    } else if (!verdict.reason.empty()) {
      section->failed.push_back("FAILED: " + verdict.line.name);
    } else {
      ++section->passed;
    }
  }
  std::string text;
  for (const Section& section : sections) {
    text += section.failed.empty() && section.skipped.empty() ? "- [x] " : "- [ ] ";
    text += section.name + ": " + std::to_string(section.passed) + " passed";
    for (const std::string& name : section.failed) {
      text += ", " + name;
    }
    for (const std::string& reason : section.skipped) {
      text += ", skipped: " + reason;
    }
    text += "\n";
  }
  return text;
}

std::string format_markdown(const std::vector<Verdict>& verdicts, const std::string& machine) {
  const auto failed = std::ranges::count_if(
      verdicts, [](const Verdict& verdict) { return !verdict.reason.empty(); });
  std::string page = "# This machine's GPUs\n\n```\n" + machine + "```\n\n" +
                     format_checklist(verdicts) +
                     "\nAs evidence, send this whole folder. It names the machine, its hardware, "
                     "versions and settings.\n\n" +
                     std::to_string(verdicts.size()) + " lines, " + std::to_string(failed) +
                     " failed.\n\n| Section | Line | Value | Unit | Band | Verdict |\n"
                     "| --- | --- | ---: | --- | --- | --- |\n";
  for (const Verdict& verdict : verdicts) {
    page += "| " + cell(verdict.line.section) + " | " + cell(verdict.line.name) + " | " +
            value_text(verdict.line) + " | " + cell(verdict.line.unit) + " | " + verdict.band +
            " | " +
            (!verdict.line.skipped.empty() ? "skipped: " + cell(verdict.line.skipped)
             : verdict.reason.empty()      ? "pass"
                                           : "FAIL: " + cell(verdict.reason)) +
            " |\n";
  }
  std::string reasons;
  for (const Verdict& verdict : verdicts) {
    const std::string reason =
        "- " + verdict.line.section + ", " + verdict.band + ": " + verdict.why + "\n";
    if (!verdict.why.empty() && reasons.find(reason) == std::string::npos) {
      reasons += reason;
    }
  }
  return page + (reasons.empty() ? "" : "\n## Why these bands\n\n" + reasons);
}

}  // namespace scalestudy::test
