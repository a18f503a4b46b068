#include "harness/run/nccl/nccl_profile.h"

#include <string>
#include <utility>

#include <re2/re2.h>

#include "harness/run/process/log_lines.h"

namespace scalestudy {

using re2::RE2;

void read_nccl_profile(std::istream& lines, NcclTrace& trace) {
  static const RE2 kHeader(R"(scalestudy-nccl-profile 1)");
  static const RE2 kCommunicator(R"(communicator abi=(\d{1,3}))");
  static const RE2 kCollective(
      R"(collective (\S+) (\S+) (\S+) channels=(\d{1,6}) threads=(\d{1,6}))");
  static const RE2 kMessage(R"(message \S+ channels=(\d{1,6}))");
  constexpr int first_that_counts = 4;  // before it channels are the most that it could be
  int version = 0;
  bool is_first = true;
  bool is_profile = false;
  const auto read = [&](const std::string& line) {
    NcclTrace::Collective collective;
    int channels = 0;
    if (std::exchange(is_first, false)) {
      is_profile = RE2::FullMatch(line, kHeader);
    } else if (!is_profile) {
      return;
    } else if (RE2::FullMatch(line, kCommunicator, &version)) {
      trace.has_profile = true;
    } else if (RE2::FullMatch(line, kMessage, &channels)) {
      trace.message_channels.insert(channels);
    } else if (RE2::FullMatch(line,
                              kCollective,
                              &collective.function,
                              &collective.algorithm,
                              &collective.protocol,
                              &collective.channels,
                              &collective.threads)) {
      if (collective.algorithm == "-" || collective.protocol == "-") {
        collective.algorithm.clear();
        collective.protocol.clear();
      }
      collective.channels = version < first_that_counts ? 0 : collective.channels;
      trace.collectives.insert(std::move(collective));
    }
  };
  trace.is_cut |= !for_each_line(lines, read);
}

}  // namespace scalestudy
