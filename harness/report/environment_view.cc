// Sessions and what their machines were; values that differ between sessions are told apart.
#include <algorithm>
#include <map>

#include "harness/base/text.h"
#include "harness/report/build_view.h"

namespace scalestudy::report {
namespace {

View::List sessions(const ReportInput& input) {
  std::map<std::int64_t, std::int64_t> trials;
  for (const TrialRow& trial : input.trials) {
    if (trial.session_id) {
      ++trials[*trial.session_id];
    }
  }
  View::List rows;
  for (const SessionInput& session : input.sessions) {
    View row;
    row.set_text("session", std::to_string(session.row.id));
    row.set_text("started_at", session.row.started_at);
    row.set_text("finished_at", session.row.finished_at.value_or("not recorded"));
    row.set_text("ending", session.row.ending.empty() ? "not recorded" : session.row.ending);
    row.set_text("host", session.row.host);
    row.set_text("tool_version", session.row.tool_version);
    row.set_text("tool_revision", session.row.tool_revision);
    row.set_text("order_seed", std::to_string(session.row.order_seed));
    row.set_text("trials", std::to_string(trials[session.row.id]));
    rows.push_back(std::move(row));
  }
  return rows;
}

// Value -> sessions that had it; one entry when all agree.
using Values = std::vector<std::pair<std::string, std::vector<std::string>>>;

void add_value(Values& values, const std::string& value, const std::string& session) {
  for (auto& [known, owners] : values) {
    if (known == value) {
      owners.push_back(session);
      return;
    }
  }
  values.push_back({value, {session}});
}

std::string value_text(const Values& values) {
  if (values.size() == 1) {
    return values.front().first;
  }
  std::vector<std::string> parts;
  for (const auto& [value, owners] : values) {
    parts.push_back(value + " (session " + join(owners, ", ") + ")");
  }
  return join(parts, "; ");
}

// A fact that one session lacks is a difference too.
Values values_of(const ReportInput& input, const std::string& name) {
  Values values;
  for (const SessionInput& session : input.sessions) {
    std::string value = "not recorded";
    for (const EnvironmentRow& row : session.environment) {
      if (row.name == name) {
        value = row.value;
      }
    }
    add_value(values, value, std::to_string(session.row.id));
  }
  return values;
}

}  // namespace

View environment_view(const ReportInput& input) {
  std::vector<std::string> names;
  for (const SessionInput& session : input.sessions) {
    for (const EnvironmentRow& row : session.environment) {
      if (std::find(names.begin(), names.end(), row.name) == names.end()) {
        names.push_back(row.name);
      }
    }
  }
  View::List rows;
  bool any_differs = false;
  for (const std::string& name : names) {
    const Values values = values_of(input, name);
    any_differs = any_differs || values.size() > 1;
    View row;
    row.set_text("name", name);
    row.set_text("value", value_text(values));
    row.set_flag("differs", values.size() > 1);
    rows.push_back(std::move(row));
  }
  View view;
  view.set_list("sessions", sessions(input));
  view.set_list("environment", std::move(rows));
  view.set_flag("environment_differs", any_differs);
  const bool has_session = !input.sessions.empty();
  view.set_text("tool_version", has_session ? input.sessions.back().row.tool_version : "");
  view.set_text("tool_revision", has_session ? input.sessions.back().row.tool_revision : "");
  return view;
}

View build_view(const ReportInput& input, const FigurePaths& figures) {
  View view = study_view(input);
  view.merge(results_view(input, figures));
  view.merge(findings_view(input));
  view.merge(judgements_view(input));
  view.merge(published_view(input));
  view.merge(precision_view(input));
  view.merge(trials_view(input));
  view.merge(environment_view(input));
  return view;
}

}  // namespace scalestudy::report
