// Presets of benchmarks against tables in their shape, and what a trial of theirs must not mix.
#include "tests/run/outcome/preset_output.h"

using namespace scalestudy;
using test::found;
using test::record_of;
using test::Values;

namespace {

// Of a trial that another attempt would not mend; "" if there is none.
std::string problem_of(const std::string& extract, const std::string& out) {
  const protocol::Record record = record_of(extract, out);
  CHECK(record.problems.size() <= 1);
  CHECK(record.has_bad_numbers != record.problems.empty());
  return record.problems.empty() ? "" : record.problems.front();
}

std::string nccl_row(const std::string& size, const std::string& type, const std::string& time) {
  return "     " + size + "       2097152     " + type + "     -1    " + time +
         "   39.07   68.37      0    211.4   39.68   69.43      0\n";
}

std::string hyperfine_result(const std::string& command) {
  return "    {\n      \"command\": \"" + command +
         "\",\n      \"mean\": 0.1015,\n      \"times\": [\n        0.1012,\n        0.1018\n"
         "      ]\n    }\n";
}

const std::string kOsu = "\n# OSU MPI Allreduce Latency Test v7.3\n# Datatype: MPI_CHAR.\n";
const std::string kImb =
    "# Benchmarking Allreduce \n# #processes = 2 \n#---------\n"
    "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n"
    "            0         1000         0.03         0.05         0.03\n";
const std::string kWriteBandwidth =
    " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n";

}  // namespace

TEST_CASE("preset nccl-tests reads out-of-place columns, with and without a root", "[run]") {
  const std::string head =
      "#       size         count      type   redop    root     time   algbw   busbw #wrong     "
      "time "
      "  algbw   busbw #wrong\n"
      "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            "
      "(us) "
      " (GB/s)  (GB/s)       \n";
  CHECK(
      found(
          "{preset: nccl-tests}",
          head +
              "     8388608       2097152     float     sum      -1    214.7   39.07   68.37      "
              "0    211.4   39.68   69.43      0\n"
              "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 68.9 \n") ==
      Values{
          {"step_time_s", {214.7e-6}}, {"algbw_gb_per_s", {39.07}}, {"busbw_gb_per_s", {68.37}}});
  CHECK(
      found(
          "{preset: nccl-tests}",
          "     1048576        262144     float     sum    31.20   33.61   58.82    N/A    30.90   "
          "33.93   59.38  4e-07\n")
          .at("busbw_gb_per_s") == std::vector<double>{58.82});
  CHECK(
      found("{preset: nccl-tests}",
            "  1073741824     268435456     float                 12345   86.98   86.98      0    "
            "12300   87.30   87.30      0\n")
          .at("step_time_s") == std::vector<double>{12345e-6});
}

TEST_CASE("a trial of nccl-tests has one size, one type and one operation", "[run]") {
  const std::string row = nccl_row("1048576", "float     sum", "100.0");

  // Rounds of one size.
  CHECK(problem_of("{preset: nccl-tests}", row + nccl_row("1048576", "float     sum", "300.0"))
            .empty());
  CHECK(problem_of("{preset: nccl-tests}", row + nccl_row("2097152", "float     sum", "200.0")) ==
        "stdout line 2: a second size in one trial, 2097152 after 1048576: give one size a trial, "
        "e.g. -b {size} -e {size} and axes: {size: [1M, 2M]}");
  CHECK_THAT(problem_of("{preset: nccl-tests}", row + nccl_row("1048576", "half     sum", "60.0")),
             Catch::StartsWith("stdout line 2: a second type in one trial, half after float: "));
  CHECK_THAT(problem_of("{preset: nccl-tests}", row + nccl_row("1048576", "float     max", "60.0")),
             Catch::StartsWith("stdout line 2: a second operation in one trial, max after sum: "));
}

