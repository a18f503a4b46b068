// An export that another wrote, as `import` takes it and `report` shows it: the files of one study,
// "---8<---" between them and an empty line for an empty one.
#include <array>

#include "harness/exchange/export.h"
#include "harness/report/answer/answer.h"
#include "harness/report/files/csv.h"
#include "harness/report/sections/sections.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/planned_study.h"

namespace {

using namespace scalestudy;

constexpr std::array kFiles{"study.json",
                            "study.yaml",
                            "cells.jsonl",
                            "sessions.jsonl",
                            "trials.jsonl",
                            "series.jsonl",
                            "projections.jsonl",
                            "publications.jsonl"};

StoreContent read(const std::string& input) {
  const std::filesystem::path folder = test::scratch() / "export";
  std::filesystem::create_directories(folder / "small");
  test::write_scratch("export/export.json",
                      R"({"format": "scalestudy export", "version": 1, "studies": ["small"]})");
  std::pair<std::string, std::string> parts{"", input};
  for (const char* file : kFiles) {
    parts = test::split(parts.second);
    test::write_scratch(std::string("export/small/") + file,
                        parts.first == "\n" ? "" : parts.first);
  }
  return read_export(folder);
}

}  // namespace

void scalestudy::test::fuzz(const std::string& input) {
  Store store = Store::open_in_memory();
  if (!answers([&] { store.replace_content(read(input)); })) {
    return;
  }
  const ExportFiles files = format_export(store.content());
  write_export(files, scratch() / "again");
  Store second = Store::open_in_memory();
  require(answers([&] { second.replace_content(read_export(scratch() / "again")); }),
          "what was imported can be exported and imported");
  require(format_export(second.content()) == files, "to the same bytes");
  for (const StudyRow& row : store.studies()) {
    if (input.size() % 8 != 0) {  // it takes as long as twenty of the rest
      break;
    }
    answers([&] {
      analyse_stored(store, row.id, parse_stored_study(row.source_text, row.source_path));
      const report::ReportInput of_study = report::read_input(store, row.id);
      (void)report::build_view(of_study, {});
      (void)report::make_csv_files(of_study);
    });
  }
}
