// Runs in tables of wandb and TensorBoard.
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/import/runs/import_runs.h"
#include "harness/store/rows/trial_rows.h"
#include "harness/study/parse.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"

using namespace scalestudy;
using Catch::Contains;

namespace {

const std::string kTableStudy =
    "version: 1\nstudy: logs\nworkload: command\ncommand: [train]\n"
    "axes: {devices: [1, 2]}\nanalysis: {metrics: [{metric: bleu, better: higher}]}\nsteps: ";

// Reads a table named `name`; "" gives what was wrong.
struct Read {
  ReadRuns runs;
  std::string problem;
};

Read read_table(const std::string& name,
                const std::string& text,
                const std::string& from,
                const std::vector<std::string>& column_map,
                const std::string& steps = "{warmup: 1, measured: rest}") {
  const test::TemporaryFolder folder;
  test::write_file(folder.file(name), text);
  const Study study = parse_stored_study(kTableStudy + steps + "\n", "logs.yaml");
  static const Matrix matrix = expand(study);
  Read read;
  try {
    read.runs = read_runs(study,
                          matrix,
                          {.from = folder.path().string() + "/" + from, .column_map = column_map},
                          nullptr);
  } catch (const Error& error) {
    read.problem = error.what();
  }
  return read;
}

const SeriesRow& step_times(const ReadRun& run) {
  return run.record.series.at(0);
}

}  // namespace

TEST_CASE("a table with a column for each run is as many runs", "[import]") {
  // As the workspace of wandb exports a chart.
  const Read read = read_table("chart.csv",
                               "\"Step\",\"1gpu-a - perf/step_time\",\"1gpu-a - "
                               "perf/step_time__MIN\",\"2gpu-b - perf/step_time\"\n"
                               "0,900,900,800\n10,100,100,\n20,110,110,60\n",
                               "chart.csv",
                               {"Step=step", "{devices}gpu-{run} - perf/step_time=step_time_s:ms"});

  INFO(read.problem);
  REQUIRE(read.runs.runs.size() == 2);
  CHECK(read.runs.runs[0].cell->devices == 1);
  CHECK(step_times(read.runs.runs[0]).values == std::vector{0.9, 0.1, 0.11});
  CHECK(step_times(read.runs.runs[0]).warmup_n == 1);
  CHECK(read.runs.runs[1].cell->devices == 2);
  CHECK(step_times(read.runs.runs[1]).values == std::vector{0.8, 0.06});
  CHECK_THAT(read.runs.notes.at(0), Contains("has one row for every 10 steps"));
}

TEST_CASE("a number in the name of a column is one value", "[import]") {
  const Read read = read_table("chart.csv",
                               "Step,ddp-1gpu - t,ddp-2gpu - t,ddp-12gpu - t\n0,100,60,20\n",
                               "chart.csv",
                               {"{run}{devices}gpu - t=step_time_s:ms"});

  CHECK_THAT(read.problem,
             Contains("column \"ddp-12gpu - t\": devices 12 is not in the study, which has 1, 2"));
}

TEST_CASE("a table with runs and axes in columns is divided by them", "[import]") {
  const Read read =
      read_table("all.csv",
                 "Name,gpus,Step,time,loss\na,1,1,9,5\nb,2,1,8,5\na,1,2,0.1,4\n"
                 "b,2,2,0.06,4\n",
                 "all.csv",
                 {"Name=run", "gpus=devices", "Step=step", "time=step_time_s", "loss=loss"});

  INFO(read.problem);
  REQUIRE(read.runs.runs.size() == 2);
  CHECK(read.runs.runs[1].found.values == NamedTexts{{"devices", "2"}, {"run", "b"}});
  CHECK(read.runs.runs[1].record.series.size() == 2);
}

TEST_CASE("a table in a file of its own has its values in its name", "[import]") {
  // As TensorBoard exports a scalar.
  const Read read = read_table("run-2gpu-a-tag-step_time.csv",
                               "Wall time,Step,Value\n1700000000.5,0,9\n1700000001.5,1,0.06\n",
                               "run-{devices}gpu-{run}-tag-*.csv",
                               {"Value=step_time_s", "Step=step"});

  INFO(read.problem);
  REQUIRE(read.runs.runs.size() == 1);
  CHECK(read.runs.runs[0].record.trial.state == TrialState::kOk);
  CHECK(step_times(read.runs.runs[0]).values == std::vector{9.0, 0.06});
}