TEST_CASE("a trial of nccl-tests with wrong results is none", "[run]") {
  const std::string row = nccl_row("1048576", "float     sum", "100.0");

  CHECK(problem_of("{preset: nccl-tests}", row + "# Out of bounds values : 0 OK\n").empty());
  CHECK(problem_of("{preset: nccl-tests}", row + "# Out of bounds values : 2 FAILED\n") ==
        "stdout line 2: wrong results: find out why before you compare times");
  CHECK(record_of("{preset: nccl-tests}", row, "# Out of bounds values : 12 FAILED\n").problems ==
        std::vector<std::string>{
            "stderr line 1: wrong results: find out why before you compare times"});
}

// Layouts of tests/import/nccl_layouts_test.cc; fields from the end would be in-place ones, or
// others.
TEST_CASE("preset nccl-tests refuses tables with further columns", "[run]") {
  const std::string settings = "  1048576  262144  float  sum  -1";
  const auto layout = [&](const std::string& time, const std::string& names, const char* values) {
    const std::string place = "  " + time + "  algbw  busbw  #wrong" + names;
    return "#  size  count  type  redop  root" + place + place + "\n" + settings +
           "  20.00  52.43  52.43  0" + values + "  21.00  49.93  49.93  0" + values + "\n";
  };
  const std::string statistics = "  i_min  i_max  i_avg  i_p50  i_p95  i_p99";
  for (const std::string& text :
       {layout("time", "  i_min  i_max  i_p99  i_cv%", "  18.10  31.20  30.60  11.70"),
        layout("time", statistics, "  18  31  20  20  25  30"),
        layout("time", "  #bitdiff", "  5"),
        layout("cputime", "", "")}) {
    CHECK_THAT(problem_of("{preset: nccl-tests}", text),
               Catch::StartsWith("stdout line 1: a column beside time, algbw, busbw and #wrong: "
                                 "leave out the option that prints it, such as -I 1 or -C 1"));
  }
  CHECK(problem_of("{preset: nccl-tests}", layout("time", "", "")).empty());
}

TEST_CASE("preset hyperfine reads the runs of its JSON on stdout", "[run]") {
  CHECK(
      found(
          "{preset: hyperfine}",
          "{\n  \"results\": [\n    {\n      \"command\": \"sleep 0.1\",\n      \"mean\": 0.1015,\n"
          "      \"times\": [\n        0.1012,\n        1.5e-3,\n        0.1018\n      ],\n"
          "      \"exit_codes\": [\n        0,\n        0\n      ]\n    }\n  ]\n}\n") ==
      Values{{"step_time_s", {0.1012, 0.0015, 0.1018}}});
}

TEST_CASE("a trial of hyperfine whose command failed is none", "[run]") {
  const auto runs = [](const std::string& codes) {
    return "    {\n      \"command\": \"a\",\n      \"stddev\": null,\n      \"times\": [\n        "
           "0.1012,\n        0.1018\n      ],\n      \"memory_usage_byte\": [\n        3256320,\n"
           "        3254100\n      ],\n      \"exit_codes\": [\n" +
           codes + "      ]\n    }\n";
  };
  const std::string told =
      ": a run that ended with another exit code than 0: mend the command; if it may end so, "
      "append || true to it";

  CHECK(problem_of("{preset: hyperfine}", runs("        0,\n        0\n")).empty());
  CHECK(problem_of("{preset: hyperfine}", "      12\n" + runs("        0\n")).empty());  // of wc
  CHECK(problem_of("{preset: hyperfine}", runs("        0,\n        1\n")) ==
        "stdout line 14" + told);
  CHECK(problem_of("{preset: hyperfine}", runs("        null,\n        139\n")) ==
        "stdout line 13" + told);
}

