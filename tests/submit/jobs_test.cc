#include "harness/submit/jobs.h"

#include <array>

#include <SQLiteCpp/SQLiteCpp.h>

#include "harness/base/error.h"
#include "harness/store/merge/merge.h"
#include "harness/study/matrix/matrix.h"
#include "harness/study/parse.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"

using namespace scalestudy;
using namespace scalestudy::test;
using Catch::Contains;

namespace {

constexpr const char* kStudy = R"(version: 1
study: demo
workload: train
parameters: {model: mlp-258k, batch_global: 64}
zip: [{nodes: 1, devices: 1, threads: 1}, {nodes: 1, devices: 4, threads: 1},
      {nodes: 2, devices: 4, threads: 3}]
trials: {count: 5}
limits: {timeout: 100s}
)";

Study study_of(const std::string& text) {
  ParsedStudy parsed = parse_study(text, "demo.yaml", {});
  INFO(format_problems(parsed.problems, text, "demo.yaml"));
  REQUIRE(parsed.problems.empty());
  return parsed.study;
}

std::string refusal(const Study& study, Store& store, std::int64_t blocks_per_job) {
  try {
    prepare_jobs(study, store, blocks_per_job, "host");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("each job's store has the blocks of one plan that are its own", "[submit]") {
  const TemporaryFolder folder;
  const Study study = study_of(kStudy);
  Store store = Store::open(folder.path());

  prepare_jobs(study, store, 2, "host");
  prepare_jobs(study, store, 2, "host");  // as when it is submitted again

  const std::vector<std::string> stores = job_stores(folder.path(), "demo");
  REQUIRE(stores.size() == 3);
  const std::string plans = "SELECT DISTINCT plan FROM trial";
  for (std::size_t job = 0; job < stores.size(); ++job) {
    const Store own = Store::open_read_only(stores[job]);
    CHECK(own.query("SELECT min(block), max(block), count(*) FROM trial").rows.at(0) ==
          std::vector<Field>{std::int64_t(2 * job),
                             std::min<std::int64_t>(std::int64_t(2 * job) + 1, 4),
                             std::int64_t{job == 2 ? 3 : 6}});
    CHECK(own.query(plans).rows == store.query(plans).rows);
    const Merged merged = merge({.name = "all", .content = store.content()},
                                {.name = "job", .content = own.content()});
    CHECK_FALSE(merged.has_changed);
  }
  // How many ranks fit the machine that plans says nothing of the nodes.
  CHECK(store.query("SELECT max(oversubscribed) FROM cell").rows.at(0).at(0) ==
        Field(std::int64_t{0}));
}

TEST_CASE("a study that an earlier version submitted and read otherwise is that study",
          "[submit]") {
  const auto study = [](const std::string& limit) {
    return study_of(
        "version: 1\nstudy: demo\nworkload: command\ncommand: [a]\nextract: [{metric: step_time_s, "
        "from: wall_time}, {metric: latency_s, unit: ms, regex: '(.*)'}]\nanalysis: {metrics: "
        "[{metric: latency_s, better: lower}], within: {latency_s: " +
        limit + "}}\ntrials: {count: 4}\n");
  };
  const TemporaryFolder folder;
  Store store = Store::open(folder.path());
  prepare_jobs(study("9"), store, 2, "host");
  SQLite::Database(folder.path() / "results.db", SQLite::OPEN_READWRITE)
      .exec("UPDATE study SET source_text = replace(source_text, ': 9}', ': 9 ms}')");

  CHECK(refusal(study("9 ms"), store, 2).empty());  // took 9 ms for 9 s
  CHECK_THAT(refusal(study("8 ms"), store, 2), Contains("is not the one of that name"));
}

TEST_CASE("more trials of a submitted study are those of further jobs", "[submit]") {
  const TemporaryFolder folder;
  const auto with_count = [](const std::string& count) {
    std::string text = kStudy;
    return study_of(text.replace(text.find("count: 5"), 8, "count: " + count));
  };
  Store store = Store::open(folder.path());
  prepare_jobs(with_count("5"), store, 1, "host");

  CHECK_THAT(refusal(with_count("4"), store, 1), Contains("trials.count 5, which may only grow"));
  prepare_jobs(with_count("7"), store, 1, "host");

  const std::vector<std::string> stores = job_stores(folder.path(), "demo");
  REQUIRE(stores.size() == 7);
  CHECK(Store::open_read_only(stores.back())
            .query("SELECT min(block), max(block), count(*) FROM trial")
            .rows.at(0) == std::vector<Field>{std::int64_t{6}, std::int64_t{6}, std::int64_t{3}});
  for (const std::string& job : stores) {
    const StoreContent merged =
        merge({.name = "all", .content = store.content()},
              {.name = "job", .content = Store::open_read_only(job).content()})
            .content;
    CHECK_THAT(merged.studies.at(0).study.source_text, Contains("count: 7"));
  }

  // The third of these jobs has block 5, and was made without block 6.
  const TemporaryFolder other;
  Store pairs = Store::open(other.path());
  prepare_jobs(with_count("5"), pairs, 2, "host");
  CHECK_THAT(refusal(with_count("7"), pairs, 2), Contains("block 6") && Contains("job 3, which"));
}

// A study without the limit has the hash of one with 10min.
TEST_CASE("a limit that only some jobs would have is refused", "[submit]") {
  const TemporaryFolder folder;
  const auto with_limits = [](const std::string& limits) {
    std::string text = kStudy;
    return study_of(text.erase(text.find("limits:")) + limits);
  };
  Store store = Store::open(folder.path());
  prepare_jobs(with_limits(""), store, 2, "host");

  CHECK(refusal(with_limits(""), store, 2).empty());
  CHECK_THAT(refusal(with_limits("limits: {timeout: 10min}\n"), store, 2),
             Contains("limits.timeout: (not given) -> 600 s"));
}

TEST_CASE("what jobs could not do together is refused", "[submit]") {
  const TemporaryFolder folder;
  const Study study = study_of(kStudy);
  Store store = Store::open(folder.path());
  Study adaptive = study;
  adaptive.trials.until = 0.02;
  CHECK_THAT(refusal(adaptive, store, 1), Contains("stops by what its trials say"));

  adaptive.trials.count = 9;
  adaptive.trials.until.reset();
  adaptive.trials.is_for_verdicts = true;
  CHECK_THAT(refusal(adaptive, store, 1), Contains("trials={count: 9}"));

  prepare_jobs(study, store, 2, "host");

  CHECK_THAT(refusal(study, store, 3), Contains("submitted with 2 block(s) a job"));
  Study other = study;
  other.steps.measured = 7;
  CHECK_THAT(refusal(other, store, 2), Contains("is not the one of that name"));
  CHECK_THROWS_AS(require_not_submitted(study, store), Error);

  // What was planned behind the blocks that the jobs have is for `run`.
  const std::int64_t id = store.find_study("demo")->id;
  SessionRow session;
  session.study_id = id;
  session.started_at = "2026-11-23T07:00:00Z";
  const std::int64_t session_id = store.begin_session(session, {});
  std::vector<TrialRow> trials = store.trials(id);
  for (const TrialRow& trial : trials) {
    store.mark_running(trial.id, session_id, session.started_at);
    TrialRecord record;
    record.trial = trial;
    record.trial.session_id = session_id;
    record.trial.state = TrialState::kOk;
    store.finish_trial(record, /*retry=*/false);
  }
  trials.resize(1);
  trials.front().block = 5;  // of 0 to 4, two a job: the third has one
  store.extend_plan(id, trials);
  CHECK_NOTHROW(require_not_submitted(study, store));

  std::filesystem::remove_all(jobs_folder(folder.path(), "demo"));
  CHECK_NOTHROW(require_not_submitted(study, store));
}

TEST_CASE("a job's failed trials are counted, and not those that a later attempt replaced",
          "[submit]") {
  const TemporaryFolder folder;
  Store store = Store::open(folder.path());
  prepare_jobs(study_of(kStudy), store, 2, "host");
  Store job = Store::open(job_stores(folder.path(), "demo").at(1));
  const std::int64_t id = job.find_study("demo")->id;
  SessionRow session;
  session.study_id = id;
  session.started_at = "2026-11-23T07:00:00Z";
  const std::int64_t session_id = job.begin_session(session, {});
  const std::vector<TrialRow> trials = job.trials(id);
  for (std::size_t i = 0; i < 3; ++i) {
    job.mark_running(trials.at(i).id, session_id, session.started_at);
    TrialRecord record;
    record.trial = trials.at(i);
    record.trial.session_id = session_id;
    record.trial.state = std::array{TrialState::kTimeout, TrialState::kOk, TrialState::kFailed}[i];
    job.finish_trial(record, /*retry=*/i == 2);
  }

  const std::vector<StudyJob> jobs = study_jobs(folder.path(), "demo");

  REQUIRE(jobs.size() == 3);
  CHECK(jobs.at(0).failed == 0);
  CHECK(jobs.at(1).failed == 1);
  CHECK(jobs.at(1).left == 4);
}

TEST_CASE("a job asks for the cell that needs most, and twice the time that was taken",
          "[submit]") {
  const Study study = study_of(kStudy);
  MachineProfile machine;

  JobRequest request = job_request(study, nullptr, machine, 2);

  CHECK(request.nodes == 2);
  CHECK(request.tasks_per_node == 4);  // devices 4 on one node
  CHECK(request.cores_per_task == 2);  // 2 ranks of 3 threads are 6 cores, in 4 tasks
  CHECK(request.gpus_per_node == 0);
  CHECK(request.time_limit_s == 2 * 3 * 100.0 + 300.0);
  machine.time_limit_s = 600.0;
  CHECK(job_request(study, nullptr, machine, 2).time_limit_s == 600.0);

  const TemporaryFolder folder;
  Store store = Store::open(folder.path());
  prepare_jobs(study, store, 1, "host");
  const std::int64_t id = store.find_study("demo").value().id;
  SessionRow session;
  session.study_id = id;
  session.started_at = "2026-11-21T10:00:00Z";
  const std::int64_t session_id = store.begin_session(session, {});
  TrialRecord record;
  record.trial = store.trials(id).front();
  store.mark_running(record.trial.id, session_id, "2026-11-21T10:00:01Z");
  record.trial.state = TrialState::kOk;
  record.trial.wall_s = 10.0;
  store.finish_trial(record, false);

  CHECK(job_request(study, &store, {}, 1).time_limit_s == 2 * 10.0 + 2 * 100.0 + 300.0);
}

// In the second of two jobs that have room for 100 blocks is one cell of the three.
TEST_CASE("a job asks for the time of the blocks that one really has", "[submit]") {
  Study study = study_of(kStudy);
  CHECK(job_request(study, nullptr, {}, 100).time_limit_s == 5 * 3 * 100.0 + 300.0);

  Addition addition;
  addition.cell = expand(study).cells.front().hash;
  addition.first_block = 100;
  addition.blocks = 5;
  study.additions.push_back(addition);
  CHECK(job_request(study, nullptr, {}, 100).time_limit_s == 5 * 3 * 100.0 + 300.0);
}

TEST_CASE("GPUs of a job are those of the ranks on a node, or the machine's for a command",
          "[submit]") {
  MachineProfile machine;
  machine.gpus_per_node = 8;
  machine.cores_per_node = 64;
  const Study train = study_of(
      "version: 1\nstudy: demo\nworkload: train\n"
      "parameters: {model: mlp-258k, batch_global: 64, backend: cuda}\n"
      "zip: [{nodes: 2, devices: 8}]\ntrials: {count: 2}\n");
  const JobRequest request = job_request(train, nullptr, machine, 1);
  CHECK(request.gpus_per_node == 4);
  CHECK(request.cores_per_task == 8);  // an eighth of the node's cores each

  const Study command = study_of(
      "version: 1\nstudy: demo\nworkload: command\ncommand: [run, \"{node_rank}\"]\n"
      "axes: {nodes: [2]}\nparameters: {devices: 2}\ntrials: {count: 2}\n");
  const JobRequest whole = job_request(command, nullptr, machine, 1);
  CHECK(whole.gpus_per_node == 8);
  CHECK(whole.tasks_per_node == 1);
  CHECK(whole.cores_per_task == 64);
}

TEST_CASE("a number of blocks a job that is none is an error with its file", "[submit]") {
  const TemporaryFolder folder;
  std::filesystem::create_directories(jobs_folder(folder.path(), "demo"));
  const auto path = jobs_folder(folder.path(), "demo") / "blocks_per_job";

  for (const char* text : {"0", "-2", "abc", "", "9223372036854775807"}) {
    CAPTURE(text);
    std::ofstream(path) << text << "\n";
    CHECK_THROWS_WITH(submitted_blocks_per_job(folder.path(), "demo"),
                      Contains(path.string() + ": this is not a number of blocks from 1"));
  }
  std::ofstream(path) << "3\n";
  CHECK(submitted_blocks_per_job(folder.path(), "demo") == 3);
}

TEST_CASE("jobs after one whose folder is gone are still known", "[submit]") {
  const TemporaryFolder folder;
  const Study study = study_of(kStudy);
  Store store = Store::open(folder.path());
  prepare_jobs(study, store, 2, "host");
  const std::filesystem::path jobs = jobs_folder(folder.path(), "demo");
  const std::string second = job_folder(jobs, 2).string();
  Store own = Store::open(second);
  CHECK(ended_in_jobs(jobs, "demo").empty());
  TrialRecord record;
  record.trial = own.trials(own.find_study("demo")->id).front();
  record.trial.state = TrialState::kOk;
  own.finish_trial(record, /*retry=*/false);

  std::filesystem::remove_all(job_folder(jobs, 1));

  CHECK(job_stores(folder.path(), "demo").front() == second);
  const std::vector<StudyJob> told = study_jobs(folder.path(), "demo");
  REQUIRE(told.size() == 2);
  CHECK(told.front().job == 2);
  CHECK(sum_over(told, &StudyJob::ended) == 1);
  const auto ended = ended_in_jobs(jobs, "demo");
  REQUIRE(ended.size() == 1);
  CHECK(ended.begin()->second == record.trial.block);
  CHECK_THROWS_AS(require_not_submitted(study, store), Error);
}