TEST_CASE("rows of a table count by the numbers of their steps, as lines of a log do", "[import]") {
  std::string text = "s,t,loss\n";
  for (int step = 10; step <= 300; step += 10) {
    text += std::to_string(step) + ".0,50,2\n";  // as pandas writes numbers
  }
  const auto read = [&](const std::string& unit) {
    return read_table("2.csv",
                      text,
                      "{devices}.csv",
                      {"s=step", "t=step_time_s:" + unit, "loss=loss:1"},
                      "{warmup: 15, measured: 285}");
  };
  const Read own = read("ms");
  const Read mean = read("ms/it");
  for (const Read* one : {&own, &mean}) {
    INFO(one->problem);
    const TrialRecord& record = one->runs.runs.at(0).record;
    INFO(record.trial.reason);
    CHECK(record.trial.state == TrialState::kOk);
    CHECK(record.series.at(0).metric == "loss");
    CHECK(record.series.at(0).warmup_n == 1);
    CHECK(record.series.at(1).values.size() == 30);
    CHECK(covered_steps(record.telemetry) == 10.0);
  }
  CHECK(own.runs.runs[0].record.series.at(1).warmup_n == 1);   // steps 1 to 15: the row of 10
  CHECK(mean.runs.runs[0].record.series.at(1).warmup_n == 2);  // and the mean of 11 to 20
  REQUIRE(own.runs.notes.size() == 1);
  CHECK_THAT(own.runs.notes[0], Contains("one row for every 10 steps"));
  CHECK(mean.runs.notes.empty());
}

TEST_CASE("step times that a table lacks are told, unless a mean stands for them", "[import]") {
  std::string text = "s,t\n";
  for (int step = 0; step < 20; ++step) {
    text += std::to_string(step) + (step == 7 || step == 12 ? ",\n" : ",50\n");
  }
  const auto notes = [&](const std::string& unit) {
    return read_table("2.csv", text, "{devices}.csv", {"s=step", "t=step_time_s:" + unit})
        .runs.notes;
  };
  const std::vector<std::string> told = notes("ms");
  REQUIRE(told.size() == 1);
  CHECK_THAT(told[0],
             Contains("2.csv: 2 step times are missing: step_time_s has no value between steps 6 "
                      "and 8, 11 and 13, although most are 1 step apart"));
  CHECK(notes("ms/it").empty());
}

TEST_CASE("a table whose steps are not whole numbers has a step a row, and says so", "[import]") {
  const Read read =
      read_table("2.csv", "s,t\n0.5,9\n1,8\n1.5,7\n", "{devices}.csv", {"s=step", "t=step_time_s"});

  INFO(read.problem);
  CHECK(step_times(read.runs.runs.at(0)).warmup_n == 1);
  REQUIRE(read.runs.notes.size() == 1);
  CHECK_THAT(read.runs.notes[0],
             Contains("2.csv: step_time_s: some rows have no whole number of a step, so no number "
                      "is used: each row is a step"));
}

TEST_CASE("a row of a table with the time of ten steps stands for ten", "[import]") {
  const Read read =
      read_table("2.csv", "t\n900\n500\n400\n", "{devices}.csv", {"t=step_time_s:ms/10it"});

  INFO(read.problem);
  CHECK(step_times(read.runs.runs.at(0)).values[1] == Approx(0.05));
  CHECK(covered_steps(read.runs.runs[0].record.telemetry) == 10.0);
}

TEST_CASE("a row that is longer than the head is refused, empty fields at its end are not",
          "[import]") {
  const std::vector<std::string> columns{"GPUs=devices", "Run=run", "ms=step_time_s:ms"};
  const std::string problem =
      read_table("k.csv", "GPUs,Run,ms\n1,0,1,250.5\n2,0,640.2,\n", "k.csv", columns).problem;
  CHECK_THAT(problem,
             Contains("k.csv:2: this row has 4 fields, but no column after the first 3 has a name. "
                      "Put a number with a comma in quotes: \"1,234\"") &&
                 !Contains("k.csv:3"));
  CHECK_THAT(
      read_table("k.csv", "GPUs,Run,ms,\n1,0,0,412\n", "k.csv", columns).problem,
      Contains("k.csv:2: this row has 4 fields, but no column after the first 3 has a name."));
  CHECK(read_table("k.csv", "GPUs,Run,ms,\n1,0,251.5,noisy\n", "k.csv", columns).problem.empty());

  const Read read =
      read_table("k.csv", "GPUs,Run,ms\n1,0,250.5,,\n1,0,200.5, \n", "k.csv", columns);
  INFO(read.problem);
  REQUIRE(read.runs.runs.size() == 1);
  CHECK(step_times(read.runs.runs[0]).values.size() == 2);
}

