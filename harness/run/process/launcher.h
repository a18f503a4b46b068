// Interface to processes: launches one trial, watches its deadlines, leaves nothing running.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace scalestudy {

struct LaunchRequest {
  std::vector<std::string> argv;                   // argv[0] is looked up in PATH
  std::map<std::string, std::string> environment;  // added to (or replacing) the harness's own
  std::vector<std::string> unset_environment;      // names of the harness's own that are left out
  std::filesystem::path working_folder;            // to start in; "": the harness's own
  std::filesystem::path stdout_path;
  std::filesystem::path stderr_path;
  std::filesystem::path output_path;  // the trial protocol's file; watched for silence too
  double timeout_s = 600.0;
  double silence_s = 120.0;  // how long none of the three files may grow
  // The most bytes that each of the three files may have; a trial that writes more is ended.
  std::int64_t most_bytes = std::int64_t{4} << 30;
  double after_stop_s = 0.0;  // how long the trial may go on once `stop` is set
  // Called about five times a second while the trial runs; may be empty.
  std::function<void()> look;
};

// A look at a log at which it was longer than at the one before.
struct LogGrowth {
  double at_s = 0.0;  // on the monotonic clock
  std::int64_t bytes = 0;
  std::int64_t look = 0;  // number of the look: how many there were between two growths
};

enum class LaunchEnding {
  kExited,       // exit_code is set
  kSignaled,     // signal is set
  kTimeout,      // ended by us: wall deadline
  kSilence,      // ended by us: silence deadline
  kTooLong,      // ended by us: the file that message names was cut at most_bytes
  kInterrupted,  // ended by us: `stop` was set
  kNotStarted,   // argv[0] is missing or could not be executed; message says why
};

struct LaunchResult {
  LaunchEnding ending = LaunchEnding::kNotStarted;
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::string message;
  double wall_s = 0.0;
  double cpu_s = 0.0;          // user + system time of the trial's processes, as far as reaped
  double system_s = 0.0;       // the part of cpu_s that was spent in the kernel
  double max_rss_bytes = 0.0;  // resident memory of the largest process, at its most
  int left_processes = 0;      // processes that outlived argv[0] and were ended by us
  bool is_disk_full = false;   // at the end, the disk that stdout is on
  std::vector<LogGrowth> out_growth{};  // of stdout, from the start; the first some thousands
  std::vector<LogGrowth> err_growth{};
};

class Launcher {
 public:
  Launcher() = default;
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;
  virtual ~Launcher() = default;

  // Blocks until every process of the trial is gone. Never throws for what the trial does.
  virtual LaunchResult launch(const LaunchRequest& request, const std::atomic<bool>& stop) = 0;
};

}  // namespace scalestudy
