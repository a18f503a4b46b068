// Lines as NCCL 2.28.9 printed them on an H100 (two ranks that shared it), and of shapes that stand
// in its source, src/enqueue.cc, src/init.cc, src/misc/param.cc, src/transport/*.cc; those without
// channels as 2.21 has them.
#include "harness/run/nccl/nccl_settings.h"

#include <sstream>

#include "harness/run/nccl/nccl_log.h"
#include "harness/run/nccl/nccl_profile.h"
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

NcclTrace read(const std::string& text) {
  NcclTrace trace;
  std::istringstream lines(text);
  read_nccl_log(lines, trace);
  return trace;
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

namespace {

// As NCCL prints its table: three protocols below each algorithm, three algorithms a block.
std::string table(const std::string& ring) {
  return "vm:1:1 [0] NCCL INFO   Algorithm   |                            Tree                  |  "
         "                          Ring                  |                   CollNetDirect        "
         "   "
         "       |\n"
         "vm:1:1 [0] NCCL INFO   Protocol    |             LL |          LL128 |         Simple |  "
         " "
         "          LL |          LL128 |         Simple |             LL |          LL128 |       "
         " "
         " Simple |\n"
         "vm:1:1 [0] NCCL INFO  Max NThreads |            512 |            640 |            512 |  "
         " "
         "         " +
         ring + " |            640 |            " + ring +
         " |              0 |              0 |            640 |\n"
         "vm:1:1 [0] NCCL INFO   Algorithm   |                   CollNetChain                   |  "
         "                          NVLS                  |                        NVLSTree        "
         "  "
         "       |\n"
         "vm:1:1 [0] NCCL INFO  Max NThreads |              0 |              0 |            640 |  "
         " "
         "           0 |              0 |            640 |              0 |              0 |       "
         " "
         "    640 |\n";
}

std::string went_by(const std::string& choice) {
  return "vm:1:1 [0] NCCL INFO AllReduce: 4194304 Bytes -> Algo " + choice +
         " channel{Lo..Hi}={0..3}\n";
}

}  // namespace

TEST_CASE("threads of a block are those of NCCL's table, where the algorithm goes by it", "[run]") {
  const std::string read =
      "vm:1:1 [0] NCCL INFO NCCL_NTHREADS set by environment to 256.\n"
      "vm:1:1 [0] NCCL INFO NCCL_LL128_NTHREADS set by environment to 640.\n";
  const std::string ring = read + table("256") + went_by("RING proto SIMPLE");
  CHECK(found(ring, "NCCL_NTHREADS", "256") ==
        "applied: AllReduce RING SIMPLE with 256 threads at most");
  CHECK(found(ring, "NCCL_LL128_NTHREADS", "640") ==
        "overridden: AllReduce RING SIMPLE, which does not go by it");
  CHECK(found(read + table("512") + went_by("RING proto LL"), "NCCL_NTHREADS", "256") ==
        "overridden: AllReduce RING LL with 512 threads at most");
  CHECK(found(read + table("256") + went_by("NVLS proto SIMPLE"), "NCCL_NTHREADS", "256") ==
        "overridden: AllReduce NVLS SIMPLE with 640 threads at most");
  const std::string ll128 = read + table("256") + went_by("RING proto LL128");
  CHECK(found(ll128, "NCCL_LL128_NTHREADS", "640") ==
        "applied: AllReduce RING LL128 with 640 threads at most");
  CHECK(found(ll128, "NCCL_NTHREADS", "256") ==
        "overridden: AllReduce RING LL128, which does not go by it");
  CHECK(found(read + table("256") + went_by("TREE proto SIMPLE"), "NCCL_NTHREADS", "256") ==
        "overridden: AllReduce TREE SIMPLE, which does not go by it");
  CHECK(found(read + went_by("RING proto LL"), "NCCL_NTHREADS", "256") ==
        "unconfirmed: NCCL read 256, and nothing shows what came of it");
}

TEST_CASE("what the plugin counted goes before the log's limits", "[run]") {
  const auto told = [](const std::string& profile, const std::string& variable, const char* asked) {
    NcclTrace trace;
    std::istringstream lines("scalestudy-nccl-profile 1\ncommunicator abi=5\n" + profile);
    read_nccl_profile(lines, trace);
    return find_setting(trace, variable, asked).text;
  };
  const std::string ring = "collective AllReduce RING SIMPLE channels=4 threads=288\n";
  const std::string small = "collective AllReduce RING LL channels=1 threads=128\n";
  // In a ring of SIMPLE a warp more synchronises: 288 - 32 = 256.
  CHECK(told(ring, "NCCL_NTHREADS", "256") == "applied: AllReduce RING SIMPLE with 256 threads");
  CHECK(told(ring + small, "NCCL_NTHREADS", "256") ==
        "applied: AllReduce RING SIMPLE with 256 threads");
  CHECK(told(small, "NCCL_NTHREADS", "256") ==
        "unconfirmed: AllReduce RING LL with 128 threads, as for small messages");
  CHECK(told(ring, "NCCL_NTHREADS", "128") == "overridden: AllReduce RING SIMPLE with 256 threads");
  CHECK(told("collective Reduce - - channels=4 threads=512\n", "NCCL_NTHREADS", "512") ==
        "overridden: Reduce by a symmetric kernel, which does not go by it");
  // A small message has fewer channels than a lower bound says; that some have enough counts.
  CHECK(told(ring + small, "NCCL_MIN_NCHANNELS", "4") == "applied: operations of 1, 4 channels");
  CHECK(told(small, "NCCL_MIN_NCHANNELS", "4") == "overridden: operations of 1 channels");
  CHECK(told(ring + small, "NCCL_MAX_CTAS", "2") == "overridden: operations of 1, 4 channels");
  CHECK(told("message Send channels=8\n", "NCCL_MAX_CTAS", "4") ==
        "overridden: operations of 8 channels");
  CHECK(told(ring, "NCCL_PROTO", "Simple") == "applied: AllReduce RING SIMPLE");
  // An older NCCL tells the most that an operation could be given.
  NcclTrace old;
  std::istringstream third("scalestudy-nccl-profile 1\ncommunicator abi=3\n" + ring);
  read_nccl_profile(third, old);
  CHECK_THAT(find_setting(old, "NCCL_MIN_NCHANNELS", "4").text, Catch::StartsWith("unconfirmed"));
  CHECK(find_setting(old, "NCCL_PROTO", "Simple").text == "applied: AllReduce RING SIMPLE");
  CHECK(told("", "NCCL_ALGO", "Ring") ==
        "unconfirmed: NCCL left no log, and nothing shows what came of it");

  // With a log beside it: the log's line has no threads, its table the limit.
  NcclTrace both = read("vm:1:1 [0] NCCL INFO NCCL_NTHREADS set by environment to 256.\n" +
                        table("256") + went_by("RING proto SIMPLE"));
  std::istringstream lines("scalestudy-nccl-profile 1\n" + ring);
  read_nccl_profile(lines, both);
  CHECK(find_setting(both, "NCCL_NTHREADS", "256").text ==
        "applied: AllReduce RING SIMPLE with 256 threads");
}

TEST_CASE("a buffer or chunk counts where chunks have a size that nothing else explains", "[run]") {
  const auto chunks = [](const std::string& variable, const std::string& asked, int bytes) {
    return found("n:1:1 [0] NCCL INFO " + variable + " set by environment to " + asked +
                     ".\nn:1:1 [0] NCCL INFO P2P Chunksize set to " + std::to_string(bytes) + "\n",
                 variable,
                 asked);
  };
  // Eight chunks a buffer: 2 MiB / 8 = 262144.
  CHECK(chunks("NCCL_BUFFSIZE", "2097152", 262144) == "applied: chunks of 262144 bytes");
  CHECK(chunks("NCCL_BUFFSIZE", "2097152", 524288) == "overridden: chunks of 524288 bytes");
  const std::string open = ", which does not show what set them";
  CHECK(chunks("NCCL_BUFFSIZE", "2097152", 131072) == "unconfirmed: chunks of 131072 bytes" + open);
  // What PCIe and networks have by themselves, and NVLink.
  CHECK(chunks("NCCL_BUFFSIZE", "1048576", 131072) == "unconfirmed: chunks of 131072 bytes" + open);
  CHECK(chunks("NCCL_BUFFSIZE", "4194304", 524288) == "unconfirmed: chunks of 524288 bytes" + open);
  CHECK(chunks("NCCL_P2P_NVL_CHUNKSIZE", "262144", 262144) == "applied: chunks of 262144 bytes");
  CHECK(chunks("NCCL_P2P_NVL_CHUNKSIZE", "262144", 131072) == "overridden: chunks of 131072 bytes");
  CHECK(chunks("NCCL_P2P_NVL_CHUNKSIZE", "131072", 131072) ==
        "unconfirmed: chunks of 131072 bytes" + open);
  const std::string both =
      "n:1:1 [0] NCCL INFO NCCL_BUFFSIZE set by environment to 2097152.\n"
      "n:1:1 [0] NCCL INFO NCCL_P2P_NVL_CHUNKSIZE set by environment to 262144.\n"
      "n:1:1 [0] NCCL INFO P2P Chunksize set to 262144\n";
  CHECK(found(both, "NCCL_BUFFSIZE", "2097152") == "unconfirmed: chunks of 262144 bytes" + open);
}

TEST_CASE("NVLS and algorithms that variables allow are as asked where they were in use", "[run]") {
  const auto nvls = [](const std::string& variable, const std::string& asked, int channels) {
    return found("n:1:1 [0] NCCL INFO " + variable + " set by environment to " + asked +
                     ".\nn:1:1 [0] NCCL INFO 24 coll channels, 24 collnet channels, " +
                     std::to_string(channels) +
                     " nvls channels, 32 p2p channels, 32 p2p channels per peer\n",
                 variable,
                 asked);
  };
  CHECK(nvls("NCCL_NVLS_ENABLE", "0", 0) == "applied: 0 channels of NVLS");
  CHECK(nvls("NCCL_NVLS_ENABLE", "0", 16) == "overridden: 16 channels of NVLS");
  CHECK(nvls("NCCL_NVLS_ENABLE", "1", 16) == "applied: 16 channels of NVLS");
  CHECK(nvls("NCCL_NVLS_ENABLE", "1", 0) == "overridden: 0 channels of NVLS");
  CHECK(nvls("NCCL_NVLS_ENABLE", "2", 0) == "applied: NCCL chose, 0 channels of NVLS");
  CHECK(nvls("NCCL_NVLS_NCHANNELS", "8", 8) == "applied: 8 channels of NVLS");
  CHECK(nvls("NCCL_NVLS_NCHANNELS", "8", 16) == "overridden: 16 channels of NVLS");

  const auto pat = [](const std::string& asked, const std::string& choice) {
    return found("n:1:1 [0] NCCL INFO NCCL_PAT_ENABLE set by environment to " + asked + ".\n" +
                     went_by(choice),
                 "NCCL_PAT_ENABLE",
                 asked);
  };
  CHECK(pat("1", "PAT proto SIMPLE") == "applied: AllReduce PAT SIMPLE");
  CHECK(pat("1", "RING proto LL") == "overridden: AllReduce RING LL");
  CHECK(pat("0", "RING proto LL") == "applied: AllReduce RING LL");
  CHECK(pat("0", "PAT proto SIMPLE") == "overridden: AllReduce PAT SIMPLE");
  CHECK(pat("2", "RING proto LL") == "applied: NCCL chose, AllReduce RING LL");
}

namespace {

// Two processes of a machine whose GPUs are as far apart as a host bridge.
std::string two_gpus(const std::string& transport) {
  return "vm:1:1 [0] NCCL INFO NCCL_P2P_LEVEL set by environment to PHB\n"
         "vm:1:9 [0] NCCL INFO ncclCommInitRank comm 0x55 rank 0 nranks 2 cudaDev 0 nvmlDev 0 "
         "busId "
         "1000 commId 0x7f - Init START\n"
         "vm:2:9 [1] NCCL INFO ncclCommInitRank comm 0x56 rank 1 nranks 2 cudaDev 1 nvmlDev 1 "
         "busId "
         "2000 commId 0x7f - Init START\n"
         "vm:1:9 [0] NCCL INFO GPU/0-1000 :GPU/0-1000 (0/5000.0/LOC) GPU/0-2000 (4/24.0/PHB) "
         "CPU/0-0 (2/24.0/PHB) \n"
         "vm:1:9 [0] NCCL INFO GPU/0-2000 :GPU/0-1000 (4/24.0/PHB) GPU/0-2000 (0/5000.0/LOC) "
         "CPU/0-0 (2/24.0/PHB) \n"
         "vm:1:9 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via " +
         transport + "\nvm:2:9 [1] NCCL INFO Channel 00/0 : 1[1] -> 0[0] via " + transport + "\n";
}

}  // namespace

TEST_CASE("a level of direct access is held against how far apart each pair is", "[run]") {
  const std::string direct = two_gpus("P2P/CUMEM");
  const std::string shared = two_gpus("SHM/direct/direct");
  CHECK(found(direct, "NCCL_P2P_LEVEL", "PHB") == "applied: via P2P over PHB");
  CHECK(found(direct, "NCCL_P2P_LEVEL", "SYS") == "applied: via P2P over PHB");
  CHECK(found(direct, "NCCL_P2P_LEVEL", "PXB") == "overridden: via P2P over PHB");
  CHECK(found(shared, "NCCL_P2P_LEVEL", "NVL") == "applied: via SHM over PHB");
  CHECK(found(shared, "NCCL_P2P_LEVEL", "SYS") == "overridden: via SHM over PHB");
  // GPU 1 is of an unknown place.
  const std::string unknown =
      "vm:1:1 [0] NCCL INFO NCCL_P2P_LEVEL set by environment to PHB\n"
      "vm:1:9 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM\n";
  CHECK(found(unknown, "NCCL_P2P_LEVEL", "PHB") ==
        "unconfirmed: NCCL read PHB, and nothing shows what came of it");
}

TEST_CASE("how a transport moves data is read behind its name", "[run]") {
  const auto via = [](const std::string& variable,
                      const std::string& asked,
                      const std::string& transport) {
    return found("n:1:1 [0] NCCL INFO " + variable + " set by environment to " + asked +
                     ".\nn:1:1 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via " + transport + "\n",
                 variable,
                 asked);
  };
  const std::string nothing = ", and nothing shows what came of it";
  CHECK(via("NCCL_P2P_READ_ENABLE", "1", "P2P/CUMEM/read") == "applied: via P2P/CUMEM/read");
  CHECK(via("NCCL_P2P_READ_ENABLE", "1", "P2P/CUMEM") == "overridden: via P2P/CUMEM");
  CHECK(via("NCCL_P2P_READ_ENABLE", "0", "P2P/CUMEM") == "applied: via P2P/CUMEM");
  CHECK(via("NCCL_P2P_READ_ENABLE", "0", "P2P/direct pointer/read") ==
        "overridden: via P2P/direct pointer/read");
  CHECK(via("NCCL_P2P_READ_ENABLE", "1", "SHM/direct/direct") ==
        "unconfirmed: NCCL read 1" + nothing);
  CHECK(via("NCCL_P2P_USE_CUDA_MEMCPY", "1", "P2P/IPC/CE") == "applied: via P2P/IPC/CE");
  CHECK(via("NCCL_P2P_DIRECT_DISABLE", "1", "P2P/direct pointer") ==
        "overridden: via P2P/direct pointer");
  CHECK(via("NCCL_SHM_USE_CUDA_MEMCPY", "1", "SHM/direct/CE") == "applied: via SHM/direct/CE");
  CHECK(via("NCCL_SHM_USE_CUDA_MEMCPY", "1", "SHM/direct/direct") ==
        "overridden: via SHM/direct/direct");
  CHECK(via("NCCL_CUMEM_ENABLE", "1", "P2P/CUMEM") == "applied: via P2P/CUMEM");
  CHECK(via("NCCL_CUMEM_ENABLE", "0", "P2P/CUMEM/read") == "overridden: via P2P/CUMEM/read");
  CHECK(via("NCCL_CUMEM_ENABLE", "0", "P2P/IPC") == "applied: via P2P/IPC");
  CHECK(via("NCCL_CUMEM_ENABLE", "0", "P2P/direct pointer") ==
        "unconfirmed: NCCL read 0" + nothing);
  CHECK(via("NCCL_PXN_DISABLE", "1", "NET/IB/0(2)/GDRDMA") == "overridden: via NET/IB/0(2)/GDRDMA");
  CHECK(via("NCCL_PXN_DISABLE", "1", "NET/IB/0/GDRDMA(PCI)") ==
        "applied: via NET/IB/0/GDRDMA(PCI)");
  CHECK(via("NCCL_NET", "AWS Libfabric", "NET/AWS Libfabric/0/GDRDMA") ==
        "applied: via NET/AWS Libfabric");
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
  const std::string low =
      "n:1:1 [0] NCCL INFO NCCL_MIN_CTAS set by environment to 0.\n"
      "n:1:1 [0] NCCL INFO NCCL_MIN_CTAS 0 is too low, leaving it set at 1\n";
  CHECK(found(low, "NCCL_MIN_CTAS", "0") ==
        "overridden: NCCL_MIN_CTAS 0 is too low, leaving it set at 1");
}

TEST_CASE("what a communicator was given is told, and proves no effect", "[run]") {
  const std::string policy =
      "n:1:1 [0] NCCL INFO NCCL_CTA_POLICY set by environment to 2.\n"
      "n:1:1 [0] NCCL INFO Comm config CTAPolicy reset to NCCL_CTA_POLICY=2\n";
  CHECK(
      found(policy, "NCCL_CTA_POLICY", "2") ==
      "unconfirmed: Comm config CTAPolicy reset to NCCL_CTA_POLICY=2, and nothing shows what came "
      "of it");
}
