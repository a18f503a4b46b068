#include "workloads/train/times/trace.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <utility>

#include <nlohmann/json.hpp>

#include "workloads/protocol/exit_codes.h"
#include "workloads/rank/error.h"
#include "workloads/train/times/gpu_trace.h"

namespace scalestudy::train {
namespace {

constexpr auto kNames = std::to_array<const char*>(
    {"step", "data", "forward", "backward", "sync", "update", "wait", "collective"});
static_assert(kNames.size() == static_cast<std::size_t>(SpanKind::kCollective) + 1);

constexpr std::size_t kStepTrack = 0;

// With its quotes; names of kernels may hold any character.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string metadata(const char* what, int rank, std::size_t track, const std::string& name) {
  return std::string(R"({"name":")") + what + R"(","ph":"M","pid":)" + std::to_string(rank) +
         R"(,"tid":)" + std::to_string(track) + R"(,"args":{"name":)" + quoted(name) + "}}";
}

std::int64_t nanoseconds(double seconds) {
  return std::llround(seconds * 1e9);
}

// "1234.567" of 1234567 ns.
std::string microseconds(std::int64_t ns) {
  const std::string digits = std::to_string(std::abs(ns));
  const std::string padded = std::string(digits.size() < 4 ? 4 - digits.size() : 0, '0') + digits;
  return (ns < 0 ? "-" : "") + padded.substr(0, padded.size() - 3) + '.' +
         padded.substr(padded.size() - 3);
}

// Lines of a trace, which may come in any order.
class Events {
 public:
  explicit Events(int rank) : rank_(rank) {}

  // phase  as the format names it; `more` are further members of the object, each behind a comma
  void add(double at_s,
           std::size_t track,
           const char* phase,
           const std::string& name,
           const std::string& more) {
    const std::int64_t at_ns = nanoseconds(at_s);
    lines_.emplace_back(at_ns,
                        "{\"name\":" + quoted(name) + R"(,"ph":")" + phase + R"(","pid":)" +
                            std::to_string(rank_) + R"(,"tid":)" + std::to_string(track) +
                            R"(,"ts":)" + microseconds(at_ns) + more + '}');
  }

  // It ends where another that begins then begins: durations are of rounded times.
  void add_span(double from_s,
                double duration_s,
                std::size_t track,
                const std::string& name,
                const std::string& more) {
    const std::int64_t length_ns = nanoseconds(from_s + duration_s) - nanoseconds(from_s);
    add(from_s, track, "X", name, R"(,"dur":)" + microseconds(length_ns) + more);
  }

  // What begins together stays in the order of adding, so that a step comes before its phases.
  void write(std::ofstream& file) {
    std::stable_sort(lines_.begin(), lines_.end(), [](const auto& a, const auto& b) {
      return a.first < b.first;
    });
    for (const auto& [at_ns, line] : lines_) {
      file << ",\n" << line;
    }
  }

 private:
  int rank_;
  std::vector<std::pair<std::int64_t, std::string>> lines_;
};

void add_spans(const std::vector<Span>& spans, Events& events) {
  std::size_t id = 0;
  for (const Span& span : spans) {
    if (span.kind == SpanKind::kCollective) {
      // Several may be in flight, which spans of one thread cannot show.
      const std::string more = R"(,"cat":"collective","id":)" + std::to_string(id++);
      events.add(span.from_s, kStepTrack, "b", name_of(span), more);
      events.add(span.from_s + span.duration_s, kStepTrack, "e", name_of(span), more);
    } else {
      events.add_span(span.from_s, span.duration_s, kStepTrack, name_of(span), "");
    }
  }
}

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
                 int rank,
                 const std::vector<Span>& spans,
                 const GpuTrace& gpu) {
  const std::string path = folder + "/trace.rank" + std::to_string(rank) + ".json";
  Events events(rank);
  for (const std::string& note : gpu.notes) {
    events.add(0.0, kStepTrack, "i", note, R"(,"s":"p")");
  }
  add_spans(spans, events);
  for (const GpuSpan& span : gpu.spans) {
    events.add_span(span.from_s,
                    span.duration_s,
                    1 + span.track,
                    gpu.names[span.name],
                    span.bytes
                        ? R"(,"cat":"memory","args":{"bytes":)" + std::to_string(*span.bytes) + '}'
                        : R"(,"cat":"kernel")");
  }
  std::ofstream file(path);
  file << R"({"displayTimeUnit":"ms","traceEvents":[)" << '\n'
       << metadata("process_name", rank, kStepTrack, "rank " + std::to_string(rank)) << ",\n"
       << metadata("thread_name", rank, kStepTrack, "steps");
  for (std::size_t i = 0; i < gpu.tracks.size(); ++i) {
    file << ",\n" << metadata("thread_name", rank, 1 + i, gpu.tracks[i]);
  }
  events.write(file);
  file << "\n]}\n";
  file.close();
  if (!file) {
    throw rank::WorkloadError(protocol::kExitFailed, path + ": the trace cannot be written");
  }
}

}  // namespace scalestudy::train
