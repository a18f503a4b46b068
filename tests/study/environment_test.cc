// The catalogue of environment variables and the checks against it.
#include "harness/study/parameters/environment.h"

#include "harness/base/error.h"
#include "harness/study/matrix/matrix_checks.h"
#include "harness/study/parameters/parameter_rules.h"
#include "tests/study/study_text.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

// What is wrong with NAME=value, by the product's own catalogue.
std::string wrong(const std::string& name, const std::string& value) {
  const std::string about_name = check_environment_name(environment_catalogue(), name);
  return about_name.empty() ? check_environment_value(environment_catalogue(), name, value)
                            : about_name;
}

TEST_CASE("the catalogue holds what the design asks for, each entry with effect and source",
          "[study]") {
  const EnvironmentCatalogue& catalogue = environment_catalogue();

  CHECK(catalogue.variables.size() >= 75);
  CHECK(catalogue.removed.size() >= 10);
  for (const auto& [name, variable] : catalogue.variables) {
    CAPTURE(name);
    CHECK_FALSE(variable.effect.empty());
    CHECK_FALSE(variable.source.empty());
    CHECK_FALSE(catalogue.removed.contains(name));
    CHECK(name.starts_with("NCCL_") <= variable.communication);
    CHECK(variable.minimum.has_value() == variable.maximum.has_value());
  }
}

TEST_CASE("NCCL's list grammar is accepted", "[study]") {
  for (const char* value : {"Ring",
                            "ring",
                            "Tree,Ring",
                            "^NVLS",
                            "^NVLS,NVLSTree",
                            "allreduce:tree",
                            "allreduce:tree,ring;broadcast:ring",
                            "Ring;allgather:^PAT",
                            "default"}) {
    CAPTURE(value);
    CHECK(wrong("NCCL_ALGO", value).empty());
  }
  for (const char* value :
       {"", "Collnet", "Ring,", "allreduse:tree", "allreduce:", "^", "Ring Tree"}) {
    CAPTURE(value);
    CHECK_FALSE(wrong("NCCL_ALGO", value).empty());
  }
  CHECK(wrong("NCCL_PROTO", "LL,Simple").empty());
  CHECK_FALSE(wrong("NCCL_PROTO", "Ring").empty());
}

TEST_CASE("integers are held to range and step because NCCL reads a bad one as 0", "[study]") {
  CHECK(wrong("NCCL_NTHREADS", "64").empty());
  CHECK(wrong("NCCL_NTHREADS", "512").empty());
  CHECK(wrong("NCCL_NTHREADS", "16") ==
        "NCCL_NTHREADS: 16 is not an integer from 64 to 512 in steps of 32 threads, or default "
        "(not set)");
  CHECK_FALSE(wrong("NCCL_NTHREADS", "100").empty());
  CHECK_FALSE(wrong("NCCL_MAX_CTAS", "abc").empty());
  CHECK_FALSE(wrong("NCCL_MAX_CTAS", "65").empty());
  CHECK_FALSE(wrong("NCCL_MAX_CTAS", "0x10").empty());
  CHECK(wrong("NCCL_BUFFSIZE", "4MiB").find("write 4194304") != std::string::npos);
}

TEST_CASE("choices are held to their list", "[study]") {
  CHECK(wrong("NCCL_P2P_LEVEL", "NVL").empty());
  CHECK(wrong("NCCL_P2P_LEVEL", "NLV").find("did you mean \"NVL\"?") != std::string::npos);
  CHECK(wrong("NCCL_P2P_DISABLE", "1").empty());
  CHECK_FALSE(wrong("NCCL_P2P_DISABLE", "2").empty());
  CHECK(wrong("OMPI_MCA_btl_vader_single_copy_mechanism", "none").empty());
}

