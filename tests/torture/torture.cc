// Runs small studies with the real program and disturbs each run in one random way: kills, stops,
// closed descriptors, full, read-only and slow disks, another writer, a wall clock that jumps,
// trials that print what no program should; or what comes from outside is damaged (surfaces.h).
// Then runs the study to its end and looks for what is lost, doubled, left behind, or cannot be
// reported, which runs were ended by what should only disturb them, and which verbs neither did
// what was asked nor said why: all must be 0. Full disks need root, slow ones and kills at system
// calls strace; without these the others are drawn.
//   usage: torture COUNT [SEED]
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <sqlite3.h>

#include "harness/base/error.h"
#include "harness/store/store.h"
#include "tests/torture/surfaces.h"

namespace {

using namespace scalestudy;
using namespace scalestudy::test;

class Torturer {
 public:
  explicit Torturer(unsigned seed) : random_(seed) {}

  // Runs once with one disturbance and says which.
  std::string disturb(TorturedStudy& study, Counts& counts) {
    std::vector<std::function<std::string(TorturedStudy&, Counts&)>> ways = {
        [&](auto& s, auto& c) { return signal(s, c, SIGKILL, 1); },
        [&](auto& s, auto& c) { return signal(s, c, SIGKILL, 2); },
        [&](auto& s, auto& c) { return signal(s, c, SIGKILL, 3); },
        [&](auto& s, auto& c) { return signal(s, c, below(2) == 0 ? SIGTERM : SIGHUP, 1); },
        [&](auto& s, auto& c) { return signal(s, c, SIGSTOP, 1 + below(2)); },
        [&](auto& s, auto& c) { return descriptors(s, c); },
        [&](auto& s, auto& c) { return disk(s, c); },
        [&](auto& s, auto& c) { return writer(s, c); },
        [&](auto& s, auto& c) { return system_call(s, c); },
        [&](auto& s, auto& c) { return slow_disk(s, c); },
        [&](auto& s, auto& c) { return wild_clock(s, c); },
    };
    for (const Surface& surface : surfaces()) {
      ways.emplace_back([&](auto& s, auto& c) { return surface(s, random_, c); });
    }
    return ways.at(below(static_cast<unsigned>(ways.size())))(study, counts);
  }

 private:
  unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }

  // To the harness (1), the supervisor (2) or both (3).
  std::string signal(TorturedStudy& study, Counts& counts, int number, unsigned whom) {
    const pid_t harness = study.start("run");
    pause_ms(below(1500));
    const pid_t supervisor = supervisor_of(harness);
    const auto send_all = [&](int what) {
      send((whom & 2U) != 0 ? supervisor : 0, what);
      send((whom & 1U) != 0 ? harness : 0, what);
    };
    send_all(number);
    if (number == SIGSTOP) {
      pause_ms(below(400));
      send_all(SIGCONT);
    }
    end_of(harness, counts);
    return std::string(sigabbrev_np(number)) + " to " +
           (whom == 1   ? "harness"
            : whom == 2 ? "supervisor"
                        : "both");
  }

  std::string descriptors(TorturedStudy& study, Counts& counts) {
    static const std::vector<std::string> kWays = {
        "<&-", ">&-", "2>&-", "<&- >&- 2>&-", "2>/dev/full >/dev/full", "2>&1 | head -c 10"};
    const std::string& way = kWays[below(static_cast<unsigned>(kWays.size()))];
    expect_end(study, study.start("run", way), counts);
    return way;
  }

  // Full, then read-only for a while.
  std::string disk(TorturedStudy& study, Counts& counts) {
    if (std::filesystem::exists(study.results() / "results.db") || !study.mount_disk("size=600k")) {
      return signal(study, counts, SIGKILL, 1);
    }
    end_of(study.start("run"), counts);
    study.mount_disk("size=64m");
    const pid_t harness = study.start("run");
    pause_ms(below(800));
    study.mount_disk("ro,size=64m");
    end_of(harness, counts);
    study.mount_disk("size=64m");
    return "full and read-only disk";
  }

  std::string writer(TorturedStudy& study, Counts& counts) {
    const pid_t harness = study.start("run");
    const std::filesystem::path file = study.results() / "results.db";
    wait_until([&] { return std::filesystem::exists(file); }, 5.0);
    pause_ms(below(300));
    sqlite3* other = nullptr;
    sqlite3_open(file.c_str(), &other);
    sqlite3_busy_timeout(other, 2000);
    sqlite3_exec(other, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr);
    const bool is_long = below(20) == 0;  // longer than the harness waits for a lock
    pause_ms(is_long ? 12'000 : below(1000));
    sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr);
    sqlite3_close(other);
    expect_end(study, harness, counts);
    return is_long ? "another writer for 12 s" : "another writer";
  }

