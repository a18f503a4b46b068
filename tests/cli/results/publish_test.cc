// Black box: a store as a site, published again as it changes.
#include <filesystem>
#include <map>
#include <string>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using Catch::Contains;
using scalestudy::test::ProgramResult;
using scalestudy::test::read_file;
using scalestudy::test::study_text;
using scalestudy::test::Workspace;
using scalestudy::test::write_file;

namespace {

namespace fs = std::filesystem;

std::map<std::string, std::string> content_of(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files[entry.path().lexically_relative(folder).generic_string()] = read_file(entry.path());
    }
  }
  return files;
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

void require_run(const Workspace& workspace, const std::vector<std::string>& arguments) {
  const ProgramResult result = workspace.run(arguments);
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
}

}  // namespace

TEST_CASE("a site has all studies, keeps their addresses, and is the same for the same store",
          "[cli]") {
  const Workspace workspace;
  const std::string site = workspace.file("site");
  require_run(workspace, {"run", workspace.study(), "--max-trials", "12"});

  const ProgramResult first = workspace.run({"publish", site, "--title", "Our <machines>"});
  INFO(first.err);
  CHECK(first.exit_code == 0);
  CHECK(first.out == site + "/index.html\n");
  const auto before = content_of(site);
  CHECK_THAT(before.at("index.html"),
             Contains("<h1>Our &lt;machines&gt;</h1>") && Contains("Does a second device pay?") &&
                 Contains("interim: 8 of 20 trials still to run"));
  CHECK(before.at("studies/demo/study.yaml") == read_file(workspace.study()));
  CHECK_THAT(workspace.run({"publish", site, "--title", "Our <machines>"}).err,
             Contains(" 0 written, 0 removed"));
  CHECK(content_of(site) == before);

  // Another study comes: the first one's folder keeps every byte.
  write_file(workspace.file("other.yaml"), with(study_text(), "study: demo", "study: other"));
  require_run(workspace, {"run", workspace.file("other.yaml"), "--max-trials", "4"});
  require_run(workspace, {"publish", site});
  const auto after = content_of(site);
  std::size_t same = 0;
  for (const auto& [path, content] : before) {
    INFO(path);
    REQUIRE(after.contains(path));
    if (path.starts_with("studies/demo/")) {
      CHECK(after.at(path) == content);
      ++same;
    }
  }
  CHECK(same > 8);
  CHECK_THAT(after.at("index.html"), Contains("studies/other/index.html"));
}

TEST_CASE("publish --check tells which files are not as the store has them", "[cli]") {
  const Workspace workspace;
  const std::string site = workspace.file("site");
  require_run(workspace, {"run", workspace.study(), "--max-trials", "4"});
  require_run(workspace, {"publish", site});
  CHECK(workspace.run({"publish", site, "--check"}).exit_code == 0);

  write_file(site + "/studies/demo/index.html", "somebody's");
  const ProgramResult differing = workspace.run({"publish", site, "--check"});

  CHECK(differing.exit_code == 4);
  CHECK(differing.out.starts_with(site + "/studies/demo: made by "));
  CHECK_THAT(differing.out, Catch::EndsWith("; all numbers equal\n  index.html: differs\n"));
  CHECK(read_file(site + "/studies/demo/index.html") == "somebody's");

  const std::string table = site + "/studies/demo/data/results.csv";
  std::string rows = read_file(table);
  const std::size_t confidence = rows.find(",0.95,");
  REQUIRE(confidence != std::string::npos);
  write_file(table, rows.replace(confidence, 6, ",0.96,"));
  CHECK_THAT(workspace.run({"publish", site, "--check"}).out,
             Contains("1 number differs") && Contains("  data/results.csv: 1 number differs\n") &&
                 Contains("confidence: 0.96, now 0.95\n"));

  write_file(workspace.file("secret"), "the code is 987123\n");
  const std::string page = site + "/studies/demo/details.md";
  fs::remove(page);
  fs::create_symlink(workspace.file("secret"), page);
  CHECK_THAT(workspace.run({"publish", site, "--check"}).out,
             Contains("  details.md: missing\n") && !Contains("987123"));
}

