// Content goes through its text files and comes back as it was.
#include "harness/exchange/export.h"

#include <limits>
#include <optional>
#include <string>

#include "harness/base/error.h"
#include "harness/store/lines.h"
#include "harness/store/merge/merge.h"
#include "harness/store/store.h"
#include "tests/store/filled_store.h"
#include "tests/store/sample_publications.h"
#include "tests/store/sample_results.h"
#include "tests/support/catch.h"

using Catch::Contains;
using Catch::EndsWith;
using namespace scalestudy;
using namespace scalestudy::test;

namespace {

// Two studies; the first with a failed attempt, values that are hard to print, logs, published
// figures and a look.
Store filled_store() {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  TrialRecord failed;
  failed.trial = planned.trials[3];
  failed.trial.state = TrialState::kFailed;
  failed.trial.session_id = planned.session_id;
  failed.trial.reason = "exit code 1 | \"quoted\" \xc3\xa9\n";
  failed.trial.disturbance = Disturbance::kForeignLoad;
  failed.logs.push_back({.stream = LogStream::kStderr, .path = "logs/x/stderr", .text = "tail"});
  store.finish_trial(failed, true);
  TrialRecord exact = make_record(planned.trials[0],
                                  {0.1,
                                   1.0 / 3.0,
                                   std::numeric_limits<double>::denorm_min(),
                                   std::numeric_limits<double>::max(),
                                   123456789.0});
  exact.trial.session_id = planned.session_id;
  SeriesRow of_rank = make_series("step_time_s", {1.0});
  of_rank.rank = 1;
  exact.series.push_back(of_rank);
  store.finish_trial(exact, false);
  finish_all(store, planned);
  store.annotate({.trial_id = planned.trials[0].id,
                  .at = "2026-11-22T08:00:00Z",
                  .kind = AnnotationKind::kExclude,
                  .text = "door open"});
  store.note_look(planned.study_id);
  store.add(planned.study_id,
            {{.cell = "00000001",
              .axis = "batch_global",
              .value = 88,
              .first_block = 8,
              .blocks = std::nullopt,
              .reason = "the bracket was [64, 128]"}});
  PublicationRow publication = make_publication("paper", {"1.9x", "3.4x"});
  publication.study_id = planned.study_id;
  store.put_publications({publication, make_publication("other", {"2.0x"})});
  plan_small_study(store, 1, "second");
  return store;
}

StoreContent through_files(const StoreContent& content, const std::string& folder) {
  write_export(format_export(content), folder);
  return read_export(folder);
}

}  // namespace

TEST_CASE("an export reads back to the same content, and writes the same bytes", "[exchange]") {
  const TemporaryFolder folder;
  const StoreContent content = filled_store().content();

  const StoreContent read = through_files(content, folder.file("export"));

  const Merged merged = merge({.name = "a", .content = content}, {.name = "b", .content = read});
  CHECK_FALSE(merged.has_changed);
  CHECK(merged.known == 5);
  Store store = Store::open_in_memory();
  store.replace_content(read);
  CHECK(format_export(store.content()) == format_export(content));
  CHECK(format_export(store.content()).size() == 1 + 7 + 5 + 1);  // second: no series, figures
  CHECK(read.studies[0].trials[0].record.series[0].values ==
        content.studies[0].trials[0].record.series[0].values);
  CHECK(read.studies[0].trials[0].annotations.at(0).text == "door open");
  CHECK(read.studies[0].looks == std::vector<std::int64_t>{4});
  CHECK(read.studies[0].additions == store.additions(1));
  CHECK(read.studies[0].additions.size() == 1);
}

TEST_CASE("an export tells the nodes of a trial, and one of before that did not is read",
          "[exchange]") {
  const TemporaryFolder folder;
  StoreContent content = filled_store().content();
  content.studies[0].trials[0].record.trial.hosts = "n0,n1";
  CHECK(through_files(content, folder.file("now")).studies[0].trials[0].record.trial.hosts ==
        "n0,n1");

  ExportFiles files = format_export(content);
  std::string& text = files.at("small/trials.jsonl");
  for (const std::string key : {"\"hosts\":\"n0,n1\",", "\"hosts\":\"\","}) {
    for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key)) {
      text.erase(at, key.size());
    }
  }
  REQUIRE(text.find("hosts") == std::string::npos);
  write_export(files, folder.path() / "before");

  CHECK(read_export(folder.path() / "before").studies[0].trials[0].record.trial.hosts.empty());
}

