// Sessions and what their machines were; values that differ between sessions are told apart.
#include <algorithm>
#include <map>
#include <set>

#include "harness/report/sections/sections.h"
#include "harness/report/template/table.h"
#include "harness/study/matrix/matrix.h"
#include "harness/study/parse.h"
#include "harness/text/measure.h"
#include "harness/text/quantity.h"
#include "harness/text/text.h"

namespace scalestudy::report {
namespace {

constexpr const char* kNotRecorded = "not recorded";

struct Session {
  const SessionRow* row = nullptr;
  std::int64_t trials = 0;  // attempts made in it
  std::string changes;      // of the study since the session before
};

std::string describe_changes(const SessionRow& before, const SessionRow& now) {
  if (!before.study_text || !now.study_text) {
    return before.study_hash == now.study_hash ? "" : "not recorded";
  }
  if (*before.study_text == *now.study_text) {
    return "";
  }
  const Study old_study = parse_stored_study(*before.study_text, "");
  return join(study_difference(old_study, parse_stored_study(*now.study_text, "")), "; ");
}

std::vector<Session> sessions_of(const ReportInput& input) {
  std::map<std::int64_t, std::int64_t> trials;
  for (const TrialRow& trial : input.trials) {
    if (trial.session_id) {
      ++trials[*trial.session_id];
    }
  }
  std::vector<Session> sessions;
  for (const SessionInput& session : input.sessions) {
    const bool is_first = sessions.empty();
    sessions.push_back(
        {.row = &session.row,
         .trials = trials[session.row.id],
         .changes = is_first ? "" : describe_changes(*sessions.back().row, session.row)});
  }
  return sessions;
}

std::vector<Column<Session>> session_columns() {
  using enum Align;
  return {
      {{"session", "Session", "id"},
       [](const Session& session) { return std::to_string(session.row->id); }},
      {{"started_at", "Started (UTC)", "UTC", kText},
       [](const Session& session) { return session.row->started_at; }},
      {{"finished_at", "Finished (UTC)", "UTC", kText},
       [](const Session& session) { return session.row->finished_at.value_or("not recorded"); }},
      {{"ending",
        "Ending",
        "done, interrupted, max_time, error, max_trials, failures or disturbed",
        kText},
       [](const Session& session) {
         return session.row->ending == SessionEnding::kNone ? "not recorded"
                                                            : to_word(session.row->ending);
       }},
      {{"host", "Host", "host", kText}, [](const Session& session) { return session.row->host; }},
      {{"trials", "Attempts", "attempts made in it"},
       [](const Session& session) { return std::to_string(session.trials); }},
      {{"changes",
        "Changed in the study",
        "what of the study is another than in the session before: trials.count: 3 -> 4",
        kText,
        Shown::kPresent},
       [](const Session& session) { return session.changes; }},
      {{"scalestudy", "scalestudy", "version and revision", kText},
       [](const Session& session) {
         return session.row->tool_version + " (" + session.row->tool_revision + ")";
       }},
      {{"order_seed", "", "seed of the order", Align::kNumber, Shown::kNever},
       [](const Session& session) { return std::to_string(session.row->order_seed); }},
  };
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

// "23.54 GiB" of memory_bytes; "node 0", "nodes 0-3" of numa_nodes, which has their numbers.
std::string fact_text(const std::string& name, const std::string& value) {
  if (name == "numa_nodes" && value != kNotRecorded) {
    return (value.find_first_of(",-") == std::string::npos ? "node " : "nodes ") + value;
  }
  const auto bytes = name.ends_with("_bytes") ? parse_number(value) : std::nullopt;
  return bytes ? format_size(*bytes) : value;
}

std::string value_text(const std::string& name, const Values& values) {
  if (values.size() == 1) {
    return fact_text(name, values.front().first);
  }
  std::set<std::string> texts;
  for (const auto& [value, owners] : values) {
    texts.insert(fact_text(name, value));
  }
  const bool is_told_apart = texts.size() == values.size();
  std::vector<std::string> parts;
  for (const auto& [value, owners] : values) {
    parts.push_back((is_told_apart ? fact_text(name, value) : value) + " (session " +
                    join(owners, ", ") + ")");
  }
  return join(parts, "; ");
}

// A fact that one session lacks is a difference too.
Values values_of(const ReportInput& input, const std::string& name) {
  Values values;
  for (const SessionInput& session : input.sessions) {
    std::string value = kNotRecorded;
    for (const EnvironmentRow& row : session.environment) {
      if (row.name == name) {
        value = row.value;
      }
    }
    add_value(values, value, std::to_string(session.row.id));
  }
  return values;
}

// "AMD EPYC, 2 cores, Debian GNU/Linux 12 (bookworm)"; each with all its values if sessions differ.
// If the devices are elsewhere, this is the machine that the trials were started from.
std::string machine_text(const ReportInput& input) {
  std::vector<std::string> parts;
  for (const auto& [name, unit] : {std::pair("gpu_model", ""),
                                   std::pair("cpu_model", ""),
                                   std::pair("cores", " cores"),
                                   std::pair("os", "")}) {
    std::vector<std::string> values;
    for (const auto& [value, sessions] : values_of(input, name)) {
      if (value != kNotRecorded) {
        values.push_back(value);
      }
    }
    if (!values.empty()) {
      parts.push_back(join(values, " and ") + unit);
    }
  }
  const std::string text = join(parts, ", ");
  return input.declared.is_remote() && !text.empty() ? "elsewhere; trials were started from " + text
                                                     : text;
}

// "2026-11-26", or the first and the last day; "" before the first session.
std::string days_text(const ReportInput& input) {
  const auto day = [](const SessionInput& session) { return session.row.started_at.substr(0, 10); };
  if (input.sessions.empty()) {
    return "";
  }
  const std::string first = day(input.sessions.front());
  const std::string last = day(input.sessions.back());
  return first == last ? first : first + " to " + last;
}

void fill_environment(View& view, const ReportInput& input, const Figures& /*figures*/) {
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
    row.set_text("value", value_text(name, values));
    row.set_flag("differs", values.size() > 1);
    rows.push_back(std::move(row));
  }
  view.set_list("sessions", one_table(session_columns(), sessions_of(input)));
  view.set_list("environment", std::move(rows));
  view.set_flag("environment_differs", any_differs);
  view.set_text("machine", machine_text(input));
  view.set_text("days", days_text(input));
  const bool has_session = !input.sessions.empty();
  view.set_text("tool_version", has_session ? input.sessions.back().row.tool_version : "");
  view.set_text("tool_revision", has_session ? input.sessions.back().row.tool_revision : "");
}

}  // namespace

Section environment_section() {
  using enum TagKind;
  return {table_tags("sessions", "invocations of run", heads_of(session_columns())) +
              Tags{{"tool_version", kText, "version of scalestudy in the last session"},
                   {"tool_revision", kText, "its revision"},
                   {"machine", kText, "GPU, CPU, cores and system, as recorded"},
                   {"days", kText, "the day of the trials, or the first and the last: 2026-11-26"},
                   {"environment", kList, "facts of the machines and software"},
                   {"environment.name", kText, "name"},
                   {"environment.value", kText, "value, or the values with their sessions"},
                   {"environment.differs", kFlag, "not the same in all sessions"},
                   {"environment_differs", kFlag, "some fact is not the same in all sessions"}},
          fill_environment};
}

}  // namespace scalestudy::report
