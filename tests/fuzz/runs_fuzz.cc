// Logs and tables of runs as `import runs` takes them. The lines before "---8<---" are the pattern
// of the files' names, the separator, the order and the map of columns; then each file, its name
// first.
#include <sstream>

#include "harness/import/runs/import_runs.h"
#include "harness/report/files/csv.h"
#include "harness/report/sections/sections.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/planned_study.h"

namespace {

using namespace scalestudy;

constexpr const char* kStudy = R"(version: 1
study: logs
title: Logs
workload: command
command: [train, "{lr}", "{devices}"]
extract:
  - {metric: step_time_s, unit: ms, regex: 'step \d+: (\S+) ms'}
  - {metric: loss, unit: "1", regex: 'loss (\S+)'}
axes: {devices: [1, 2], lr: [0.1, 0.02]}
steps: {warmup: 1, measured: rest}
trials: {count: 3}
analysis: {baseline: {devices: 1}}
)";

RunsRequest read_request(const std::string& text, const std::filesystem::path& folder) {
  std::istringstream lines(text);
  RunsRequest request;
  std::string pattern;
  std::getline(lines, pattern);
  std::getline(lines, request.separator);
  std::getline(lines, request.order);
  request.from = folder.string() + "/" + pattern;
  for (std::string entry; std::getline(lines, entry);) {
    request.column_map.push_back(entry);
  }
  return request;
}

void write_logs(std::string text) {
  while (!text.empty()) {
    const auto [log, rest] = test::split(text);
    const std::size_t end = std::min(log.find('\n'), log.size());
    std::string name = log.substr(0, std::min<std::size_t>(end, 200));
    for (char& c : name) {
      c = c == '/' || c == '\0' ? '_' : c;
    }
    test::write_scratch("logs/" + name, log.substr(std::min(end + 1, log.size())));
    text = rest;
  }
}

}  // namespace

void scalestudy::test::fuzz(const std::string& input) {
  static const Study kDeclared = declare(kStudy);
  static const Matrix kMatrix = expand(kDeclared);
  const auto [head, logs] = split(input);
  if (head.find("..") != std::string::npos) {  // files of others
    return;
  }
  const std::filesystem::path folder = scratch() / "logs";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  write_logs(logs);
  const RunsRequest request = read_request(head, folder);
  static Store store =
      Store::open(scratch() / "results");  // to make one takes longer than the rest
  store.replace_content({});
  std::int64_t id = 0;
  if (!answers([&] {
        const ReadRuns runs = read_runs(kDeclared, kMatrix, request, &store);
        id = store_runs(kDeclared, kMatrix, runs, /*keeps_logs=*/true, store);
      })) {
    return;
  }
  require(answers([&] {
            for (const ReadRun& run : read_runs(kDeclared, kMatrix, request, &store).runs) {
              require(run.effect == RunEffect::kKnown, "a run that is stored is known");
            }
          }),
          "what was imported can be imported again");
  if (input.size() % 8 == 0) {  // it takes as long as twenty of the rest
    analyse_stored(store, id, kDeclared);
    const report::ReportInput read = report::read_input(store, id);
    (void)report::build_view(read, {});
    (void)report::make_csv_files(read);
  }
}
