// Lines as NCCL 2.28.9 printed them on an H100 (two ranks that shared it), and of shapes that stand
// in its source, src/enqueue.cc, src/init.cc, src/misc/param.cc, src/transport/*.cc; those without
// channels as 2.21 has them.
#include "harness/run/nccl_log.h"

#include <sstream>

#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

const std::string kTree =
    "vm:812:812 [0] NCCL INFO NCCL_ALGO set by environment to Tree\n"
    "vm:812:812 [0] NCCL INFO NCCL_MAX_NCHANNELS set by environment to 4.\n"
    "vm:812:820 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] via SHM/direct/direct\n"
    "vm:812:820 [0] NCCL INFO 2 coll channels, 2 collnet channels, 0 nvls channels, 2 p2p "
    "channels, "
    "2 p2p channels per peer\n"
    "a line of the program's own: NCCL_PROTO set by environment to LL\n"
    "vm:812:812 [0] NCCL INFO AllReduce: 1048576 Bytes -> Algo TREE proto SIMPLE "
    "channel{Lo..Hi}={0..1}\n";

NcclLog read(const std::string& text) {
  NcclLog log;
  std::istringstream lines(text);
  read_nccl_log(lines, log);
  return log;
}

std::string found(const std::string& log, const std::string& variable, const std::string& asked) {
  const FoundSetting setting = find_setting(read(log), variable, asked);
  const std::string word = setting.text.substr(0, setting.text.find(':'));
  // The number says what the word says.
  CHECK(setting.state == (word == "applied"      ? std::optional(1.0)
                          : word == "overridden" ? std::optional(0.0)
                          : word == "not_seen"   ? std::optional(-1.0)
                                                 : std::nullopt));
  return setting.text;
}

}  // namespace

TEST_CASE("an algorithm counts as applied where every collective went by it", "[run]") {
  CHECK(found(kTree, "NCCL_ALGO", "Tree") == "applied: AllReduce TREE SIMPLE");
  CHECK(found(kTree, "NCCL_ALGO", "ring,tree") == "applied: AllReduce TREE SIMPLE");
  CHECK(found(kTree, "NCCL_ALGO", "^NVLSTree") == "applied: AllReduce TREE SIMPLE");
  CHECK(found(kTree, "NCCL_ALGO", "allreduce:tree;broadcast:ring") ==
        "applied: AllReduce TREE SIMPLE");
  CHECK(found(kTree, "NCCL_ALGO", "allreduce:ring;tree") == "overridden: AllReduce TREE SIMPLE");
  CHECK(found(kTree, "NCCL_ALGO", "Ring") == "overridden: AllReduce TREE SIMPLE");
  CHECK(found(kTree, "NCCL_ALGO", "^tree") == "overridden: AllReduce TREE SIMPLE");

  const std::string mixed =
      kTree +
      "vm:812:812 [0] NCCL INFO AllReduce: 8 Bytes -> Algo NVLS_TREE proto SIMPLE "
      "channel{Lo..Hi}={0..0}\n";
  CHECK(found(mixed, "NCCL_ALGO", "Tree") == "overridden: AllReduce NVLS_TREE SIMPLE");
  CHECK(found(mixed, "NCCL_ALGO", "NVLSTree,Tree") ==
        "applied: AllReduce NVLS_TREE SIMPLE, AllReduce TREE SIMPLE");
}

TEST_CASE("a symmetric kernel goes by neither algorithm nor protocol", "[run]") {
  const std::string symmetric =
      "vm:1:1 [0] NCCL INFO NCCL_ALGO set by environment to Ring\n"
      "vm:1:1 [0] NCCL INFO AllReduce [Symmetric]: 1024 Bytes -> Kernel AllReduce_AGxLL_R "
      "nchannels "
      "4 nthreads 512 nWorks 1\n";
  CHECK(found(symmetric, "NCCL_ALGO", "Ring") == "overridden: AllReduce by a symmetric kernel");
}

TEST_CASE("numbers of older versions are the words of their enumerations", "[run]") {
  const std::string older =
      "n:1:1 [0] NCCL INFO NCCL_ALGO set by environment to Ring\n"
      "n:1:1 [0] NCCL INFO NCCL_PROTO set by environment to LL128\n"
      "n:1:1 [0] NCCL INFO AllReduce: 4096 Bytes -> Algo 1 proto 0 time 10.250000\n";
  CHECK(found(older, "NCCL_ALGO", "Ring") == "applied: AllReduce RING LL");
  CHECK(found(older, "NCCL_PROTO", "LL128") == "overridden: AllReduce RING LL");
}