TEST_CASE("a trial of hyperfine times one command, and a training run has one result", "[run]") {
  CHECK(problem_of("{preset: hyperfine}", hyperfine_result("sleep 1")).empty());
  CHECK(problem_of("{preset: hyperfine}", hyperfine_result("a") + hyperfine_result("b")) ==
        "stdout line 10: a second command in one trial, b after a: time one command a trial, and "
        "make an axis of what differs: axes: {level: [1, 9]}");
  CHECK_THAT(problem_of("{preset: hyperfine}",
                        "{\"results\": [\n {\"command\": \"a\", \"times\": [\n   0.1001\n ]},\n"
                        " {\"command\": \"b\", \"times\": [\n   0.5001\n ]}\n]}\n"),
             Catch::StartsWith("stdout line 5: a second command in one trial, b after a: "));
  CHECK(problem_of("{preset: huggingface}",
                   "{'train_steps_per_second': 0.8}\n{'train_steps_per_second': 0.4}\n") ==
        "stdout line 2: a second train_steps_per_second in one trial, 0.4 after 0.8: train once a "
        "trial");
  CHECK_THAT(
      problem_of("{preset: huggingface}",
                 "{'train_runtime': 0.0106, 'train_steps_per_second': 846.441, 'train_loss': "
                 "0.0, 'epoch': 3.0}\n"),
      Catch::StartsWith("stdout line 1: a training without a step: "));
}

TEST_CASE("preset huggingface refuses a resumed training, which its log tells on either stream",
          "[run]") {
  const std::string rate = "{'train_steps_per_second': 0.4}\n";
  const std::string resumed = "  Continuing training from global step 30\n";

  CHECK_THAT(problem_of("{preset: huggingface}", resumed + rate),
             Catch::StartsWith("stdout line 1: a resumed training: "));
  const protocol::Record of_log = record_of("{preset: huggingface}", rate, resumed);
  REQUIRE(of_log.problems.size() == 1);
  CHECK(of_log.has_bad_numbers);
  CHECK_THAT(of_log.problems[0], Catch::StartsWith("stderr line 1: a resumed training: "));
  // A second value on stderr is none: the rules have read stdout.
  CHECK(record_of("{preset: huggingface}", rate, rate).problems.empty());
}

TEST_CASE("preset osu reads latencies of one size, and no bandwidths", "[run]") {
  const std::string head = "# Size       Avg Latency(us)\n";
  const std::string row = "1048576                412.50\n";

  CHECK(found("{preset: osu}", kOsu + head + row) == Values{{"step_time_s", {412.5e-6}}});
  CHECK(found("{preset: osu}",
              kOsu + "# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  "
                     "Iterations\n8                        2.50              2.00              "
                     "3.00        1000\n") == Values{{"step_time_s", {2.5 * 1e-6}}});
  CHECK(found("{preset: osu}",
              "# OSU MPI Barrier Latency Test v5.8\n# Avg Latency(us)\n            12.50\n") ==
        Values{{"step_time_s", {12.5 * 1e-6}}});
  CHECK_THAT(
      problem_of("{preset: osu}", kOsu + head + row + "2097152                812.50\n"),
      Catch::StartsWith("stdout line 6: a second size in one trial, 2097152 after 1048576: "));
  CHECK_THAT(problem_of("{preset: osu}", kOsu + head + row + kOsu + head + row),
             Catch::Contains("a second test in one trial"));
  const std::string bandwidths =
      "# OSU MPI Bandwidth Test v7.3\n# Size      Bandwidth (MB/s)\n1048576              "
      "12345.67\n";
  CHECK(found("{preset: osu}", bandwidths).empty());
  CHECK_THAT(problem_of("{preset: osu}", bandwidths),
             Catch::StartsWith("no line of the output is the header of a latency test: "));
}

// Shape: print_only_header_nbc() and print_stats_nbc() of OSU Micro-Benchmarks 7.
TEST_CASE("preset osu refuses a column with computation in it, with a rule for the other",
          "[run]") {
  const std::string all_to_all =
      "\n# OSU MPI Non-blocking All-to-All Latency Test v7.3\n"
      "# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait\n\n# Datatype: MPI_CHAR.\n"
      "# Size           Overall(us)       Compute(us)    Pure Comm.(us)        Overlap(%)\n"
      "1048576                 11.00              6.10              5.25              3.46\n";
  const std::string barrier =
      "# OSU MPI Non-blocking Barrier Latency Test v7.3\n"
      "# Overall(us)       Compute(us)    Pure Comm.(us)        Overlap(%)\n"
      "        11.00              6.10              5.25              3.46\n";

  CHECK_THAT(problem_of("{preset: osu}", all_to_all),
             Catch::StartsWith("stdout line 6: a column that counts computation as well: "));
  const std::string told = problem_of("{preset: osu}", barrier);
  const std::size_t rule = told.find("{metric: ");
  REQUIRE(rule != std::string::npos);
  for (const std::string& table : {all_to_all, barrier}) {
    CHECK(found("[" + told.substr(rule) + "]", table) == Values{{"step_time_s", {5.25 * 1e-6}}});
  }
}