TEST_CASE("a value that every trial has is held to what NCCL surely reads otherwise", "[study]") {
  const auto problem = [](const std::string& rest) {
    return test::problems_of("version: 1\nstudy: s\nworkload: command\ncommand: [a]\n" + rest +
                             "\n");
  };
  CHECK_THAT(
      problem("env: {NCCL_BUFFSIZE: 4MiB}"),
      Catch::StartsWith("s.yaml:5:22: env.NCCL_BUFFSIZE: 4MiB is not an integer from 4096 to") &&
          Catch::Contains("the variable takes no unit, write 4194304"));
  CHECK_THAT(problem("env: {NCCL_PROTO: Simpel}"), Catch::Contains("did you mean \"Simple\"?"));
  CHECK_THAT(problem("env: {NCCL_ALGO: default}"), Catch::Contains("leave the variable out here"));
  CHECK_THAT(problem("sides: [{name: a}, {name: b, env: {NCCL_PROTO: Simpel}}]"),
             Catch::StartsWith("s.yaml:5:48: sides[1].env.NCCL_PROTO: \"Simpel\" is not one of"));
  CHECK(problem("env: {NCCL_PROTO: Simple, MODE: default}").empty());
  for (const char* right : {"OMPI_MCA_btl: ^openib",
                            "OMPI_MCA_btl: \"tcp,self\"",
                            "OMPI_MCA_mpi_yield_when_idle: \"true\"",
                            "OMP_NUM_THREADS: \"4,2\"",
                            "OMP_PROC_BIND: \"spread,close\"",
                            "OMP_PROC_BIND: \"TRUE\"",
                            "OMP_WAIT_POLICY: ACTIVE",
                            "CUDA_MODULE_LOADING: DEFAULT",
                            "NCCL_ALGO: tree",
                            "NCCL_DEBUG: info",
                            "NCCL_BUFFSIZE: \"0x400000\"",
                            "NCCL_BUFFSIZE: \"\"",
                            "NCCL_NTHREADS: 16",
                            "NCCL_P2P_LEVEL: 2",
                            "NCCL_CUMEM_ENABLE: -2"}) {
    CAPTURE(right);
    CHECK(problem(std::string("env: {") + right + "}").empty());
    CHECK(problem(std::string("sides: [{name: a}, {name: b, env: {") + right + "}}]").empty());
  }
  CHECK(problem("axes: {p: [LL, Simple]}\nenv: {NCCL_PROTO: \"{p}\"}").empty());
}

TEST_CASE("removed names say what to use instead", "[study]") {
  CHECK(wrong("NCCL_TREE_THRESHOLD", "0") ==
        "NCCL_TREE_THRESHOLD is not offered: gone in NCCL 2.5; use NCCL_ALGO");
}

TEST_CASE("unknown names of NCCL and Open MPI are refused, others are free", "[study]") {
  CHECK(wrong("NCCL_NTHREAD", "64").find("did you mean \"NCCL_NTHREADS\"?") != std::string::npos);
  CHECK_FALSE(wrong("OMPI_MCA_coll_tuned_allreduce", "4").empty());
  CHECK(wrong("MY_SETTING", "anything at all").empty());
  CHECK_FALSE(wrong("SCALESTUDY_OUTPUT", "x").empty());
  CHECK_FALSE(wrong("A=B", "x").empty());
  CHECK_FALSE(wrong("", "x").empty());
}

TEST_CASE("an algorithm of Open MPI has a number or a name", "[study]") {
  const auto problem = [](const char* value) {
    return check_environment_value(
        environment_catalogue(), "OMPI_MCA_coll_tuned_allreduce_algorithm", value);
  };
  for (const char* legal : {"0", "4", "6", "ring", "rabenseifner", "default"}) {
    CAPTURE(legal);
    CHECK(problem(legal).empty());
  }
  CHECK_THAT(problem("7"), Catch::Matchers::Contains("ring"));
  CHECK_THAT(problem("Ring"), Catch::Matchers::Contains("ring"));
}

TEST_CASE("settings between ranks are told from those of one rank", "[study]") {
  CHECK(is_communication_variable("NCCL_ALGO"));
  CHECK(is_communication_variable("OMPI_MCA_coll_tuned_allreduce_algorithm"));
  CHECK_FALSE(is_communication_variable("OMP_NUM_THREADS"));
  CHECK_FALSE(is_communication_variable("MY_SETTING"));
}

// workloads/ops/cpu/cpu_ops.cc sets the threads of OpenMP whatever the variable says.
TEST_CASE("a variable that a built-in workload does not go by is refused of it", "[study]") {
  const std::string threads = "OMP_NUM_THREADS";
  CHECK(check_variable_name(Workload::kTrain, threads) ==
        "env.OMP_NUM_THREADS has no effect: workload train uses its parameter threads instead; "
        "set that");
  CHECK(check_variable_name(Workload::kCollective, threads) ==
        "env.OMP_NUM_THREADS has no effect: workload collective does not read it");
  CHECK(check_variable_name(Workload::kCommand, threads).empty());
  CHECK_FALSE(check_variable_name(Workload::kTrain, "MKL_NUM_THREADS").empty());
  CHECK_FALSE(check_variable_name(Workload::kTrain, "OMP_DYNAMIC").empty());
  CHECK_FALSE(check_variable_name(Workload::kTrain, "OMP_THREAD_LIMIT").empty());
  CHECK_FALSE(check_variable_name(Workload::kTrain, "OMP_MAX_ACTIVE_LEVELS").empty());
  CHECK(check_variable_name(Workload::kTrain, "OMP_PROC_BIND").empty());
  CHECK_FALSE(check_variable_name(Workload::kCollective, "OMP_PROC_BIND").empty());
  for (const auto& [name, variable] : environment_catalogue().variables) {
    CAPTURE(name);
    CHECK(check_variable_name(Workload::kCommand, name).empty());
    CHECK((variable.parameter.empty() || variable.parameter == "threads"));
  }
}

