#include "harness/run/session/unstored.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <set>
#include <system_error>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/run/process/trial_files.h"
#include "harness/store/tables/summary.h"
#include "harness/store/tables/trial_tables.h"
#include "workloads/protocol/names.h"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// More than a record of as many values as a trial may have takes (protocol::ReadLimits).
constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 30U;

fs::path unstored_path(const Store& store) {
  return store.results_folder() / "unstored.json";
}

template <typename T>
Json to_json(const T& value) {
  if constexpr (Worded<T>) {
    return to_word(value);
  } else {
    return value;
  }
}

template <typename T>
Json to_json(const std::optional<T>& value) {
  return value ? to_json(*value) : Json();
}

// Throws std::exception for what is no T.
template <typename T>
void from_json(const Json& json, T& value) {
  if constexpr (Worded<T>) {
    value = from_word<T>(json.get<std::string>()).value();
  } else {
    json.get_to(value);
  }
}

template <typename T>
void from_json(const Json& json, std::optional<T>& value) {
  if (!json.is_null()) {
    from_json(json, value.emplace());
  }
}

template <typename Row>
Json row_json(const Row& row) {
  Json json;
  for_each_column<Row>([&](const auto& column) { json[column.name] = to_json(row.*column.field); });
  return json;
}

template <typename Row>
Row row_of(const Json& json) {
  Row row;
  for_each_column<Row>([&](const auto& column) {
    // What an older program left does not tell it.
    const std::string_view name = column.name;
    if (json.contains(name) ||
        (name != "hosts" && name != "disturbance" && name != "part" && name != "skip_reason")) {
      from_json(json.at(column.name), row.*column.field);
    }
  });
  return row;
}

std::string format_unstored(const TrialRecord& record, bool retry) {
  Json json = {{"retry", retry}, {"id", record.trial.id}, {"trial", row_json(record.trial)}};
  for (const SeriesRow& row : record.series) {
    json["series"].push_back({{"metric", row.metric},
                              {"unit", row.unit},
                              {"rank", to_json(row.rank)},
                              {"warmup_n", row.warmup_n},
                              {"values_json", format_values(row.values)}});
  }
  for (const TelemetryRow& row : record.telemetry) {
    json["telemetry"].push_back(row_json(row));
  }
  for (const LogRow& row : record.logs) {
    json["log"].push_back(row_json(row));
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

SeriesRow series_of(const Json& json) {
  SeriesRow row;
  json.at("metric").get_to(row.metric);
  json.at("unit").get_to(row.unit);
  from_json(json.at("rank"), row.rank);
  json.at("warmup_n").get_to(row.warmup_n);
  row.values = parse_values(json.at("values_json").get<std::string>()).value();
  return row;
}

// Whether it is what the reader of a trial's own record, and the tables, demand.
bool is_valid(const TrialRecord& record) {
  std::set<std::pair<std::string, std::optional<int>>> series;
  std::set<std::string> telemetry;
  return record.trial.wall_s.value_or(0.0) >= 0.0 &&
         std::ranges::all_of(record.series,
                             [&](const SeriesRow& row) {
                               const protocol::Samples samples{
                                   row.metric, row.unit, row.rank, row.warmup_n, row.values};
                               return protocol::is_name(row.metric) && row.warmup_n >= 0 &&
                                      row.warmup_n <= std::ssize(row.values) &&
                                      row.rank.value_or(0) >= 0 &&
                                      protocol::find_window_problem(samples).empty() &&
                                      series.emplace(row.metric, row.rank).second;
                             }) &&
         std::ranges::all_of(record.telemetry, [&](const TelemetryRow& row) {
           return telemetry.insert(row.name).second;
         });
}

// Whether the store has that very trial still to be finished: begun by the same session, at the
// same time, and neither stored nor put back to the plan since.
bool is_awaited(const Store& store, const TrialRow& trial) {
  const std::vector<TrialRow> known = store.trials(trial.study_id);
  return std::ranges::any_of(known, [&](const TrialRow& row) {
    return row.id == trial.id && row.state == TrialState::kRunning &&
           row.cell_id == trial.cell_id && row.block == trial.block &&
           row.attempt == trial.attempt && row.session_id == trial.session_id &&
           row.started_at == trial.started_at;
  });
}

// Throws std::exception for what is no record.
bool store_text(Store& store, const std::string& text) {
  const Json json = Json::parse(text);
  TrialRecord record;
  record.trial = row_of<TrialRow>(json.at("trial"));
  json.at("id").get_to(record.trial.id);
  for (const Json& row : json.value("series", Json::array())) {
    record.series.push_back(series_of(row));
  }
  for (const Json& row : json.value("telemetry", Json::array())) {
    record.telemetry.push_back(row_of<TelemetryRow>(row));
  }
  for (const Json& row : json.value("log", Json::array())) {
    record.logs.push_back(row_of<LogRow>(row));
  }
  if (!is_awaited(store, record.trial) || !is_valid(record)) {
    return false;
  }
  store.finish_trial(record, json.at("retry").get<bool>());
  return true;
}

}  // namespace

void store_finished(Store& store, const TrialRecord& record, bool retry) {
  const fs::path path = unstored_path(store);
  std::error_code ignored;
  fs::remove(path, ignored);
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file >= 0) {
    const std::string text = format_unstored(record, retry);
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t written = write(file, text.data() + done, text.size() - done);
      if (written <= 0) {
        break;  // a full disk; half a record is none
      }
      done += static_cast<std::size_t>(written);
    }
    close(file);
  }
  store.finish_trial(record, retry);
  fs::remove(path, ignored);
}

bool store_unstored(Store& store) {
  const fs::path path = unstored_path(store);
  std::ifstream file = open_log(path);
  if (!file.is_open()) {
    return false;
  }
  bool is_stored = false;
  std::error_code ignored;
  try {
    is_stored = fs::file_size(path) <= kMostBytes &&
                store_text(store, {std::istreambuf_iterator<char>(file), {}});
  } catch (const Error&) {
    throw;  // the store cannot be written; the file waits for the next run
  } catch (const std::bad_alloc&) {
    throw;                              // the same
  } catch (const std::system_error&) {  // of the stream, or of the file's size
    throw Error(ErrorKind::kStore,
                path.string() +
                    ": cannot be read to its end; look at the disk, or remove the file: its trial "
                    "runs again");
  } catch (const std::exception&) {
    // another program's, or half a record: the trial runs again
  }
  fs::remove(path, ignored);
  return is_stored;
}

}  // namespace scalestudy