TEST_CASE("an export replaces an earlier one and nothing else", "[exchange]") {
  const TemporaryFolder folder;
  StoreContent content = filled_store().content();
  through_files(content, folder.file("export"));
  content.studies.erase(content.studies.begin());
  content.publications.clear();

  const StoreContent read = through_files(content, folder.file("export"));

  CHECK(read.studies.size() == 1);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "export/small"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "export/publications.jsonl"));
  std::filesystem::create_directory(folder.path() / "own");
  write_file(folder.file("own/notes.txt"), "mine");
  CHECK_THROWS_WITH(write_export(format_export(content), folder.path() / "own"),
                    Contains("own: holds something else than an export"));
  CHECK(read_file(folder.path() / "own/notes.txt") == "mine");
}

TEST_CASE("an export that was changed is refused with file and line", "[exchange]") {
  const TemporaryFolder folder;
  const ExportFiles files = format_export(filled_store().content());
  const auto refusal =
      [&](const std::string& name, const std::string& from, const std::string& to) {
        ExportFiles changed = files;
        std::string& text = changed.at(name);
        const std::size_t at = text.find(from);
        REQUIRE(at != std::string::npos);
        text.replace(at, from.size(), to);
        write_export(changed, folder.path() / "export");
        try {
          read_export(folder.path() / "export");
        } catch (const Error& error) {
          CHECK(error.kind() == ErrorKind::kUsage);
          return std::string(error.what());
        }
        return std::string("read");
      };

  CHECK(refusal("small/trials.jsonl", "\"block\":0", "\"block\":7") == "read");
  CHECK_THAT(refusal("small/trials.jsonl", "\"cell\":\"00000001\"", "\"cell\":\"0\""),
             Contains("small/trials.jsonl:1: there is no cell 0"));
  CHECK_THAT(refusal("small/trials.jsonl", "\"state\":\"ok\"", "\"state\":\"fine\""),
             Contains("'fine' is not one of planned, running, ok"));
  CHECK_THAT(refusal("small/trials.jsonl", "\"attempt\"", "\"try\""),
             Contains("small/trials.jsonl:1: ") && Contains("key 'attempt' not found"));
  // An export of before trials said what disturbed them.
  CHECK(refusal("small/trials.jsonl", "\"disturbance\":\"foreign_load\",", "") == "read");
  CHECK_THAT(refusal("small/series.jsonl", "\"trial\":1", "\"trial\":99"),
             Contains("small/series.jsonl:1: there is no such trial"));
  CHECK_THAT(refusal("small/series.jsonl", "\"warmup_n\":1", "\"warmup_n\":9"),
             Contains("warmup_n is 9, of 6 values"));
  CHECK_THAT(refusal("small/trials.jsonl", "\"block\":0", "\"block\":\"0\""),
             Contains("small/trials.jsonl:1: block is \"0\"; an integer from -"));
  CHECK_THAT(refusal("small/trials.jsonl", "\"state\":\"ok\"", "\"state\":7"),
             Contains("state is 7; a text is required. "));
  CHECK_THAT(refusal("small/trials.jsonl", "\"block\":0", "\"block\":0.7"),
             Contains("block is 0.7; an integer from -"));
  CHECK_THAT(refusal("small/series.jsonl", "\"rank\":null", "\"rank\":99999999999"),
             Contains("rank is 99999999999; an integer from -2147483648 to 2147483647 is req"));
  CHECK_THAT(
      refusal("small/series.jsonl", "\"trial\":1", "\"trial\":\"" + std::string(39, 'x') + "\""),
      Contains("trial is \"" + std::string(39, 'x') + "...; an integer from "));
  CHECK_THAT(refusal("small/trials.jsonl", "\"annotations\":[", "\"annotations\":[1,"),
             Contains(": a value is not the object that it must be. "));
  CHECK_THAT(refusal("small/series.jsonl", "[", "[1e999,"),
             Contains("small/series.jsonl:1: the number '1e999' is too large. "));
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  CHECK_THAT(refusal("small/trials.jsonl", "\"annotations\":[", "\"annotations\":[" + deep + ","),
             Contains("small/trials.jsonl:1"));
  CHECK_THAT(refusal("small/trials.jsonl", "\"block\":0", "\"block\":" + deep),
             Contains("block is a list; an integer from -"));
  CHECK_THAT(refusal("small/sessions.jsonl", "{", "["), Contains("small/sessions.jsonl:1"));
  CHECK_THAT(refusal("small/study.json", "\"name\": \"small\"", "\"name\": \"other\""),
             Contains("its name is not small"));
  CHECK_THAT(refusal("export.json", "\"small\"", "\"../small\""),
             Contains("cannot be the name of a folder"));
  write_export(files, folder.path() / "endless");
  const std::filesystem::path endless = folder.path() / "endless/small/series.jsonl";
  std::filesystem::remove(endless);
  std::filesystem::create_symlink("/dev/zero", endless);
  CHECK_THROWS_WITH(read_export(folder.path() / "endless"),
                    Contains("series.jsonl:1: no regular file"));
  std::filesystem::remove(endless);
  std::filesystem::create_symlink("/proc/self/mem", endless);  // reading it fails with EIO
  CHECK_THROWS_WITH(read_export(folder.path() / "endless"),
                    Contains("series.jsonl: cannot be read to its end"));
  std::filesystem::remove_all(folder.path() / "export");
  CHECK_THAT(refusal("export.json", "\"version\": 1", "\"version\": 2"), Contains("version 2"));
  std::filesystem::remove(folder.path() / "export/export.json");
  CHECK_FALSE(is_export(folder.path() / "export"));
}

