// The pages of a site, and the folder they are written into.
#include "harness/site/site.h"

#include <algorithm>
#include <filesystem>
#include <string>

#include "harness/base/error.h"
#include "harness/report/template/html.h"
#include "harness/site/site_folder.h"
#include "tests/report/scratch_folder.h"
#include "tests/site/site_sample.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;

namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;
using test::sample_site;
using test::sample_site_study;
using test::ScratchFolder;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

std::string message_of(const std::function<void()>& act, ErrorKind kind) {
  try {
    act();
  } catch (const Error& error) {
    CHECK(error.kind() == kind);
    return error.what();
  }
  return "nothing was thrown";
}

TEST_CASE("an index says of each study what its report says first, and links to all it has",
          "[report]") {
  const SiteStudy study = sample_site_study("demo");
  const ReportFiles site = sample_site({study});
  const std::string& index = site.at("index.html");
  const std::string& page = site.at("studies/demo/index.html");

  CHECK_THAT(index, Contains("<h1>Our machines</h1>") && Contains("<article id=\"demo\">"));
  // As the golden report (tests/golden/scaling/report.md) begins.
  CHECK_THAT(index,
             Contains("Does a second device pay for a small MLP?") &&
                 Contains("<p>Trust: <strong>low</strong></p>"));
  const std::string figure = "studies/demo/figures/speedup.svg";
  CHECK_THAT(index, Contains("<img class=\"small\" src=\"" + figure + "\" alt=\"Figure of Does"));
  CHECK(site.contains(figure));
  CHECK_THAT(page, Contains("<h2 id=\"threats-to-validity\">"));
  for (const char* file :
       {"studies/demo/study.yaml", "studies/demo/results.json", "studies/demo/data/results.csv"}) {
    CHECK(site.contains(file));
    CHECK_THAT(page, Contains("<a href=\"" + std::string(file).substr(13) + "\">"));
  }
  for (const auto& [path, content] : site) {
    INFO(path);
    CHECK((!path.ends_with(".html") || content.find("default-src 'none'") != std::string::npos));
  }
}

TEST_CASE("the list of files has an anchor that no heading of a report can have", "[report]") {
  const ReportFiles site = sample_site({sample_site_study("demo", {.title = "Files"})});
  const std::string& page = site.at("studies/demo/index.html");

  CHECK(count(page, "id=\"files\"") == 1);  // the study's title
  CHECK(count(page, "<h2 id=\"site.files\">Files</h2>") == 1);
  CHECK(count(page, "<a href=\"#site.files\">CSV files</a>") == 1);
  CHECK(count(site.at("index.html"),
              "<a href=\"studies/demo/index.html#site.files\">CSV files</a>") == 1);
}

TEST_CASE("an index says when an emulated study ran, not that it measured", "[report]") {
  Store store = Store::open_in_memory();
  const ReportRequest request = test::sample_request(test::fill_sample(store));
  ReportInput input = read_input(store, request.study_id);
  const auto index = [&] {
    return sample_site({make_site_study(input, render_report(store, request), "")})
        .at("index.html");
  };
  CHECK_THAT(index(), Contains("· measured 20") && !Contains("emulated"));

  input.results.estimates.front().provenance = Provenance::kEmulated;
  CHECK_THAT(index(), Contains("· emulated 20") && !Contains("· measured 20"));
}

TEST_CASE("an index does not call imported trials not run", "[report]") {
  Store store = Store::open_in_memory();
  const ReportRequest request = test::sample_request(test::fill_sample(store));
  ReportInput input = read_input(store, request.study_id);
  input.sessions.clear();
  const auto index = [&] {
    return sample_site({make_site_study(input, render_report(store, request), "")})
        .at("index.html");
  };
  CHECK_THAT(index(), Contains("· not run yet ·"));

  for (TrialRow& trial : input.trials) {
    trial.provenance = TrialProvenance::kImported;
  }
  CHECK_THAT(index(), Contains("· imported ·") && !Contains("not run yet"));
}

TEST_CASE("an index calls what a study varies by the words of its report, zipped axes with values",
          "[report]") {
  Store store = Store::open_in_memory();
  const ReportRequest request = test::sample_request(test::fill_sample(store));
  ReportInput input = read_input(store, request.study_id);
  input.declared.axes = {{"batch_global", {std::int64_t{16}, std::int64_t{32}}},
                         {"bucket_mb", {std::int64_t{1}, std::int64_t{25}}}};
  input.declared.zip = {{{"devices", std::int64_t{1}}, {"workers", std::int64_t{4}}},
                        {{"devices", std::int64_t{2}}, {"workers", std::int64_t{4}}},
                        {{"devices", std::int64_t{4}}, {"workers", std::int64_t{8}}}};
  input.declared.parameters = {{"message_bytes", std::int64_t{65536}}, {"optimizer", "adam"}};
  input.declared.labels = {{"workers", "loader processes"}};
  const std::string index =
      sample_site({make_site_study(input, render_report(store, request), "")}).at("index.html");

  CHECK_THAT(index,
             Contains("global batch 16, 32; bucket 1, 25 MiB; devices 1, 2, 4; loader processes 4, "
                      "8; message size 64 KiB; optimizer adam"));
}

