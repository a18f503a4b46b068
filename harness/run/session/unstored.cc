#include "harness/run/session/unstored.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <set>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/run/process/trial_files.h"
#include "harness/store/lines.h"
#include "workloads/protocol/names.h"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

// More than a record of as many values as a trial may have takes (protocol::ReadLimits).
constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 30U;

fs::path unstored_path(const Store& store) {
  return store.results_folder() / "unstored.json";
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
  const UnstoredTrial trial = parse_unstored(text);
  if (!is_awaited(store, trial.record.trial) || !is_valid(trial.record)) {
    return false;
  }
  store.finish_trial(trial.record, trial.retry);
  return true;
}

// Whether all of the text is written; false on a full disk.
bool write_whole(int file, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = write(file, text.data() + done, text.size() - done);
    if (written <= 0) {
      return false;
    }
    done += static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace

std::optional<std::int64_t> store_finished(Store& store, const TrialRecord& record, bool retry) {
  const fs::path path = unstored_path(store);
  std::error_code ignored;
  fs::remove(path, ignored);
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file >= 0) {
    const bool is_whole = write_whole(file, format_unstored(record, retry));
    close(file);
    if (!is_whole) {  // half a record is none, and the store may need its room
      fs::remove(path, ignored);
    }
  }
  const std::optional<std::int64_t> next = store.finish_trial(record, retry);
  fs::remove(path, ignored);
  return next;
}

bool has_unstored(const Store& store) {
  std::error_code ignored;
  return fs::exists(unstored_path(store), ignored);
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