TEST_CASE("a command's variables of OpenMP may be what a runtime takes", "[study]") {
  for (const char* axis : {"OMP_DYNAMIC: [TRUE, FALSE]",
                           "OMP_DYNAMIC: [True, false]",
                           "OMP_DYNAMIC: [1, 0]",
                           "OMP_THREAD_LIMIT: [default, 4294967295]",
                           "OMP_MAX_ACTIVE_LEVELS: [0, 2147483647]"}) {
    CAPTURE(axis);
    CHECK(
        test::problems_of("version: 1\nstudy: s\nworkload: command\ncommand: [true]\naxes: {env." +
                          std::string(axis) + "}\n")
            .empty());
  }
}

TEST_CASE("an axis that no rank reads is refused, and a fixed variable is warned of", "[study]") {
  const auto refusal = [](const std::string& lines) {
    return test::problems_of("version: 1\nstudy: s\n" + lines);
  };
  const std::string train = "workload: train\nsteps: {warmup: 1, measured: 3}\n";
  const std::string two = "parameters: {devices: 2, batch_global: 8}\n";
  const std::string gpu = "parameters: {devices: 2, batch_global: 8, backend: cuda}\n";
  const std::string ring = "axes: {env.NCCL_ALGO: [default, Ring]}\n";
  CHECK_THAT(
      refusal(train + two + ring),
      Catch::Contains("env.NCCL_ALGO would change nothing with backend cpu, since only NCCL reads "
                      "it and ranks communicate by MPI"));
  CHECK(refusal(train + gpu + ring).empty());
  const std::string shared = "axes: {env.OMPI_MCA_btl: [default, \"self,tcp\"]}\n";
  CHECK(refusal(train + two + shared).empty());
  CHECK_THAT(refusal(train + gpu + shared), Catch::Contains("since only Open MPI reads it"));
  const std::string staged =
      "parameters: {devices: 2, batch_global: 8, backend: cuda, comm: mpi_staged}\n";
  CHECK(refusal(train + staged + shared).empty());
  CHECK_THAT(refusal("workload: collective\nparameters: {devices: 2}\n" + ring),
             Catch::Contains("since only NCCL reads it"));
  const std::string shm = "parameters: {devices: 2, batch_global: 8, comm: shm}\n";
  CHECK_THAT(refusal(train + shm + shared),
             Catch::Contains("with comm shm, since only Open MPI reads it"));
  CHECK_THAT(refusal(train + shm + ring),
             Catch::Contains("since only NCCL reads it and ranks communicate in shared memory"));
  const std::string one = "parameters: {devices: 1, batch_global: 8}\n";
  CHECK_THAT(refusal(train + one + shared), Catch::Contains("its cells have one device"));
  CHECK(refusal(train + "parameters: {batch_global: 8}\naxes: {devices: [1, 2], env.OMPI_MCA_btl: "
                        "[default, \"self,tcp\"]}\n")
            .empty());
  CHECK(refusal("workload: command\ncommand: [true]\n" + ring).empty());

  const auto remarks = [](const std::string& lines) {
    const Study study = test::study_of("version: 1\nstudy: s\n" + lines);
    return unread_settings(study, expand(study));
  };
  const std::string fixed = "parameters: {batch_global: 8, env.NCCL_ALGO: Ring}\naxes: {";
  CHECK(remarks(train + fixed + "devices: [1, 2]}\n") ==
        std::vector<std::string>{"env.NCCL_ALGO changes nothing with backend cpu, since only NCCL "
                                 "reads it and ranks communicate by MPI"});
  CHECK(remarks(train + fixed + "devices: [2], backend: [cpu, cuda]}\n").empty());

  const std::string buckets = "axes: {bucket_mb: [1, 25]}\n";
  CHECK(remarks(train + one + buckets) ==
        std::vector<std::string>{"bucket_mb changes nothing, since its cells have one device"});
  CHECK(remarks(train + two + buckets).empty());
  // These slow a rank that is alone, too.
  CHECK(remarks(train + one + "axes: {straggler_ms: [0, 5]}\n").empty());
  CHECK(remarks(train +
                "parameters: {devices: 1, batch_global: 8, compute: declared, declared_sample_ms: "
                "1}\naxes: {straggler_factor: [1, 2]}\n")
            .empty());
}

TEST_CASE("an unsound catalogue is an error with its place", "[study]") {
  const std::string entry =
      "version: 1\nvariables:\n  A:\n    effect: x\n    scope: host\n    source: y\n";

  CHECK_THROWS_WITH(parse_environment_catalogue(entry), Catch::Contains("exactly one of values"));
  CHECK_THROWS_WITH(parse_environment_catalogue(entry + "    valeus: [a]\n"),
                    Catch::Contains("data/environment.yaml:7:5: unknown key \"valeus\" in A"));
  CHECK(parse_environment_catalogue(entry + "    values: [a]\n").variables.at("A").values ==
        std::vector<std::string>{"a"});
}

}  // namespace