TEST_CASE("preset imb reads the slowest process, and passes over 0 bytes", "[run]") {
  const std::string row = "      1048576           40       401.25       423.50       412.50\n";

  CHECK(found("{preset: imb}", kImb + row) == Values{{"step_time_s", {423.5e-6}}});
  CHECK(found("{preset: imb}",
              "# Benchmarking PingPong \n       #bytes #repetitions      t[usec]   Mbytes/sec\n"
              "            0         1000         1.66         0.00\n"
              "      1048576           40        96.50     10866.02\n") ==
        Values{{"step_time_s", {96.5e-6}}});
  CHECK(found("{preset: imb}",
              "# Benchmarking Sendrecv \n       #bytes #repetitions  t_min[usec]  t_max[usec]  "
              "t_avg[usec]   Mbytes/sec\n      1048576           40        96.00        97.50     "
              "   96.50     21509.25\n") == Values{{"step_time_s", {97.5e-6}}});
  CHECK(found("{preset: imb}",
              "# Benchmarking Barrier \n #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n"
              "         1000         2.25         2.50         2.37\n") ==
        Values{{"step_time_s", {2.5 * 1e-6}}});
  CHECK_THAT(problem_of("{preset: imb}", kImb + row + kImb + row),
             Catch::Contains("a second benchmark in one trial, Allreduce after Allreduce: "));
  CHECK_THAT(
      problem_of("{preset: imb}", kImb + row + "      2097152  20  801.25  823.50  812.50\n"),
      Catch::Contains("a second size in one trial, 2097152 after 1048576: "));
}

TEST_CASE("preset perftest reads latencies, and messages a second of bandwidth tests", "[run]") {
  // By hand: 0.25 messages a microsecond are 4 us a message.
  CHECK(found("{preset: perftest}",
              kWriteBandwidth +
                  " 65536      5000             15720.51            15625.00\t\t   0.250000\n") ==
        Values{{"step_time_s", {1e-6 / 0.25}}});
  CHECK(
      found("{preset: perftest}",
            " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    "
            "t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] \n"
            " 2       1000          1.02           3.50         1.06     \t       1.25        \t"
            "0.08   \t\t1.15    \t\t2.40   \n") == Values{{"step_time_s", {1.25 * 1e-6}}});
  CHECK_THAT(problem_of("{preset: perftest}",
                        kWriteBandwidth + " 2    5000    9.10    9.05    4.745000\n"
                                          " 4    5000    18.10   18.05   4.731000\n"),
             Catch::Contains("a second size in one trial, 4 after 2: "));
  const std::string run = kWriteBandwidth + " 1024   1000    0.00    5544.28    5.677340\n";
  CHECK_THAT(problem_of("{preset: perftest}", run + run),
             Catch::Contains("a second table in one trial"));
}

TEST_CASE("preset nvbandwidth reads the sum of one test", "[run]") {
  const std::string host =
      "Running host_to_device_memcpy_ce.\nmemcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)\n"
      "           0         1\n 0     50.00     75.00\n\nSUM host_to_device_memcpy_ce 125.00\n";

  CHECK(found("{preset: nvbandwidth, per_step: 0.5}", host) ==
        Values{{"step_time_s", {0.004}}, {"bandwidth_bytes_per_s", {125e9}}});
  CHECK_THAT(problem_of("{preset: nvbandwidth, per_step: 0.5}",
                        host + "SUM device_to_host_memcpy_ce 110.00\n"),
             Catch::Contains("a second test in one trial, device_to_host_memcpy_ce after "
                             "host_to_device_memcpy_ce: "));
}
