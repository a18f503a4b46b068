#include "workloads/train/trace.h"

#include <array>
#include <cstdlib>
#include <fstream>
#include <iomanip>

#include "workloads/protocol/exit_codes.h"
#include "workloads/rank/error.h"

namespace scalestudy::train {
namespace {

constexpr std::array<const char*, 8> kNames = {
    "step", "data", "forward", "backward", "sync", "update", "wait", "collective"};

}  // namespace

std::string name_of(const Span& span) {
  return std::string(kNames.at(static_cast<std::size_t>(span.kind))) + ' ' +
         std::to_string(span.index);
}

std::string trace_folder() {
  const char* folder = std::getenv("SCALESTUDY_TRACE");  // NOLINT(concurrency-mt-unsafe)
  return folder == nullptr ? "" : folder;
}

void write_trace(const std::string& folder,
                 const rank::World& world,
                 const std::vector<Span>& spans) {
  constexpr double us_per_s = 1e6;
  const std::string path = folder + "/trace.rank" + std::to_string(world.rank()) + ".json";
  std::ofstream file(path);
  file << std::fixed << std::setprecision(3);  // whole nanoseconds
  file << R"({"displayTimeUnit":"ms","traceEvents":[)"
       << R"({"name":"process_name","ph":"M","pid":)" << world.rank() << R"(,"args":{"name":"rank )"
       << world.rank() << "\"}}";
  std::size_t id = 0;
  for (const Span& span : spans) {
    const auto event = [&](const char* phase, double at_s) -> std::ofstream& {
      file << ",\n{\"name\":\"" << name_of(span) << R"(","ph":")" << phase << R"(","pid":)"
           << world.rank() << R"(,"tid":0,"ts":)" << at_s * us_per_s;
      return file;
    };
    if (span.kind == SpanKind::kCollective) {
      // Several may be in flight, which spans of one thread cannot show.
      event("b", span.from_s) << R"(,"cat":"collective","id":)" << id << '}';
      event("e", span.from_s + span.duration_s) << R"(,"cat":"collective","id":)" << id << '}';
      ++id;
    } else {
      event("X", span.from_s) << R"(,"dur":)" << span.duration_s * us_per_s << '}';
    }
  }
  file << "\n]}\n";
  file.close();
  if (!file) {
    throw rank::WorkloadError(protocol::kExitFailed, path + ": the trace cannot be written");
  }
}

}  // namespace scalestudy::train