TEST_CASE("studies stand by their last session, the newest first", "[report]") {
  SiteStudy old = sample_site_study("a-old");
  SiteStudy newer = sample_site_study("b-new");
  SiteStudy never = sample_site_study("c-never");
  old.last_session = "2026-11-20T10:00:00Z";
  newer.last_session = "2026-11-21T10:00:00Z";
  never.last_session = "";

  const std::string index = sample_site({never, old, newer}).at("index.html");

  CHECK(index.find("id=\"b-new\"") < index.find("id=\"a-old\""));
  CHECK(index.find("id=\"a-old\"") < index.find("id=\"c-never\""));
}

TEST_CASE("the history tells changes first, then studies of too few sessions", "[report]") {
  const std::string history =
      sample_site({sample_site_study("few"),
                   sample_site_study("many", {}, "| cell |\n| --- |\n| batch 8 |\n")})
          .at("history.html");

  CHECK_THAT(history, Contains("<section id=\"many\">") && Contains("<td>batch 8</td>"));
  CHECK_THAT(history.substr(history.find("Too few sessions so far")),
             Contains("studies/few/index.html") && !Contains("studies/many/"));
}

TEST_CASE("another study leaves every byte of a study's folder", "[report]") {
  const ReportFiles before = sample_site({sample_site_study("demo")});

  const ReportFiles after = sample_site({sample_site_study("demo"), sample_site_study("other")});

  std::size_t same = 0;
  for (const auto& [path, content] : before) {
    if (path.starts_with("studies/")) {
      INFO(path);
      CHECK(after.at(path) == content);
      ++same;
    }
  }
  CHECK(same > 10);
}

TEST_CASE("a title of HTML shows as it is, and no page has a script but the search", "[report]") {
  const ReportFiles site = sample_site(
      {sample_site_study("demo", {.title = test::kHostile, .batch_label_extra = test::kHostile})});

  for (const auto& [path, content] : site) {
    if (path.ends_with(".html")) {
      INFO(path);
      CHECK(count(content, "<script") == (path == "index.html" ? 1 : 0));
      CHECK_THAT(content, !Contains("href=\"y\"") && !Contains("javascript:"));
    }
  }
  CHECK_THAT(site.at("index.html"), Contains("a|b *c* `d` &lt;script&gt;alert(1)"));
}

TEST_CASE("a name that would leave the site's folder is refused", "[report]") {
  for (const char* name : {"", "..", "../up", "a/b", ".hidden", "a\"b", "a b"}) {
    CHECK_THAT(message_of([&] { sample_site_study(name); }, ErrorKind::kStore),
               Contains("no page can have this name"));
  }
}

TEST_CASE("datasets are listed with their verdicts, each with a page of its audit", "[report]") {
  const AuditedDataset audited = [] {
    AuditedDataset item;
    item.dataset.name = "theirs";
    item.dataset.title = "Their <b>run</b>";
    audit::Finding finding;
    finding.figure = "efficiency, devices=16";
    finding.printed = "88%";
    finding.verdict = audit::Verdict::kDoesNotFollow;
    item.findings = {finding, finding};
    return item;
  }();
  PublicationRow row;
  row.title = "nccl <i>";
  row.source = "all_reduce.json";
  row.kind = PublicationKind::kNcclTests;
  row.figures.resize(3);
  const SiteDataset imported{
      .imported = row, .study = "demo", .audited = {}, .why_not = "not a dataset"};
  const SiteDataset theirs{.imported = {}, .study = {}, .audited = audited, .why_not = {}};

  const ReportFiles site = sample_site({}, {theirs, imported, theirs});

  const std::string& list = site.at("datasets.html");
  CHECK(count(list, "datasets/theirs/index.html") == 1);
  CHECK_THAT(list,
             Contains("Their &lt;b&gt;run") && Contains("<td align=\"right\">2</td>") &&
                 Contains("<td>nccl &lt;i&gt;: all_reduce.json</td>") &&
                 Contains("studies/demo/data/published.csv"));
  CHECK_THAT(site.at("datasets/theirs/index.html"),
             Contains("Does not follow") && Contains("efficiency, devices=16"));
  AuditedDataset other = audited;
  other.findings.clear();
  const SiteDataset same_name{.imported = {}, .study = {}, .audited = other, .why_not = {}};
  CHECK_THAT(message_of(
                 [&] {
                   sample_site({}, {theirs, same_name});
                 },
                 ErrorKind::kUsage),
             Contains("two datasets are named theirs"));
}

TEST_CASE("a wrong template of audits is refused though no dataset is audited", "[report]") {
  const ScratchFolder folder;
  folder.write("audit.md", "# {{titel}}\n");
  CHECK_THAT(message_of([&] { make_site("Our machines", {}, {}, folder.path() / "audit.md"); },
                        ErrorKind::kUsage),
             Contains("audit.md:1:3: unknown tag {{titel}}"));
}