TEST_CASE("a row with a value and no run or axis is refused with its line", "[import]") {
  const std::string problem = read_table("b.csv",
                                         "GPUs,Run,ms\n1,a,500\n1,,100\n1,,\n,b,520\n2,b,300\n",
                                         "b.csv",
                                         {"GPUs=devices", "Run=run", "ms=step_time_s:ms"})
                                  .problem;
  CHECK_THAT(problem,
             Contains("b.csv:3: run is blank; write it in every row that has a value") &&
                 Contains("b.csv:5: devices is blank; write it in every row that has a value") &&
                 !Contains("b.csv:4"));
}

TEST_CASE("a step that comes twice is a failed trial that says where", "[import]") {
  const Read read =
      read_table("2.csv", "s,t\n0,9\n1,0.1\n1,0.1\n", "{devices}.csv", {"s=step", "t=step_time_s"});

  REQUIRE(read.runs.runs.size() == 1);
  CHECK(read.runs.runs[0].record.trial.state == TrialState::kFailed);
  CHECK_THAT(read.runs.runs[0].record.trial.reason,
             Contains("line 4: step 1 of step_time_s after step 1. If the run was resumed, keep "
                      "one row for each step"));
}

TEST_CASE("columns that are padded with blanks are read", "[import]") {
  for (const char* column : {"t", "   t"}) {
    const Read read = read_table("2.csv",
                                 "  s,    t\n  0,    9\n  1,  0.1\n  2,\n",
                                 "{devices}.csv",
                                 {"s=step", std::string(column) + "=step_time_s"});

    INFO(read.problem);
    REQUIRE(read.runs.runs.size() == 1);
    CHECK(step_times(read.runs.runs[0]).values == std::vector{9.0, 0.1});
  }
}

TEST_CASE("a clock that is mapped to a time makes the trial fail", "[import]") {
  const Read read = read_table("2.csv",
                               "Wall time,Step\n1700000000.5,0\n1700000001.5,1\n",
                               "{devices}.csv",
                               {"Wall time=step_time_s:s", "Step=step"});

  CHECK(read.runs.runs.at(0).record.trial.state == TrialState::kFailed);
  CHECK_THAT(read.runs.runs[0].record.trial.reason,
             Contains("step_time_s: it is a reading of a clock"));
}

TEST_CASE("commas between thousands are read, and told where they may be decimal ones",
          "[import]") {
  const auto read = [](const std::string& times) {
    return read_table("2.csv",
                      "s,t\n0,\"9,000.5\"\n" + times,
                      "{devices}.csv",
                      {"s=step", "t=step_time_s:ms"})
        .runs;
  };
  const ReadRuns thousands = read("999,\"1,200.5\"\n\"1,000\",41.25\n");
  const std::vector<double>& times = step_times(thousands.runs.at(0)).values;
  REQUIRE(times.size() == 3);
  CHECK(times[1] == Approx(1.2005));
  CHECK(times[2] == Approx(0.04125));
  CHECK(thousands.runs[0].found.table ==
        "step,step_time_s [s]\n0,\"9,000.5\"\n999,\"1,200.5\"\n\"1,000\",41.25\n");

  CHECK(read("1,\"12,345\"\n").notes.empty());
  const Read unclear = read_table("2.csv",
                                  "t,run\n\"12,345\",a\n\"12,346\",a\n\"12,345\",b\n\"12,347\",b\n",
                                  "{devices}.csv",
                                  {"t=step_time_s:ms", "run=run"});
  CHECK(step_times(unclear.runs.runs.at(1)).values == std::vector{12.345, 12.347});
  REQUIRE(unclear.runs.notes.size() == 1);
  CHECK_THAT(unclear.runs.notes[0], Contains("2.csv: every step_time_s has one comma"));
  CHECK_THAT(read("1,\"1,20\"\n").runs.at(0).record.trial.reason,
             Contains("\"1,20\" is not a number"));
}

TEST_CASE("a metric that nothing asks for is told, as of a name that was mistyped", "[import]") {
  const auto notes = [](const std::string& metric) {
    return read_table("2.csv", "t,m\n9,5\n1,4\n", "{devices}.csv", {"t=step_time_s", "m=" + metric})
        .runs.notes;
  };
  CHECK(notes("blue") ==
        std::vector<std::string>{"--map: the study asks for no metric blue (did you mean "
                                 "\"bleu\"?), so it is kept and compared with nothing; it asks for "
                                 "step_time_s, bleu"});
  CHECK(notes("loss").empty());
  CHECK(notes("bleu").empty());
}

