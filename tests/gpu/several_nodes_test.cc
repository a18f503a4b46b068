// check_gpus --several in a Slurm job of two nodes.
#include "tests/gpu/on_cores.h"
#include "tests/submit/slurm.h"

using namespace scalestudy;
using Catch::Contains;
using test::ProgramResult;

TEST_CASE("two nodes of a Slurm job with a GPU each train and communicate as two GPUs",
          "[several gpus][slow]") {
  const test::Slurm slurm;
  const test::OnCores cores(1,
                            {"3-links", "6-settings", "7-pipeline", "8-hierarchical", "9-trace"});
  std::vector<std::string> job = {"salloc", "-N2", "-n2"};
  const std::vector<std::string> command = cores.command();
  job.insert(job.end(), command.begin(), command.end());

  const ProgramResult result = slurm.run(job);

  INFO(result.out << result.err);
  const std::string page = cores.page();
  INFO(page);
  CHECK_THAT(
      page,
      Contains("| strategies | trials that ended ok | 1 | share |") &&
          Contains("| strategies | loss of strategy=ddp devices=2 nodes=2 | 1 [1, 1] |") &&
          Contains("| collectives | trials that ended ok | 1 | share |") &&
          Contains("was built without MPI, which several nodes need") &&
          Contains("| peers | the section | n/a |  |  | skipped: PyTorch is compared on one") &&
          Contains("\n0: GPU of n0\n") && Contains("\n1: GPU of n1\n"));
  const ProgramResult hosts =
      test::run_program({SCALESTUDY_TEST_BIN "/scalestudy",
                         "--results",
                         cores.results(),
                         "query",
                         "--format",
                         "csv",
                         "SELECT DISTINCT devices, hosts FROM trials WHERE study = 'strategies' "
                         "ORDER BY devices"});
  CHECK(hosts.out == "devices,hosts\n1,n0\n2,\"n0,n1\"\n");
}
