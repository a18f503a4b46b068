#include "harness/site/site_study.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/report/files/citation.h"
#include "harness/report/input/cell_names.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/html.h"
#include "harness/report/template/pages.h"
#include "harness/site/site_page.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/study/parameters/secret.h"
#include "harness/text/number.h"
#include "harness/text/quantity.h"
#include "harness/text/text.h"

namespace scalestudy::report {
namespace {

// Text of users and machines as it is, but for the study's secrets: told before they are escaped.
std::string shown(const ReportInput& input, const std::string& text) {
  return escape_html(printable(masked(text, input.secrets)));
}

std::string title_of(const ReportInput& input) {
  return input.study.title.empty() ? input.study.name : input.study.title;
}

// "2026-11-20 to 2026-11-24"; "" of a study that was not run.
std::string days_of(const ReportInput& input) {
  std::set<std::string> days;
  for (const SessionInput& session : input.sessions) {
    days.insert(day_of(session.row.started_at));
  }
  days.erase("");
  return days.empty()       ? ""
         : days.size() == 1 ? *days.begin()
                            : *days.begin() + " to " + *days.rbegin();
}

// "global batch 16, 32, 64", "bucket 1, 25 MiB".
std::string values_text(const ReportInput& input, const Axis& axis) {
  constexpr std::size_t most = 8;
  std::vector<std::string> texts;
  for (const Value& value : axis.values) {
    texts.push_back(name_value(axis.name, format_value(value)));
  }
  const bool is_number = std::ranges::all_of(axis.values, [](const Value& value) {
    return parse_number(format_value(value)).has_value();
  });
  const std::string name = name_axis(axis.name, input.declared.labels);
  const auto [words, unit] =
      name == axis.name && is_number ? setting_words(name) : SettingWords{.name = name, .unit = ""};
  if (texts.size() > most) {
    texts = {texts.front(), "...", texts.back() + unit, fmt::format("({} values)", texts.size())};
    return words + " " + join(texts, " ");
  }
  return words + " " + join(texts, ", ") + unit;
}

// The axes that move together, each with its distinct values in the order of the rows.
std::vector<Axis> zipped_axes(const std::vector<Parameters>& rows) {
  std::vector<Axis> axes;
  for (const Parameters& row : rows) {
    for (const auto& [name, value] : row) {
      auto axis = std::ranges::find(axes, name, &Axis::name);
      if (axis == axes.end()) {
        axis = axes.insert(axes.end(), {name, {}});
      }
      if (std::ranges::find(axis->values, value) == axis->values.end()) {
        axis->values.push_back(value);
      }
    }
  }
  return axes;
}

// "devices 1, 2; global batch 16, 32, 64; model mlp-258k; AMD EPYC": what one looks for a study by.
std::string about(const ReportInput& input) {
  std::vector<std::string> parts;
  for (const Axis& axis : input.declared.axes) {
    parts.push_back(values_text(input, axis));
  }
  for (const Axis& axis : zipped_axes(input.declared.zip)) {
    parts.push_back(values_text(input, axis));
  }
  for (const auto& [name, value] : input.declared.parameters) {
    parts.push_back(values_text(input, {name, {value}}));
  }
  std::set<std::string> machines;
  for (const SessionInput& session : input.sessions) {
    for (const EnvironmentRow& fact : session.environment) {
      const bool is_model = fact.name == "cpu_model" || fact.name == "gpu_model";
      if (is_model && !input.declared.is_remote()) {
        machines.insert(fact.value);
      }
    }
  }
  parts.insert(parts.end(), machines.begin(), machines.end());
  return join(parts, "; ");
}

std::string first_lines(const ReportInput& input, const View& view) {
  constexpr std::size_t most_answers = 3;
  const std::string worthless = text_of(view, "worthless");
  const View::List answers = list_of(view, "answer");
  std::string html =
      worthless.empty()
          ? ""
          : fmt::format("<p><strong>These numbers are not worth much:</strong> {}</p>\n",
                        shown(input, worthless));
  html += answers.empty() ? "<p>No answer yet.</p>\n" : "<ul>\n";
  for (std::size_t i = 0; i < std::min(answers.size(), most_answers); ++i) {
    html += fmt::format("<li><strong>{}:</strong> {}</li>\n",
                        shown(input, text_of(answers[i], "about")),
                        shown(input, text_of(answers[i], "sentence")));
  }
  return html + (answers.empty() ? "" : "</ul>\n");
}

// The first figure of a report as a small picture that leads to it; "" of one without figures.
std::string small_picture(const ReportInput& input,
                          const std::string& folder,
                          const ReportFiles& files) {
  for (const char* kind : {"figures/speedup", "figures/message", "figures/throughput"}) {
    const auto found = files.lower_bound(kind);
    if (found != files.end() && found->first.starts_with(kind)) {
      return fmt::format(
          "<a href=\"{0}index.html\"><img class=\"small\" src=\"{0}{1}\" alt=\"Figure of {2}\" "
          "loading=\"lazy\"></a>\n",
          folder,
          escape_html(found->first),
          shown(input, title_of(input)));
    }
  }
  return "";
}

std::string entry(const ReportInput& input, const std::string& folder, const ReportFiles& files) {
  View view;
  answer_section().fill(view, input, {});
  const std::string state = text_of(view, "state");
  const std::string days = days_of(input);
  return fmt::format(
      "<article id=\"{0}\">\n<h2><a href=\"{1}index.html\">{2}</a></h2>\n{9}"
      "<p>Trust: <strong>{4}</strong>{5}</p>\n<p class=\"soft\">{0} · {3} · {6}</p>\n{7}"
      "<p class=\"soft\">{8}</p>\n"
      "<p><a href=\"{1}index.html\">Report</a> · "
      "<a href=\"{1}index.html#site.files\">CSV files</a> · "
      "<a href=\"{1}results.json\">results.json</a> · <a href=\"{1}study.yaml\">study "
      "file</a></p>\n</article>\n",
      input.study.name,
      folder,
      shown(input, title_of(input)),
      days.empty() ? is_imported(input) ? "imported" : "not run yet"
                   : measured_word(input) + " " + days,
      shown(input, text_of(view, "trust")),
      state.empty() ? "" : ", <strong>" + shown(input, state) + "</strong>",
      shown(input, text_of(view, "basis")),
      first_lines(input, view),
      shown(input, about(input)),
      small_picture(input, folder, files));
}

// The dot in its anchor keeps it apart from those of the report's headings.
std::string file_list(const ReportFiles& files) {
  std::string html = "<h2 id=\"site.files\">Files</h2>\n<ul>\n";
  for (const auto& [name, content] : files) {
    html += fmt::format("<li><a href=\"{0}\">{0}</a></li>\n", escape_html(name));
  }
  return html + "</ul>\n";
}

std::string sessions_of(const ReportInput& input, const std::string& folder) {
  std::set<std::string> hosts;
  for (const SessionInput& session : input.sessions) {
    hosts.insert(session.row.host);
  }
  return fmt::format("<a href=\"{}index.html\">{}</a>: {}, {}, {}",
                     folder,
                     shown(input, title_of(input)),
                     format_count(static_cast<std::int64_t>(input.sessions.size()), "session"),
                     days_of(input),
                     format_count(static_cast<std::int64_t>(hosts.size()), "machine"));
}

}  // namespace

SiteStudy make_site_study(const ReportInput& input,
                          const ReportFiles& report,
                          const std::string& history) {
  const std::string& name = input.study.name;
  const bool is_plain = std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  });
  if (name.empty() || name.front() == '.' || !is_plain) {
    throw Error(ErrorKind::kStore,
                fmt::format("study \"{}\": no page can have this name; letters, digits, -, _ and . "
                            "are allowed, no . at the beginning",
                            printable(name)));
  }
  const std::string folder = "studies/" + name + "/";
  const auto found = report.find("details.md");
  const std::string details = found == report.end() ? "" : found->second;
  ReportFiles files = report;
  files["study.yaml"] = input.study.source_text;
  SiteStudy study{
      .name = name,
      .last_session = input.sessions.empty() ? "" : input.sessions.back().row.started_at,
      .entry = entry(input, folder, report),
      .sessions = input.sessions.empty() ? "" : sessions_of(input, folder),
      .history = markdown_to_html(history),
      .files = {}};
  study.files[folder + "index.html"] = site_page(
      masked(title_of(input), input.secrets),
      "../../",
      "<a href=\"study.yaml\">Study file</a> · <a href=\"results.json\">results.json</a> · "
      "<a href=\"#site.files\">CSV files</a>",
      markdown_to_html(folded_page({report.at("report.md"), details})) + file_list(files));
  for (auto& [path, content] : files) {
    study.files[folder + path] = std::move(content);
  }
  return study;
}

}  // namespace scalestudy::report