TEST_CASE("a value that is no number makes the trial invalid", "[import]") {
  const Read read = read_table("2.csv", "t\n9\nNaN\n", "{devices}.csv", {"t=step_time_s"});

  CHECK(read.runs.runs.at(0).record.trial.state == TrialState::kInvalid);
  CHECK_THAT(read.runs.runs[0].record.trial.reason, Contains("line 3: step_time_s: \"NaN\""));
}

TEST_CASE("a step time of 0 or less makes the trial invalid, and says its line", "[import]") {
  for (const std::string time : {"0", "-3"}) {
    const Read read =
        read_table("2.csv", "t\n9\n8\n" + time + "\n", "{devices}.csv", {"t=step_time_s"});

    CHECK(read.runs.runs.at(0).record.trial.state == TrialState::kInvalid);
    CHECK(read.runs.runs[0].record.trial.reason ==
          "unusable output: line 4: step_time_s: a step cannot take " + time + " s");
  }
}

TEST_CASE("a map of a table that does not fit says what would", "[import]") {
  const auto problem = [](const std::vector<std::string>& column_map) {
    return read_table("2.csv", "a,b\n1,2\n", "{devices}.csv", column_map).problem;
  };
  CHECK_THAT(problem({"a=loss"}), Contains("no column is mapped to step_time_s"));
  CHECK_THAT(problem({"a=step_time_s", "b=step_time_s"}),
             Contains("2.csv:2: two columns have step_time_s of one run: \"b\" is one"));
  CHECK_THAT(problem({"a=step", "b=step"}), Contains("another column is step already"));
  CHECK_THAT(problem({"a=devices", "b=step_time_s"}),
             Contains("2.csv:2: devices is \"1\" here, and 2 in the name of the file"));
  CHECK_THAT(problem({"c=step_time_s"}), Contains("no column is named \"c\"; its columns: a, b"));
  CHECK_THAT(read_table("2.csv", "a;b\n1;2\n", "{devices}.csv", {"b=step_time_s"}).problem,
             Contains("columns: a;b. Save the table with commas between columns"));
  CHECK_THAT(problem({"a=step_time_s:MB"}), Contains("\"MB\" is not a unit of step_time_s"));
  CHECK_THAT(problem({"a=step_time_s", "b=step:ms"}), Contains("only a metric has a unit"));
  CHECK_THAT(problem({"a=step_time_s", "b=speedup"}),
             Contains("--map b=speedup: the analysis computes speedup itself: yours would not be "
                      "compared. Call it printed_speedup"));
}

TEST_CASE("a column that is named in another unit than s needs its unit", "[import]") {
  const auto read = [](const std::string& column, const std::string& meaning) {
    return read_table("1-a.csv",
                      "step," + column + "\n0,900\n1,41\n2,42\n",
                      "{devices}-{run}.csv",
                      {"step=step", column + "=" + meaning});
  };
  for (const char* column : {"time_us", "step (ms)", "samples_per_sec"}) {
    CAPTURE(column);
    CHECK_THAT(read(column, "step_time_s").problem,
               Contains("its name says another unit than s. If it is a time, write its unit, ms or "
                        "us, behind the metric: --map '" +
                        std::string(column) + "=step_time_s:UNIT'"));
  }
  CHECK_THAT(read_table("1.csv",
                        "step,a_ms\n0,900\n1,41\n",
                        "{devices}.csv",
                        {"step=step", "{run}_ms=step_time_s"})
                 .problem,
             Contains("--map '{run}_ms=step_time_s:UNIT'"));
  CHECK_THAT(read("mem_gb", "mem_bytes").problem, Contains("as in mem_bytes:GB"));
  CHECK_THAT(read("bus", "bus_bytes_per_s").problem, Contains("as in bus_bytes_per_s:GB/s"));
  const Read told = read("time_ms", "step_time_s:ms");
  INFO(told.problem);
  CHECK(step_times(told.runs.runs.at(0)).values == std::vector{0.9, 0.041, 0.042});
  for (const char* column : {"time", "time_s", "step time (s)"}) {
    CAPTURE(column);
    CHECK(read(column, "step_time_s").problem.empty());
  }
}
