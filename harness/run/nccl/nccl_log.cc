#include "harness/run/nccl/nccl_log.h"

#include <array>
#include <vector>

#include <re2/re2.h>

#include "harness/run/process/log_lines.h"

namespace scalestudy {
namespace {

using re2::RE2;
using re2::StringPiece;

// Before 2.25 NCCL printed the numbers of its enumerations (nccl_tuner.h).
constexpr std::array<const char*, 7> kAlgorithms = {
    "TREE", "RING", "COLLNET_DIRECT", "COLLNET_CHAIN", "NVLS", "NVLS_TREE", "PAT"};
constexpr std::array<const char*, 3> kProtocols = {"LL", "LL128", "SIMPLE"};

template <std::size_t n>
std::string word_of(const std::string& text, const std::array<const char*, n>& words) {
  const bool is_number = text.size() == 1 && text[0] >= '0' && text[0] <= '9';
  const auto number = is_number ? static_cast<std::size_t>(text[0] - '0') : n;
  return number < n ? words.at(number) : text;
}

// Of one process.
class LogReader {
 public:
  explicit LogReader(NcclTrace& trace) : trace_(trace) {}

  // "vm:812:820 [0] NCCL INFO ..."
  void read(const std::string& line) {
    static const RE2 kLine(R"((?:(\S+?):\d+:\d+ )?.*?NCCL (?:INFO|WARN) (.*))");
    static const RE2 kName(R"(\b(NCCL_[A-Z0-9_]+))");
    std::string text;
    if (!RE2::FullMatch(line, kLine, &host_, &text)) {
      return;
    }
    trace_.has_started = true;
    read_collective(text) || read_variable(text) || read_channels(text) || read_threads(text) ||
        read_topology(text);
    StringPiece rest(text);
    std::string name;
    while (RE2::FindAndConsume(&rest, kName, &name)) {
      trace_.named.insert(name);
    }
  }

 private:
  bool read_collective(const std::string& text) {
    static const RE2 kChoice(R"((\w+): \d+ Bytes -> Algo (\w+) proto (\w+).*)");
    static const RE2 kSymmetric(R"((\w+) \[Symmetric\]: \d+ Bytes -> Kernel .*)");
    NcclTrace::Collective collective;
    std::string algorithm;
    std::string protocol;
    if (RE2::FullMatch(text, kChoice, &collective.function, &algorithm, &protocol)) {
      collective.algorithm = word_of(algorithm, kAlgorithms);
      collective.protocol = word_of(protocol, kProtocols);
    } else if (!RE2::FullMatch(text, kSymmetric, &collective.function)) {
      return false;
    }
    trace_.collectives.insert(std::move(collective));
    return true;
  }

  bool read_variable(const std::string& text) {
    static const RE2 kTaken(R"((NCCL_\w+) set by environment to (.*?)\.?)");
    static const RE2 kRefused(R"(Invalid .*?(NCCL_[A-Z0-9_]+).*)");
    static const RE2 kLeft(R"((NCCL_[A-Z0-9_]+) (?:value )?\S+ is (?:too|not) .*)");
    static const RE2 kConfigured(R"(Comm config \w+ reset to (NCCL_[A-Z0-9_]+)=.*)");
    std::string name;
    std::string value;
    if (RE2::FullMatch(text, kTaken, &name, &value)) {
      trace_.taken[name] = value;
    } else if (RE2::FullMatch(text, kRefused, &name) || RE2::FullMatch(text, kLeft, &name)) {
      trace_.refused[name] = text;
    } else if (RE2::FullMatch(text, kConfigured, &name)) {
      trace_.configured[name] = text;
    } else {
      return false;
    }
    return true;
  }

  bool read_channels(const std::string& text) {
    static const RE2 kChannels(
        R"((\d{1,6}) coll channels(?:, \d+ collnet channels)?(?:, (\d{1,6}) nvls channels)?.*)");
    static const RE2 kChunk(R"(P2P Chunksize set to (\d{1,9}))");
    int channels = 0;
    std::string nvls;  // "" of versions that had none
    if (RE2::FullMatch(text, kChunk, &channels)) {
      trace_.chunk_bytes.insert(channels);
    } else if (RE2::FullMatch(text, kChannels, &channels, &nvls)) {
      trace_.channels.insert(channels);
      if (int count = 0; RE2::FullMatch(nvls, R"((\d+))", &count)) {
        trace_.nvls_channels.insert(count);
      }
    } else {
      return false;
    }
    return true;
  }