TEST_CASE("publish --check tells options that were not repeated from another store", "[cli]") {
  const Workspace workspace;
  const std::string site = workspace.file("site");
  require_run(workspace, {"run", workspace.study(), "--max-trials", "4"});
  const std::string datasets = SCALESTUDY_SOURCE_DIR "/docs/examples/audit";
  require_run(workspace, {"publish", site, "--title", "Ours", "--audit", datasets});

  CHECK(workspace.run({"publish", site, "--check", "--title", "Ours", "--audit", datasets})
            .exit_code == 0);
  const ProgramResult bare = workspace.run({"publish", site, "--check"});
  CHECK(bare.exit_code == 4);
  CHECK_THAT(
      bare.out,
      Contains("/datasets.html: the site was made with other datasets; repeat its --audit") &&
          Contains("/index.html: the site was made with another title; repeat its --title") &&
          !Contains("differs from the store"));
  write_file(site + "/history.html", "");
  CHECK_THAT(
      workspace.run({"publish", site, "--check", "--title", "Ours", "--audit", datasets}).out,
      Contains("/history.html: differs from the store"));
}

TEST_CASE("a site is made by templates of one's own, and a wrong one is told by its place",
          "[cli]") {
  const Workspace workspace;
  const std::string site = workspace.file("site");
  const std::string house = workspace.file("house");
  const std::string page = site + "/studies/demo/index.html";
  require_run(workspace, {"run", workspace.study(), "--max-trials", "4"});
  fs::create_directories(house + "/partials");
  write_file(house + "/partials/threats.md", "## What to bear in mind\n");
  require_run(workspace, {"publish", site, "--template", house});
  CHECK_THAT(read_file(page), Contains("What to bear in mind</h2>") && Contains("Results</h2>"));

  write_file(house + "/report.md", "# {{title}}\n\nof any kind\n");
  write_file(house + "/scaling.md", "# {{title}}\n\nof scaling\n\n{{> threats}}\n");
  require_run(workspace, {"publish", site, "--template", house});
  const std::string own = read_file(page);
  CHECK_THAT(own,
             Contains("of scaling") && Contains("What to bear in mind</h2>") &&
                 !Contains("of any kind") && !Contains("Results</h2>"));
  CHECK(workspace.run({"publish", site, "--check", "--template", house}).exit_code == 0);
  CHECK(workspace.run({"publish", site, "--check"}).exit_code == 4);
  require_run(workspace, {"report", "demo", "--template", house});
  CHECK_THAT(read_file(workspace.results() + "/reports/demo/report.md"), Contains("of scaling"));

  const auto refusal = [&](const std::string& folder) {
    const ProgramResult refused = workspace.run({"publish", site, "--template", folder});
    CHECK(refused.exit_code == 2);
    CHECK(read_file(page) == own);
    return refused.err;
  };
  write_file(house + "/scaling.md", "# {{titel}}\n");
  CHECK_THAT(refusal(house),
             Contains("study demo: ") && Contains("scaling.md:1:3: unknown tag {{titel}}; did you "
                                                  "mean title?"));
  fs::rename(house + "/scaling.md", house + "/scalling.md");
  CHECK_THAT(refusal(house),
             Contains("scalling.md: no main template has this name") &&
                 Contains("(did you mean \"scaling.md\"?)"));
  fs::remove(house + "/scalling.md");
  write_file(house + "/partials/own.md", "{{> deeper}}");
  CHECK_THAT(refusal(house), Contains("partials/own.md: nothing uses this file"));
  write_file(house + "/report.md", "{{> own}}\n");
  write_file(house + "/partials/deeper.md", "");
  write_file(house + "/partials/threat.md", "");
  CHECK_THAT(refusal(house),
             Contains("partials/threat.md: nothing uses this file") &&
                 Contains("(did you mean \"threats.md\"?)"));
  fs::remove(house + "/partials/threat.md");
  fs::create_directories(house + "/figures");
  write_file(house + "/figures/speedups.gp", "");
  CHECK_THAT(refusal(house), Contains("(did you mean \"speedup.gp\"?)"));
  CHECK_THAT(refusal(workspace.file("nowhere")), Contains("nowhere: no such folder"));
  fs::create_directories(workspace.file("empty"));
  CHECK_THAT(refusal(workspace.file("empty")),
             Contains("nothing of it would be used: it has none of report.md, audit.md"));

  fs::rename(house + "/figures/speedups.gp", house + "/figures/lines.gp");
  write_file(house + "/figures/projection.gp", "load 'lines.gp'\n");
  require_run(workspace, {"publish", site, "--template", house});
}