TEST_CASE("a damaged export is refused at the place, with what to do", "[exchange]") {
  const TemporaryFolder folder;
  write_export(format_export(filled_store().content()), folder.path());
  const auto refusal = [&](const std::string& name, const std::string& text) {
    write_file(folder.file(name), text);
    try {
      read_export(folder.path());
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("read");
  };
  const std::string advice =
      ". If the file was damaged or edited, copy the export again or make it again with "
      "`scalestudy export`";
  const std::string cut = "the JSON ends here, before it is complete";

  const std::string cells = folder.file("small/cells.jsonl");
  const std::string first = read_file(cells).substr(0, read_file(cells).find('\n') + 1);
  CHECK(refusal("small/cells.jsonl", first + "{\"hash\":\"0000") ==
        cells + ":2:14: " + cut + advice);
  CHECK(refusal("small/cells.jsonl", first + "{\"hash\"?") ==
        cells + ":2:8: this is not valid JSON: unexpected '?'" + advice);
  const std::string study = folder.file("small/study.json");
  CHECK(refusal("small/study.json", "{\n  \"hash\": ") == study + ":2:11: " + cut + advice);
  const std::string names = folder.file("export.json");
  CHECK(refusal("export.json", "{\n  \"format\": \"scalestudy export\",\n  \"stud") ==
        names + ":3:8: " + cut + advice);
  CHECK(refusal("export.json", "") == names + ":1:1: " + cut + advice);
}

TEST_CASE("an export that lost whole lines or files is refused", "[exchange]") {
  const TemporaryFolder scratch;
  const std::filesystem::path folder = scratch.path() / "export";
  const ExportFiles files = format_export(filled_store().content());
  const auto refusal = [&](const std::string& name, const std::optional<std::string>& text) {
    std::filesystem::remove_all(folder);
    write_export(files, folder);
    std::filesystem::remove(folder / name);
    if (text) {
      write_file((folder / name).string(), *text);
    }
    try {
      read_export(folder);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("read");
  };
  const auto without_last = [&](const std::string& name) {
    const std::string& text = files.at(name);
    return text.substr(0, text.rfind('\n', text.size() - 2) + 1);
  };

  for (const auto& [name, text] : files) {
    INFO(name);
    CHECK_THAT(refusal(name, {}), Contains(name + ":1: "));
    CHECK_THAT(refusal(name, without_last(name)), Contains(name + ":"));
    if (name != "export.json") {
      CHECK_THAT(refusal(name, text.substr(0, text.size() - 1)), Contains("complete line"));
    }
  }
  CHECK_THAT(
      refusal("small/series.jsonl", {}),
      Contains("small/series.jsonl:1: there is no such file; export.json says that it has "));
  CHECK_THAT(refusal("small/cells.jsonl", without_last("small/cells.jsonl")),
             Contains("small/cells.jsonl:1: it has 1 complete line, but export.json says 2. If "));
  CHECK_THAT(refusal("second/publications.jsonl", files.at("publications.jsonl")),
             Contains("but export.json says 0. "));

  // Of before they were counted.
  std::string index = files.at("export.json");
  index.erase(index.find("\"lines\""), index.find("\"studies\"") - index.find("\"lines\""));
  write_export(files, folder);
  std::filesystem::remove(folder / "small/series.jsonl");
  write_file((folder / "export.json").string(), index);
  CHECK(read_export(folder).studies.size() == 2);
}

TEST_CASE("lines are counted once secrets are masked", "[exchange]") {
  const TemporaryFolder folder;
  StoreContent content = filled_store().content();
  content.studies[0].study.source_text += "# key: first\n# second\n";

  write_export(format_export(content, {"first\n# second"}), folder.path());

  CHECK_THAT(read_export(folder.path()).studies[0].study.source_text,
             EndsWith("# key: (secret)\n"));
}

TEST_CASE("a projection goes through the files with its date and the trials it rests on",
          "[exchange]") {
  const TemporaryFolder folder;
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  finish_all(store, planned);
  store.replace_results(planned.study_id, sample_results(planned));
  const StoreContent content = store.content();

  const StoreContent read = through_files(content, folder.file("export"));

  CHECK(read.studies[0].projections.size() == 1);  // the refused one follows from the samples
  CHECK(format_export(read) == format_export(content));
  Store other = Store::open_in_memory();
  other.replace_content(read);
  const ProjectionRow row = other.results(1).projections.at(0);
  CHECK(row.made_at == "2026-11-21T10:00:00Z");
  CHECK(row.value == 0.5);
  CHECK(row.trials == std::vector<std::int64_t>{planned.trials[0].id});
  CHECK_FALSE(row.measured);

  ExportFiles files = format_export(content);
  std::string& text = files.at("small/projections.jsonl");
  text.replace(text.find("[[\"00000001"), 11, "[[\"0000000f");
  write_export(files, folder.path() / "export");
  CHECK_THROWS_WITH(read_export(folder.path() / "export"),
                    Contains("small/projections.jsonl:1: a trial that it rests on is not there"));
}

TEST_CASE("the line of the format's page is one of an export", "[exchange]") {
  const std::string page = read_file(SCALESTUDY_SOURCE_DIR "/harness/exchange/FORMAT.md");
  const std::size_t at = page.find("```json\n") + 8;
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store, 1);
  store.finish_trial(make_record(planned.trials[0], {1.0, 1.5}), false);

  CHECK(format_export(store.content()).at("small/series.jsonl") ==
        page.substr(at, page.find("```", at) - at));
}

TEST_CASE("a trial of an export without skip_reason is skipped for what its sentence says",
          "[exchange]") {
  const auto read = [](TrialState state, const std::string& reason) {
    TrialContent trial;
    trial.record.trial.state = state;
    trial.record.trial.reason = reason;
    std::string line = format_trial(trial);
    const std::string column = "\"skip_reason\":null,";
    line.erase(line.find(column), column.size());
    return parse_trial(line).record.trial.skip_reason;
  };
  CHECK(read(TrialState::kSkipped, "precision reached") == SkipReason::kPrecise);
  CHECK(read(TrialState::kSkipped, "comparison decided") == SkipReason::kDecided);
  CHECK(read(TrialState::kSkipped, "no longer in the study") == SkipReason::kNotInStudy);
  CHECK(read(TrialState::kSkipped, "3 attempts in a row ended failed: exit code 1") ==
        std::nullopt);
  CHECK(read(TrialState::kFailed, "precision reached") == std::nullopt);
}
