// check_gpus --several: its order, its studies and what makes lines of them.
#include <filesystem>
#include <regex>
#include <set>

#include "harness/study/matrix/matrix.h"
#include "tests/gpu/installed.h"
#include "tests/gpu/on_cores.h"
#include "tests/gpu/page.h"
#include "tests/study/study_text.h"
#include "tests/support/catch.h"
#include "workloads/protocol/reader.h"

using namespace scalestudy;
using Catch::Contains;
using test::gpus;
using test::Installed;
using test::kSource;
using test::OnCores;
using test::ProgramResult;
using test::study_file;
using test::write_program;

namespace {

const std::vector<std::string> kStudies = {
    "links", "strategies", "collectives", "settings", "pipeline", "hierarchical", "peers"};
const std::string kAll =
    "doctor\ntests\nlinks\nstrategies\ncollectives\nsettings\npipeline\nhierarchical\ntrace\npeers"
    "\n";

}  // namespace

TEST_CASE("two GPUs are asked for by --several, each section once", "[several gpus]") {
  Installed installed;

  const ProgramResult first = installed.run_several();
  INFO(first.out << first.err);
  CHECK(first.exit_code == 0);
  CHECK_THAT(first.out, Contains("- [x] strategies: 2 passed\n"));
  CHECK_THAT(installed.page(), Contains("- [x] peers: 1 passed\n\nAs evidence, send"));
  CHECK(installed.page().find("| links |") < installed.page().find("| peers |"));

  CHECK(installed.run_several().exit_code == 0);
  CHECK(installed.asked() == kAll);
  CHECK_THAT(installed.read("arguments"),
             Contains("\ntests\nlinks " + installed.page_folder() + " 1 "));
}

TEST_CASE("one GPU is not several, unless two nodes have one each", "[several gpus]") {
  Installed installed;
  installed.tell("doctor", gpus(1));

  const ProgramResult one = installed.run_several();
  CHECK(one.exit_code == 77);
  CHECK_THAT(one.out,
             Contains("this needs two GPUs, or a Slurm job of two nodes; here is one GPU"));
  CHECK(installed.asked() == "doctor\n");

  installed.tell("doctor", "echo skipped: no driver; exit 77");
  const ProgramResult none = installed.run_several();
  CHECK(none.exit_code == 77);
  CHECK_THAT(none.out, Contains("no GPU can be used here: skipped: no driver"));

  installed.tell("doctor", gpus(1));
  CHECK(installed.run_several(2).exit_code == 1);  // the line of GPUs has no band here
  CHECK(installed.asked() == "doctor\ndoctor\n" + kAll);
  CHECK_THAT(installed.read("arguments"), Contains("peers " + installed.page_folder() + " 2 "));
}

TEST_CASE("a call that says neither which folder nor which check is refused", "[several gpus]") {
  Installed installed;
  for (const std::vector<std::string>& call :
       {std::vector<std::string>{installed.page_folder(), "--several"}, {"--help"}, {"-several"}}) {
    const ProgramResult refused = installed.call(call);
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.err, Contains("usage: check_gpus [--several] [FOLDER]"));
  }
  CHECK(!std::filesystem::exists(installed.page_folder()));
}

TEST_CASE("a Slurm job of one task, which mpirun starts one rank in, is refused",
          "[several gpus]") {
  Installed installed;

  const ProgramResult one = installed.run_several(1, {"SLURM_TASKS_PER_NODE=1"});
  CHECK(one.exit_code == 2);
  CHECK_THAT(one.err, Contains("ask for a task for each GPU (salloc -n2)"));
  CHECK(installed.run_several(1, {"SLURM_TASKS_PER_NODE=2"}).exit_code == 0);
}

TEST_CASE("studies share the time that is left, and all together take no more than an hour",
          "[several gpus]") {
  Installed installed;
  installed.tell("collectives", "exit 75");
  const auto seconds = [&](const std::string& section) {
    const std::string arguments = installed.read("arguments");
    return std::stoi(
        arguments.substr(arguments.rfind(section + " " + installed.page_folder() + " 1 ") +
                         (section + " " + installed.page_folder() + " 1 ").size()));
  };

  REQUIRE(installed.run_several().exit_code == 75);
  CHECK(seconds("links") <= 7);  // its share of 100 s
  CHECK(seconds("peers") > 30);  // all that is left: more than its share
  CHECK(seconds("peers") <= 100);
  REQUIRE(installed.run_several().exit_code == 75);
  CHECK(seconds("collectives") > 30);  // no other is left

  int sum = 0;
  const std::string check = test::read_file(kSource + "check_gpus");
  const std::string several = check.substr(check.find("== --several"));
  const std::regex entry(R"([(\s]\w+:(\d+))");
  const std::string lists = several.substr(0, several.find("bands="));
  for (std::sregex_iterator at(lists.begin(), lists.end(), entry); at != std::sregex_iterator();
       ++at) {
    sum += std::stoi((*at)[1]);
  }
  CHECK(sum > 3000);
  CHECK(sum <= 3600);
}