TEST_CASE("a study that is gone takes its pages along, and no file of others", "[cli]") {
  const Workspace workspace;
  const Workspace elsewhere(with(study_text(), "study: demo", "study: other"));
  const std::string site = workspace.file("site");
  require_run(workspace, {"run", workspace.study(), "--max-trials", "4"});
  require_run(elsewhere, {"run", elsewhere.study(), "--max-trials", "4"});
  require_run(workspace, {"publish", site});
  write_file(site + "/CNAME", "example.org");

  require_run(elsewhere, {"publish", site});

  CHECK_FALSE(fs::exists(site + "/studies/demo"));
  CHECK(fs::exists(site + "/studies/other/index.html"));
  CHECK(read_file(site + "/CNAME") == "example.org");
  const ProgramResult refused = workspace.run({"publish", workspace.results()});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, Contains("holds something else than a site"));
}

TEST_CASE("datasets are audited where they were imported from, as long as they are the same",
          "[cli]") {
  const Workspace workspace;
  const std::string site = workspace.file("site");
  const fs::path dataset = workspace.file("dataset");
  fs::copy(SCALESTUDY_SOURCE_DIR "/docs/examples/audit", dataset, fs::copy_options::recursive);
  require_run(workspace, {"run", workspace.study(), "--max-trials", "4"});
  require_run(workspace, {"import", dataset, "--study", "demo"});
  require_run(workspace, {"publish", site});
  const std::string name = fs::directory_iterator(site + "/datasets")->path().filename();
  CHECK_THAT(read_file(site + "/datasets.html"),
             Contains("<a href=\"datasets/" + name + "/index.html\">audit</a>") &&
                 Contains("<a href=\"studies/demo/index.html#published-figures\">demo</a>"));
  CHECK_THAT(read_file(site + "/datasets/" + name + "/index.html"), Contains("Does not follow"));

  fs::remove_all(dataset);
  require_run(workspace, {"publish", site});
  CHECK_THAT(read_file(site + "/datasets.html"), Contains("not audited: its folder is not as"));
  CHECK_FALSE(fs::exists(site + "/datasets"));
  require_run(workspace,
              {"publish", site, "--audit", SCALESTUDY_SOURCE_DIR "/docs/examples/audit"});
  CHECK(fs::exists(site + "/datasets/" + name + "/index.html"));
}

TEST_CASE("no page shows a declared secret, and a title of HTML is text", "[cli]") {
  std::string text = with(study_text(),
                          "title: Does a second device pay?",
                          "title: \"<script>ran()</script> **bold** hush<hush&*hush*\"");
  text += "secret: [TOKEN]\nparameters: {env.TOKEN: \"hush<hush&*hush*\"}\n";
  const Workspace workspace(text);
  const std::string site = workspace.file("site");
  require_run(workspace, {"run", workspace.study(), "--max-trials", "8"});
  require_run(workspace, {"publish", site});

  for (const auto& [path, content] : content_of(site)) {
    INFO(path);
    CHECK(content.find("hush") == std::string::npos);
    CHECK((!path.ends_with(".html") || content.find("<script>ran") == std::string::npos));
  }
  CHECK_THAT(read_file(site + "/index.html"),
             Contains("&lt;script&gt;ran()&lt;/script&gt; **bold** (secret)"));
}