TEST_CASE("channels and transports are counted, not believed", "[run]") {
  CHECK(found(kTree, "NCCL_MAX_NCHANNELS", "4") == "applied: 2 channels");
  const std::string least =
      kTree + "n:1:1 [0] NCCL INFO NCCL_MIN_NCHANNELS set by environment to 8.\n";
  CHECK(found(least, "NCCL_MIN_NCHANNELS", "8") == "overridden: 2 channels");

  // Within a node nothing shows what a setting of the network does.
  const std::string within = kTree +
                             "n:1:1 [0] NCCL INFO NCCL_NET set by environment to Socket.\n"
                             "n:1:1 [0] NCCL INFO NCCL_IB_DISABLE set by environment to 1.\n";
  CHECK_THAT(found(within, "NCCL_NET", "Socket"), Catch::StartsWith("unconfirmed: "));
  CHECK_THAT(found(within, "NCCL_IB_DISABLE", "1"), Catch::StartsWith("unconfirmed: "));

  const std::string variables =
      "n:1:1 [0] NCCL INFO NCCL_P2P_DISABLE set by environment to 1\n"
      "n:1:1 [0] NCCL INFO NCCL_SHM_DISABLE set by environment to 1.\n"
      "n:1:1 [0] NCCL INFO NCCL_NET set by environment to Socket\n";
  CHECK(found(kTree + variables, "NCCL_P2P_DISABLE", "1") == "applied: via SHM");
  CHECK(found(kTree + variables, "NCCL_SHM_DISABLE", "1") == "overridden: via SHM");
  const std::string network =
      variables + "n:1:1 [0] NCCL INFO Channel 00/0 : 1[0] -> 0[0] [receive] via NET/IB/0/GDRDMA\n";
  CHECK(found(network, "NCCL_NET", "Socket") == "overridden: via NET/IB");
  CHECK(found(network, "NCCL_NET", "IB") == "applied: via NET/IB");
}

TEST_CASE("what leaves no trace is unconfirmed, what is never named not seen", "[run]") {
  const std::string buffer = "n:1:1 [0] NCCL INFO NCCL_BUFFSIZE set by environment to 4194304.\n";
  CHECK(found(buffer, "NCCL_BUFFSIZE", "4194304") ==
        "unconfirmed: NCCL read 4194304, and nothing shows what came of it");
  CHECK(found(buffer, "NCCL_BUFFSIZE", "8388608") == "overridden: NCCL read 4194304");
  CHECK(found(buffer, "NCCL_BUFSIZE", "4194304") == "not_seen: NCCL names no such variable");
  // Read, but no collective was run: nothing shows the choice.
  CHECK(found("n:1:1 [0] NCCL INFO NCCL_ALGO set by environment to Tree\n", "NCCL_ALGO", "Tree") ==
        "unconfirmed: NCCL read Tree, and nothing shows what came of it");
  CHECK(found("", "NCCL_ALGO", "Tree") == "unconfirmed: the run left no line of NCCL's");
  CHECK(found("NCCL_ALGO set by environment to Tree\n", "NCCL_ALGO", "Tree") ==
        "unconfirmed: the run left no line of NCCL's");
}

TEST_CASE("a value that NCCL refuses is overridden, in its words", "[run]") {
  const std::string refused =
      "n:1:1 [0] NCCL INFO NCCL_NTHREADS set by environment to 16.\n"
      "n:1:1 [0] NCCL INFO Invalid NCCL_NTHREADS 16 (minimum 64).\n";
  CHECK(found(refused, "NCCL_NTHREADS", "16") ==
        "overridden: Invalid NCCL_NTHREADS 16 (minimum 64).");
  const std::string text =
      "n:1:1 [0] NCCL INFO Invalid value many for NCCL_MAX_NCHANNELS, using default -2.\n";
  CHECK(found(text, "NCCL_MAX_NCHANNELS", "many") ==
        "overridden: Invalid value many for NCCL_MAX_NCHANNELS, using default -2.");
}
