// A study of which a Slurm of tests (slurm.h) runs the jobs, and what they left.
#pragma once

#include <string>
#include <vector>

#include <sys/stat.h>

#include "tests/submit/slurm.h"

namespace scalestudy::test {

// A study and its results folder on which this Slurm's jobs work.
class SubmittedStudy {
 public:
  // results  "": in a folder of its own.
  SubmittedStudy(const Slurm& slurm, const std::string& text, const std::string& results = "")
      : slurm_(slurm), results_(results.empty() ? folder_.file("results") : results) {
    write_file(file("study.yaml"), text);
    write_file(file("machines.yaml"),
               "machines: {test: {cores_per_node: 2, sbatch: [--exclusive]}}\n");
  }

  // Makes jobs that are submitted from here on wait for Slurm::begin().
  void hold() const {
    write_file(file("machines.yaml"),
               "machines: {test: {cores_per_node: 2, sbatch: [--exclusive, --hold]}}\n");
  }

  std::string file(const std::string& name) const { return folder_.file(name); }
  std::string results() const { return results_; }
  std::filesystem::path job(int number) const {
    return std::filesystem::path(results_) / "jobs/two-nodes" / ("job" + std::to_string(number));
  }

  ProgramResult scalestudy(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(),
                     {SCALESTUDY_TEST_BIN "/scalestudy", "--results", results()});
    return slurm_.run(arguments);
  }

  void submit(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{
        "submit", file("study.yaml"), "--machine", file("machines.yaml")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramResult submitted = scalestudy(arguments);
    INFO(submitted.err);
    REQUIRE(submitted.exit_code == 0);
  }

  void gather() const {
    const ProgramResult gathered = scalestudy({"submit", "two-nodes", "--gather"});
    INFO(gathered.err);
    REQUIRE(gathered.exit_code == 0);
  }

  pid_t start_gathering(const std::string& name) const {
    return start_program({SCALESTUDY_TEST_BIN "/scalestudy",
                          "--results",
                          results(),
                          "submit",
                          "two-nodes",
                          "--gather"},
                         slurm_.variables(),
                         "/dev/null",
                         file("gatherer" + name + ".out"),
                         file("gatherer" + name + ".err"));
  }

  std::string query(const std::string& sql) const {
    return scalestudy({"query", "--format", "csv", sql}).out;
  }

  // Every trial that counts; the same for an interrupted study as for one that was left alone.
  std::string outcome() const {
    return query(
        "SELECT cell, nodes, block, position, state, hosts, reason, count(*) FROM trials "
        "WHERE NOT superseded GROUP BY cell, nodes, block, position, state, hosts, reason "
        "ORDER BY position");
  }

  // The bytes of an export of these jobs' stores, merged in that order.
  std::string merged(const std::string& name, const std::vector<int>& order) const {
    std::vector<std::string> merge{
        SCALESTUDY_TEST_BIN "/scalestudy", "--results", file(name), "merge"};
    for (const int number : order) {
      merge.push_back(job(number));
    }
    const ProgramResult taken = slurm_.run(merge);
    INFO(taken.err);
    REQUIRE(taken.exit_code == 0);
    const ProgramResult exported = slurm_.run({SCALESTUDY_TEST_BIN "/scalestudy",
                                               "--results",
                                               file(name),
                                               "export",
                                               "two-nodes",
                                               file(name + "-text")});
    INFO(exported.err);
    REQUIRE(exported.exit_code == 0);
    return slurm_
        .run({"sh", "-c", "cd " + file(name + "-text") + " && cat $(find . -type f | sort)"})
        .out;
  }

  std::string logs() const {
    return slurm_.run({"sh", "-c", "tail -n 20 " + results() + "/jobs/*/job*/slurm.log"}).out;
  }

  // Waits until every job is done; submits again what is left, as a user would.
  bool finish() const {
    for (int times = 0; times < 8; ++times) {
      slurm_.resume_nodes();
      if (!slurm_.wait_for_all(kLongS)) {
        return false;
      }
      if (scalestudy({"submit", "two-nodes"}).err.find("every job is done") != std::string::npos) {
        return true;
      }
    }
    return false;
  }

  // The jobs that have a trial running.
  std::vector<int> running() const {
    std::vector<int> numbers;
    for (int number = 1; std::filesystem::exists(job(number)); ++number) {
      if (!processes_with(mark(number)).empty()) {
        numbers.push_back(number);
      }
    }
    return numbers;
  }

  // Ids of the processes of the study's trials, in whichever job.
  std::vector<int> left_behind() const {
    std::vector<int> all;
    for (int number = 1; std::filesystem::exists(job(number)); ++number) {
      for (const int process : processes_with(mark(number))) {
        all.push_back(process);
      }
    }
    return all;
  }

  // Lets that job begin and waits until a trial of it runs; false if that takes too long.
  bool wait_for_trial(int number) const {
    const bool is_running = wait_until(
        [&] {
          usleep(20'000);
          slurm_.begin(number);
          return !processes_with(mark(number)).empty();
        },
        kLongS);
    if (!is_running) {
      UNSCOPED_INFO(slurm_.run({"sh", "-c", "squeue -r -o '%F_%K %A %T %r %S'; sinfo -N -l"}).out
                    << slurm_.log());
    }
    return is_running;
  }

 private:
  // The entry of the environment that the trials of that job carry.
  std::string mark(int number) const {
    struct stat status {};
    stat(job(number).c_str(), &status);
    return "SCALESTUDY_STORE=" + job(number).string() + "#" + std::to_string(status.st_ino);
  }

  const Slurm& slurm_;
  TemporaryFolder folder_;
  std::string results_;
};

}  // namespace scalestudy::test