TEST_CASE("a link to published figures names their section where the page has it", "[report]") {
  PublicationRow row;
  row.title = "nccl";
  const SiteDataset imported{.imported = row, .study = "demo", .audited = {}, .why_not = {}};
  SiteStudy study = sample_site_study("demo");
  const auto list = [&] { return sample_site({study}, {imported}).at("datasets.html"); };
  CHECK_THAT(list(), Contains("<a href=\"studies/demo/index.html#published-figures\">demo</a>"));

  study.files["studies/demo/index.html"] = "<h1>By a template without the section</h1>";
  CHECK_THAT(list(), Contains("<a href=\"studies/demo/index.html\">demo</a>"));
}

TEST_CASE("writing again replaces what changed and removes what is gone, and nothing else",
          "[report]") {
  const ScratchFolder folder;
  const fs::path site = folder.path() / "site";
  const ReportFiles first = {
      {"index.html", "1"}, {"studies/a/index.html", "a"}, {"studies/b/data/x.csv", "b"}};

  const SiteChange made = write_site(first, site);
  folder.write("site/CNAME", "example.org");
  folder.write("site/studies/b/mine.txt", "a user's");
  const fs::file_time_type written = fs::last_write_time(site / "studies/a/index.html");
  CHECK(differing_site_files(first, site).empty());
  const ReportFiles second = {{"index.html", "2"}, {"studies/a/index.html", "a"}};
  CHECK(differing_site_files(second, site) ==
        std::vector<std::string>{"index.html", "studies/b/data/x.csv"});
  const SiteChange changed = write_site(second, site);

  CHECK((made.written == 3 && made.removed == 0));
  CHECK((changed.written == 1 && changed.removed == 1));
  CHECK(fs::last_write_time(site / "studies/a/index.html") == written);
  CHECK(test::read_file(site / "index.html") == "2");
  CHECK_FALSE(fs::exists(site / "studies/b/data"));
  CHECK(test::read_file(site / "CNAME") == "example.org");
  CHECK(test::read_file(site / "studies/b/mine.txt") == "a user's");
  CHECK(differing_site_files(second, site).empty());
}

TEST_CASE("writing that ended early is gone on with, and leaves nothing behind", "[report]") {
  const ScratchFolder folder;
  const fs::path site = folder.path() / "site";
  folder.write("site/studies/b/index.html/in-the-way", "");  // a folder where a page belongs
  fs::rename(site / "studies", folder.path() / "studies");

  write_site({{"index.html", "1"}, {"studies/a/index.html", "a"}}, site);
  fs::rename(folder.path() / "studies/b", site / "studies/b");
  const ReportFiles next = {
      {"index.html", "2"}, {"studies/b/index.html", "b"}, {"studies/c/index.html", "c"}};
  CHECK_THAT(message_of([&] { write_site(next, site); }, ErrorKind::kStore),
             Contains("studies/b/index.html"));

  // The index still is the old one, and so is what it links to.
  CHECK(test::read_file(site / "index.html") == "1");
  CHECK(test::read_file(site / "studies/a/index.html") == "a");
  fs::remove_all(site / "studies/b");
  write_site({{"index.html", "3"}}, site);
  CHECK_FALSE(fs::exists(site / "studies"));
}

TEST_CASE("a folder of something else is not written into", "[report]") {
  const ScratchFolder folder;
  const ReportFiles files = {{"index.html", "1"}};
  const auto refusal = [&](const std::string& name) {
    const std::string said =
        message_of([&] { write_site(files, folder.path() / name); }, ErrorKind::kUsage);
    CHECK_FALSE(fs::exists(folder.path() / name / "index.html"));
    return said;
  };

  folder.write("full/thesis.tex", "");
  folder.write("file", "");
  fs::create_directory(folder.path() / "empty");
  CHECK_THAT(refusal("full"), Contains("holds something else than a site"));
  CHECK_THAT(refusal("file"), Contains("holds something else than a site"));
  for (const char* list : {"",
                           "scalestudy site 2\nindex.html\n",
                           "scalestudy site 1\n../up\n",
                           "scalestudy site 1\na/../../up\n",
                           "scalestudy site 1\n/etc/x\n",
                           "scalestudy site 1\n\n"}) {
    INFO(list);
    folder.write("other/site.txt", list);
    CHECK_THAT(refusal("other"), Contains("no list of a site"));
  }
  CHECK(write_site(files, folder.path() / "empty").written == 1);
}

TEST_CASE("the policy knows the search by the hash that its bytes have", "[report]") {
  const ScratchFolder folder;
  const std::string index = sample_site({sample_site_study("demo")}).at("index.html");
  const std::size_t start = index.find("<script>") + 8;
  folder.write("script", index.substr(start, index.find("</script>") - start));

  // By coreutils: the digest as base64 of its bytes.
  const std::string hash =
      test::run_program({"bash",
                         "-c",
                         "printf \"$(sha256sum < " + folder.file("script") +
                             " | cut -c1-64 | sed 's/../\\\\x&/g')\" | base64 -w0"})
          .out;

  CHECK(hash.size() == 44);
  CHECK_THAT(index, Contains("script-src 'sha256-" + hash + "'"));
}

}  // namespace