  // Every write of the database waits as if for a busy disk, every one that must reach it longer.
  std::string slow_disk(TorturedStudy& study, Counts& counts) {
    if (!has_strace()) {
      return signal(study, counts, SIGKILL, 3);
    }
    expect_end(
        study,
        study.start("run",
                    "",
                    {"strace",
                     "-qq",
                     "-o",
                     "/dev/null",
                     "-e",
                     "trace=pwrite64,fsync,fdatasync",
                     "-e",
                     "inject=pwrite64:delay_enter=" + std::to_string(below(10'000)),
                     "-e",
                     "inject=fsync,fdatasync:delay_enter=" + std::to_string(below(200'000))}),
        counts);
    return "slow disk";
  }

  // The harness reads another time of day each time.
  std::string wild_clock(TorturedStudy& study, Counts& counts) {
    const pid_t harness = study.start("run", "", {"env", "LD_PRELOAD=" SCALESTUDY_WILD_CLOCK});
    if (below(2) == 0) {
      pause_ms(below(1500));
      send(harness, SIGKILL);
      end_of(harness, counts);
      return "wild clock and SIGKILL";
    }
    expect_end(study, harness, counts);
    return "wild clock";
  }

  static bool has_strace() {
    return std::system("command -v strace > /dev/null 2>&1") == 0;  // NOLINT(cert-env33-c)
  }

  // Killed at the n-th call of one kind, where bytes reach the disk or a process begins.
  std::string system_call(TorturedStudy& study, Counts& counts) {
    if (!has_strace()) {
      return signal(study, counts, SIGKILL, 3);
    }
    static const std::vector<std::string> kCalls = {"pwrite64",
                                                    "fdatasync",
                                                    "fsync",
                                                    "ftruncate",
                                                    "unlink",
                                                    "openat",
                                                    "write",
                                                    "clone",
                                                    "fcntl"};
    const std::string& call = kCalls[below(static_cast<unsigned>(kCalls.size()))];
    const std::string n = std::to_string(1 + below(300));
    end_of(study.start("run",
                       "",
                       {"strace",
                        "-qq",
                        "-o",
                        "/dev/null",
                        "-e",
                        "trace=" + call,
                        "-e",
                        "inject=" + call + ":signal=KILL:when=" + n}),
           counts);
    return "SIGKILL at " + call + " " + n;
  }

  std::mt19937 random_;
};

// What is wrong with the finished study.
void judge(const TorturedStudy& study, Counts& counts) {
  const Store store = Store::open_read_only(study.results());
  std::map<std::pair<std::int64_t, std::int64_t>, int> ok;  // attempts by cell and block
  for (const TrialRow& trial : store.trials(store.find_study("tortured")->id)) {
    int& known = ok[{trial.cell_id, trial.block}];
    if (trial.state == TrialState::kOk) {
      ++known;
      const std::vector<SeriesRow> series = store.series(trial.id);
      counts.doubled += series.size() > 1 ? 1 : 0;
      const bool is_whole =
          series.size() == 1 && series[0].values == std::vector<double>{3.0, 1.0, 2.0};
      counts.lost += is_whole ? 0 : 1;
    } else {
      const bool is_open =
          trial.state == TrialState::kPlanned || trial.state == TrialState::kRunning;
      counts.lost += is_open ? 1 : 0;
    }
  }
  for (const auto& [place, times] : ok) {
    counts.doubled += times > 1 ? 1 : 0;
  }
  counts.lost += 6 * kBlocks - static_cast<int>(ok.size());
}

// To the end without a disturbance. A study whose trials failed (deep records, an interrupted disk)
// exits with 3.
void finish(const TorturedStudy& study, Counts& counts) {
  expect_end(study, study.start("run"), counts);
  const auto is_empty = [&] { return study.left_behind().empty(); };
  counts.orphaned += wait_until(is_empty, 10.0) ? 0 : 1;
  try {
    judge(study, counts);
  } catch (const Error& error) {
    std::printf("no store: %s\n", error.what());
    ++counts.lost;
  }
  if (const int report = end_of(study.start("report"), counts); report != 0) {
    std::printf("report exits with %d:\n%s\n", report, read_file(study.err()).c_str());
    ++counts.unreportable;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 20;  // NOLINT(cert-err34-c)
  const unsigned seed = argc > 2 ? static_cast<unsigned>(std::stoul(argv[2])) : 20261122U;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  Torturer torturer(seed);
  std::map<std::string, int> done;
  Counts counts;
  for (int disturbances = 0; disturbances < count;) {
    TorturedStudy study;
    const int before = counts.sum();
    std::string how;
    for (int i = 0; i < 3 && disturbances < count; ++i, ++disturbances) {
      const std::string way = torturer.disturb(study, counts);
      how += (how.empty() ? "" : ", then ") + way;
      ++done[way.starts_with("SIGKILL at") ? way.substr(0, way.rfind(' ')) : way];
    }
    finish(study, counts);
    if (counts.sum() > before) {
      std::printf("^ after %s\n", how.c_str());
      std::fflush(stdout);
    }
  }
  for (const auto& [way, times] : done) {
    std::printf("%5d  %s\n", times, way.c_str());
  }
  std::printf(
      "torture: %d disturbances, seed %u: lost %d, doubled %d, orphaned %d, unreportable %d, "
      "ended %d, unanswered %d, hung %d\n",
      count,
      seed,
      counts.lost,
      counts.doubled,
      counts.orphaned,
      counts.unreportable,
      counts.ended,
      counts.unanswered,
      counts.hung);
  return counts.sum() == 0 ? 0 : 1;
}