  // Three columns an algorithm, below its name: "  Algorithm   |      Tree      |      Ring |", "
  // Protocol    |  LL |  LL128 |  Simple |  LL ...", " Max NThreads |  512 |  640 |  512 |  512".
  bool read_threads(const std::string& text) {
    static const RE2 kAlgorithm(R"(\s+Algorithm\s+\|(.*))");
    static const RE2 kThreads(R"(\s+Max NThreads\s+\|(.*))");
    static const RE2 kWord(R"((\w+))");
    std::string rest;
    std::string word;
    if (RE2::FullMatch(text, kAlgorithm, &rest)) {
      heads_.clear();
      for (StringPiece words(rest); RE2::FindAndConsume(&words, kWord, &word);) {
        heads_.push_back(word);
      }
      return true;
    }
    if (!RE2::FullMatch(text, kThreads, &rest)) {
      return false;
    }
    std::size_t column = 0;
    for (StringPiece words(rest); RE2::FindAndConsume(&words, kWord, &word); ++column) {
      int threads = 0;
      if (column < heads_.size() * kProtocols.size() &&
          RE2::FullMatch(word, R"((\d{1,6}))", &threads)) {
        trace_
            .most_threads[{heads_[column / kProtocols.size()],
                           kProtocols.at(column % kProtocols.size())}]
            .insert(threads);
      }
    }
    return true;
  }

  // "Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM"; "... rank 1 nranks 2 cudaDev 1 nvmlDev 1 busId
  // 2000 ..."; "GPU/0-1000 :GPU/0-1000 (0/5000.0/LOC) GPU/0-2000 (2/24.0/PHB) CPU/0-0 ...".
  bool read_topology(const std::string& text) {
    static const RE2 kTransport(
        R"(Channel \d+(?:/\d+)? : \d+\[(\w+)\] -> \d+\[(\w+)\](?: \[\w+\])? via (NET/[^/]+\S*|\S+(?: pointer\S*)?).*)");
    static const RE2 kBus(R"(.*nvmlDev (\d{1,6}) busId ([0-9a-f]+) .*Init START.*)");
    static const RE2 kPaths(R"(GPU/(?:[0-9a-f]+-)?([0-9a-f]+) :(.*))");
    static const RE2 kPath(R"(GPU/(?:[0-9a-f]+-)?([0-9a-f]+) \(\d+/[0-9.]+/(\w+)\))");
    std::string from;
    std::string to;
    std::string rest;
    int device = 0;
    if (RE2::FullMatch(text, kTransport, &from, &to, &rest)) {
      trace_.transports.insert(rest);
      NcclTrace::Edge edge{.host = host_, .from = 0, .to = 0, .transport = rest};
      const bool is_near = !rest.starts_with("NET/") && !rest.starts_with("COLLNET/");
      if (is_near && RE2::FullMatch(from, R"((\d{1,6}))", &edge.from) &&
          RE2::FullMatch(to, R"((\d{1,6}))", &edge.to)) {
        trace_.edges.insert(std::move(edge));
      }
    } else if (RE2::FullMatch(text, kBus, &device, &rest)) {
      trace_.buses[{host_, device}] = rest;
    } else if (RE2::FullMatch(text, kPaths, &from, &rest)) {
      std::string kind;
      for (StringPiece paths(rest); RE2::FindAndConsume(&paths, kPath, &to, &kind);) {
        trace_.paths[{host_, from, to}] = kind;
      }
    } else {
      return false;
    }
    return true;
  }

  NcclTrace& trace_;
  std::string host_;                // of the line
  std::vector<std::string> heads_;  // algorithms of the table's block
};

}  // namespace

void read_nccl_log(std::istream& lines, NcclTrace& trace) {
  LogReader reader(trace);
  trace.is_cut |= !for_each_line(lines, [&](const std::string& line) { reader.read(line); });
}

}  // namespace scalestudy