TEST_CASE("the page begins with the machine as it was when doctor ran", "[several gpus]") {
  Installed installed;
  std::filesystem::create_directory(installed.file("bin"));
  const auto install = [&](const std::string& driver) {
    write_program(
        installed.file("bin/nvidia-smi"),
        "case $1 in -q) echo ECC Mode ;; topo) echo GPU0 NV18 ;; *) echo \"$1 $2\" | tr , "
        "'\\n'; echo driver " +
            driver + " ;; esac\n");
  };
  const std::vector<std::string> path = {"PATH=" + installed.file("bin") + ":/usr/bin:/bin",
                                         "NCCL_P2P_DISABLE=1"};
  install("580");
  installed.tell("links", "exit 75");
  REQUIRE(installed.run_several(1, path).exit_code == 75);

  const std::string head = installed.page().substr(0, installed.page().find("- [x] doctor"));
  CHECK_THAT(head,
             Contains(" UTC\n") && Contains("\nNCCL_P2P_DISABLE=1\n") && Contains("driver 580\n") &&
                 Contains("GPU0 NV18\n") && Contains("mig.mode.current\n") &&
                 Contains("ecc.mode.current\n") && Contains("clocks.max.sm\n") &&
                 Contains("driver_version\n"));
  CHECK(installed.read("page/nvidia-smi.txt") == "ECC Mode\n");

  install("590");
  REQUIRE(installed.run_several(1, path).exit_code == 75);
  CHECK_THAT(installed.page(), Contains(head));
}

TEST_CASE("a study that its time did not finish goes on in the next run", "[several gpus]") {
  Installed installed;
  installed.tell("collectives", "exit 75");

  const ProgramResult first = installed.run_several();
  CHECK(first.exit_code == 75);
  CHECK_THAT(first.out, Contains("not finished: collectives; run this again to go on"));
  CHECK_THAT(installed.page(),
             Contains("| strategies | MFU | 0.4 |") &&
                 Contains("- [ ] collectives: 0 passed, not finished\n") &&
                 Contains("- [x] settings: 1 passed\n"));
  installed.forget("collectives");
  CHECK(installed.run_several().exit_code == 0);

  CHECK(installed.asked() == kAll + "collectives\n");
}

TEST_CASE("the studies of several GPUs are valid, on one machine and on two nodes",
          "[several gpus]") {
  for (const std::string& name : kStudies) {
    CAPTURE(name);
    const std::string text = study_file(name);
    const Matrix matrix = expand(test::study_of(text));
    std::set<std::int64_t> devices;
    for (const Cell& cell : matrix.cells) {
      devices.insert(cell.devices);
      CHECK(cell.nodes == 1);
      CHECK(format_value(cell.parameters.at("backend")) == "cuda");
    }
    CHECK(*devices.rbegin() == 2);
    if (name == "peers") {
      continue;  // skipped on two nodes
    }
    const std::string two =
        std::regex_replace(text, std::regex("devices: 2, nodes: 1"), "devices: 2, nodes: 2");
    for (const Cell& cell : expand(test::study_of(two)).cells) {
      CHECK(cell.nodes == cell.devices);
    }
  }
}

TEST_CASE("PyTorch's study of several GPUs starts what that of one does", "[several gpus]") {
  const auto command = [](const std::string& text) {
    const std::size_t from = text.find("\ncommand:");
    return text.substr(from, text.find("\naxes:") - from);
  };
  const auto plain = [](const std::string& text) {
    return std::regex_replace(text, std::regex(" +#[^\n]*"), "");
  };

  CHECK(command(study_file("peers")) ==
        plain(command(test::read_file(SCALESTUDY_SOURCE_DIR "/studies/pytorch-peer.yaml"))));
}

namespace {

// run_collective beside programs that note how they are called; all_reduce_perf prints what the
// real one did in a log of its documentation, reduce_scatter_perf is not there.
class Collective {
 public:
  explicit Collective(const std::string& wrong = "0") {
    std::filesystem::create_directory(folder_.file("bin"));
    const std::string note = "echo \"$(basename \"$0\") $*\" >> " + folder_.file("calls") + "\n";
    write_program(folder_.file("bin/mpirun"), note);
    write_program(
        folder_.file("bin/all_reduce_perf"),
        note +
            "echo '#       size         count      type   redop    root     time'\n"
            "echo '     8388608       2097152     float     sum      -1    214.7   39.07   "
            "68.37      " +
            wrong + "    211.4   39.68   69.43      0'\n");
  }

  ProgramResult run(const std::string& program,
                    const std::string& operation,
                    const std::string& bytes,
                    const std::string& nodes = "1") const {
    return test::run_program(
        {kSource + "several/run_collective", program, operation, bytes, "2", nodes, "cuda"},
        {"PATH=" + folder_.file("bin") + ":/usr/bin:/bin",
         "SCALESTUDY_OUTPUT=" + folder_.file("record")});
  }
  protocol::Record record() const { return protocol::read_record(folder_.file("record")); }
  std::string calls() const { return test::read_file(folder_.file("calls")); }

 private:
  test::TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("nccl-tests and our collective do the same operations", "[several gpus]") {
  const Collective collective;

  CHECK(collective.run("scalestudy", "all_reduce", "8388608", "2").exit_code == 0);
  const ProgramResult peer = collective.run("nccl-tests", "all_reduce", "1073741824");
  INFO(peer.err);
  CHECK(peer.exit_code == 0);

  CHECK(collective.calls() ==
        "mpirun -n 2 --map-by ppr:1:node --oversubscribe --bind-to none scalestudy-collective "
        "--backend=cuda --operation=all_reduce --message-bytes=8388608 --operations-per-step=400 "
        "--warmup-steps=1 --measured-steps=3\n"
        "all_reduce_perf -b 1073741824 -e 1073741824 -w 10 -n 10 -a 3 -g 1 -t 2\n");
}

TEST_CASE("a trial of nccl-tests has its time out of place, and fails where data are wrong",
          "[several gpus]") {
  const Collective collective;
  REQUIRE(collective.run("nccl-tests", "all_reduce", "8388608").exit_code == 0);

  const protocol::Record record = collective.record();
  CHECK(record.problems.empty());
  std::vector<double> times;
  for (const protocol::Event& event : record.events) {
    if (const auto* samples = std::get_if<protocol::Samples>(&event)) {
      CHECK(samples->metric == "step_time_s");
      times = samples->values;
    }
  }
  REQUIRE(times.size() == 1);
  CHECK(times[0] == Approx(214.7e-6));

  const Collective wrong("7");
  REQUIRE(wrong.run("nccl-tests", "all_reduce", "8388608").exit_code == 0);
  bool has_passed = true;
  for (const protocol::Event& event : wrong.record().events) {
    if (const auto* check = std::get_if<protocol::Check>(&event)) {
      has_passed = has_passed && check->passed;
    }
  }
  CHECK_FALSE(has_passed);
}

TEST_CASE("what of nccl-tests is not there is unsupported and named", "[several gpus]") {
  const Collective collective;

  const ProgramResult missing = collective.run("nccl-tests", "reduce_scatter", "1048576");
  CHECK(missing.exit_code == 77);
  CHECK_THAT(missing.err, Contains("reduce_scatter_perf of nccl-tests is not in the PATH"));
  const ProgramResult nodes = collective.run("nccl-tests", "all_reduce", "1048576", "2");
  CHECK(nodes.exit_code == 77);
  CHECK_THAT(nodes.err, Contains("without MPI"));
  CHECK(collective.run("rccl", "all_reduce", "1048576").exit_code == 2);
}

TEST_CASE("studies become lines with bands, and what is not there is skipped",
          "[several gpus][slow]") {
  const OnCores cores(2, {"3-links", "7-pipeline", "8-hierarchical"});

  const ProgramResult result = test::run_program(cores.command(), test::mpirun_environment({}));
  INFO(result.out << result.err);
  CHECK(result.exit_code == 1);  // cores are no GPUs
  const std::string page = cores.page();
  INFO(page);
  CHECK_THAT(page,
             Contains("| strategies | trials that ended ok | 1 | share | at least 1 | pass |") &&
                 Contains("| strategies | loss of strategy=ddp devices=2 nodes=1 | 1 [1, 1] | "
                          "ratio | 0.99 to 1.01 | pass |"));
  for (const std::string name : {"strategies | speedup of strategy=ddp devices=2 nodes=1",
                                 "collectives | speedup of program=scalestudy "
                                 "operation=all_reduce message_bytes=1048576"}) {
    CHECK(std::regex_search(page,
                            std::regex("\\| " + name +
                                       " \\| [0-9.e+-]+ \\[[0-9.e+-]+, [0-9.e+-]+\\] "
                                       "\\| ratio \\| 0\\.\\d+ to ")));
  }
  CHECK_THAT(page,
             Contains("| settings | proof of NCCL_NTHREADS=256: applied: AllReduce RING SIMPLE") &&
                 Contains("| settings | proof of NCCL_MAX_NCHANNELS=2: overridden: ") &&
                 Contains("| settings | operations that NCCL told our profiler plugin | 2 | ") &&
                 !Contains("no band is declared") && !Contains("operation=all_gather"));
  CHECK_THAT(page,
             Contains("operation=reduce_scatter message_bytes=1048576 | n/a |  |  | skipped: ") &&
                 !Contains("speedup of program=scalestudy operation=reduce_scatter"));
  CHECK_THAT(result.out,
             Contains("- [ ] peers: 1 passed, skipped: python3 has no torch\n") &&
                 Contains("/trace.rank1.json"));  // without kernels of a GPU
  for (const char* file : {"studies/collectives.yaml",
                           "results/results.db",
                           "results/reports/strategies/report.html",
                           "results/check/strategies"}) {
    CAPTURE(file);
    CHECK(cores.has(std::string("page/") + file));
  }
  CHECK(test::run_program(cores.command()).exit_code == 1);
  CHECK(cores.page() == page);
}
