#include "tests/gpu/page.h"

#include <chrono>
#include <csignal>
#include <limits>
#include <map>
#include <regex>
#include <set>

#include "tests/gpu/installed.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"
#include "tests/workloads/mpirun.h"

using namespace scalestudy;
using test::Installed;
using test::Verdict;

namespace {

std::vector<test::Band> bands() {
  return test::parse_bands(R"([{"section": "steps", "name": "MFU*", "least": 0.2, "most": 0.8},
                              {"section": "kernels", "name": "error", "most": 0.5},
                              {"section": "links", "name": "speed", "least": 1, "optional": true}])");
}

Verdict verdict_of(const test::Line& line) {
  return test::judge({line}, bands()).front();
}

}  // namespace

TEST_CASE("a line passes inside its band, ends included, and fails outside", "[gpu page]") {
  CHECK(verdict_of({"steps", "MFU of a", 0.2, ""}).reason.empty());
  CHECK(verdict_of({"steps", "MFU of a", 0.8, ""}).reason.empty());
  CHECK_FALSE(verdict_of({"steps", "MFU of a", 0.19, ""}).reason.empty());
  CHECK_FALSE(verdict_of({"steps", "MFU of a", 0.81, ""}).reason.empty());
  CHECK(verdict_of({"kernels", "error", -1.0, ""}).reason.empty());
  CHECK(verdict_of({"kernels", "error", 0.4, ""}).band == "at most 0.5");
}

TEST_CASE("a line without a value, and one without a band, fail", "[gpu page]") {
  const auto lines =
      test::parse_lines("kernels", R"({"name": "error", "value": null, "unit": ""})");
  REQUIRE(lines.size() == 1);

  CHECK(verdict_of(lines[0]).reason == "not measured");
  CHECK_FALSE(verdict_of({"kernels", "error", std::numeric_limits<double>::quiet_NaN(), ""})
                  .reason.empty());
  CHECK(verdict_of({"kernels", "MFU of a", 0.5, ""}).reason == "no band is declared for it");
  CHECK_THROWS_AS(test::parse_lines("kernels", "nan"), std::invalid_argument);
}

TEST_CASE("what is declared and was not measured fails, unless it is optional", "[gpu page]") {
  auto declared = bands();
  declared.push_back({"steps", "time", 1.0, std::nullopt});
  const auto verdicts =
      test::judge({{"steps", "MFU of a", 0.5, ""}, {"kernels", "error", 0.5, ""}}, declared);

  REQUIRE(verdicts.size() == 3);
  CHECK(verdicts[2].line.name == "time");
  CHECK(verdicts[2].reason == "not measured");
  CHECK_FALSE(test::has_passed(verdicts));
  CHECK_FALSE(test::has_passed({}));
  CHECK(test::format_markdown(verdicts, "H100\n").find("3 lines, 1 failed") != std::string::npos);
  CHECK(test::format_markdown(verdicts, "H100\n").find("FAIL: not measured") != std::string::npos);
  CHECK(test::format_markdown(verdicts, "H100\n").find("```\nH100\n```") != std::string::npos);
  CHECK(test::format_json(verdicts, "H100\n").find("\"passed\": false") != std::string::npos);
}

TEST_CASE("a line with an interval passes if the whole interval is in its band", "[gpu page]") {
  const auto verdict = [](const std::string& lo, const std::string& hi) {
    const auto lines = test::parse_lines(
        "steps", R"({"name": "MFU", "value": 0.5, "lo": )" + lo + R"(, "hi": )" + hi + "}");
    return verdict_of(lines.at(0));
  };

  CHECK(verdict("0.2", "0.8").reason.empty());
  CHECK(verdict("0.19", "0.8").reason == "undecided, its interval leaves the band");
  CHECK(verdict("0.2", "0.81").reason == "undecided, its interval leaves the band");
  CHECK(verdict("0.1", "0.9").reason == "undecided, its interval leaves the band");
  CHECK(verdict_of({"steps", "MFU", 0.1, "", 0.05, 0.2}).reason ==
        "undecided, its interval leaves the band");
  CHECK(verdict_of({"steps", "MFU", 0.1, "", 0.05, 0.19}).reason == "outside of its band");
  CHECK(verdict_of({"steps", "MFU", 0.9, "", 0.81, 1.0}).reason == "outside of its band");
  CHECK(verdict_of({"steps", "MFU", 0.9, ""}).reason == "outside of its band");
  CHECK(verdict("null", "null").reason.empty());
  CHECK(test::format_markdown({verdict("0.2", "0.8")}, "").find("| 0.5 [0.2, 0.8] |") !=
        std::string::npos);
}

TEST_CASE("what is skipped neither passes nor fails, and says why", "[gpu page]") {
  const auto skipped = [](const std::string& name) {
    return test::parse_lines("steps", R"({"name": ")" + name + R"(", "skipped": "no torch"})")
        .at(0);
  };
  const test::Line error{"kernels", "error", 0.4, ""};

  for (const char* name : {"MFU of a", "the section"}) {
    const auto verdicts = test::judge({skipped(name), error}, bands());
    CHECK(verdicts.size() == 2);
    CHECK(test::has_passed(verdicts));
    CHECK(test::format_checklist(verdicts) ==
          "- [ ] steps: 0 passed, skipped: no torch\n- [x] kernels: 1 passed\n");
    CHECK(test::format_markdown(verdicts, "").find("| skipped: no torch |") != std::string::npos);
    CHECK(test::format_json({verdicts[0]}, "").find(R"("passed": false)") != std::string::npos);
  }
  CHECK_FALSE(test::has_passed(test::judge({skipped("another"), error}, bands())));
}

TEST_CASE("a checklist names the lines that failed", "[gpu page]") {
  const auto verdicts =
      test::judge({{"steps", "MFU of a", 0.5, ""}, {"kernels", "error", 1.0, ""}}, bands());

  CHECK(test::format_checklist(verdicts) ==
        "- [x] steps: 1 passed\n- [ ] kernels: 0 passed, FAILED: error\n");
}

TEST_CASE("a section that did not finish, or was not begun, fails once", "[gpu page]") {
  auto lines = test::parse_lines("steps", "{\"name\": \"the section\"}");
  const std::string rest = "- [ ] kernels: 0 passed, not begun\n";

  const auto verdicts = test::judge(lines, bands());
  CHECK(verdicts.size() == 2);
  CHECK_FALSE(test::has_passed(test::judge(lines, {bands().front()})));
  CHECK(test::format_checklist(verdicts) == "- [ ] steps: 0 passed, not finished\n" + rest);
  lines.insert(lines.begin(), {"steps", "MFU of a", 0.5, ""});
  CHECK(test::format_checklist(test::judge(lines, bands())) ==
        "- [ ] steps: 1 passed, not finished\n" + rest);
}

TEST_CASE("a page says where bands come from, each reason once", "[gpu page]") {
  const auto why = test::parse_bands(
      R"([{"section": "steps", "name": "MFU*", "least": 0.2, "most": 0.8, "why": "a data sheet"}])");

  const auto verdicts =
      test::judge({{"steps", "MFU of a", 0.5, ""}, {"steps", "MFU of b", 0.9, ""}}, why);

  CHECK(test::format_markdown(verdicts, "")
            .ends_with("|\n\n## Why these bands\n\n- steps, 0.2 to 0.8: a data sheet\n"));
  CHECK(test::format_json(verdicts, "").find(R"("why": "a data sheet")") != std::string::npos);
  CHECK(test::format_markdown(test::judge({{"steps", "MFU of a", 0.5, ""}}, bands()), "")
            .find("Why") == std::string::npos);
}

TEST_CASE("a band without an end is refused", "[gpu page]") {
  CHECK_THROWS_WITH(test::parse_bands(R"([{"section": "a", "name": "b"}])"),
                    "the band of b has no end");
}

namespace {

const std::string kAll = "doctor\ntests\nconvolutions\nloading\nenqueue\nkernels\nsteps\n";

}  // namespace

TEST_CASE("every section runs once and its lines make the page", "[gpu page]") {
  Installed installed;

  const test::ProgramResult first = installed.run();
  INFO(first.out << first.err);
  CHECK(first.exit_code == 0);
  CHECK(first.out.find("- [x] steps: 2 passed\n") != std::string::npos);
  CHECK(installed.page().find("| steps | MFU | 0.4 |") != std::string::npos);
  CHECK(installed.page().find("8 lines, 0 failed") != std::string::npos);

  const test::ProgramResult second = installed.run();
  CHECK(second.exit_code == 0);
  CHECK(installed.asked() == kAll);
}

TEST_CASE("a section that fails fails its line, and the others still run", "[gpu page]") {
  Installed installed;
  installed.tell("kernels", "exit 3");

  CHECK(installed.run().exit_code == 1);
  CHECK(installed.asked() == kAll);
  CHECK(installed.page().find("8 lines, 1 failed") != std::string::npos);
}

TEST_CASE("a machine without a GPU says so and runs nothing else", "[gpu page]") {
  Installed installed;
  installed.tell("doctor", "echo skipped: no driver; exit 77");

  const test::ProgramResult result = installed.run();

  CHECK(result.exit_code == 77);
  CHECK(result.out.find("no GPU can be used here: skipped: no driver") != std::string::npos);
  CHECK(installed.asked() == "doctor\n");
}

TEST_CASE("when time runs out the next run goes on where this one stopped", "[gpu page]") {
  Installed installed;
  installed.tell("loading", "sleep 30");

  const test::ProgramResult first = installed.run("2");
  CHECK(first.exit_code == 75);
  CHECK(first.out.find("not finished: loading enqueue kernels steps; run this again") !=
        std::string::npos);
  CHECK(installed.page().find("- [x] convolutions: 1 passed\n- [ ] loading: 0 passed, not "
                              "finished\n- [ ] steps: 0 passed, not begun\n") != std::string::npos);
  installed.forget("loading");
  CHECK(installed.run().exit_code == 0);

  CHECK(installed.asked() ==
        "doctor\ntests\nconvolutions\nloading\n" + kAll.substr(kAll.find("loading")));
}

TEST_CASE("a section that does not heed its end is killed", "[gpu page][slow]") {
  Installed installed;
  installed.tell("loading", "trap '' TERM; for i in $(seq 60); do sleep 1; done");
  const auto begin = std::chrono::steady_clock::now();

  CHECK(installed.run("2").exit_code == 75);

  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(30));
}

TEST_CASE("an interrupt ends the section too, which is run again", "[gpu page]") {
  Installed installed;
  installed.tell("loading",
                 "printf '{\"na'; sleep 61 & echo $! > sleeper; echo $$ > section; wait");
  const pid_t check = installed.start();
  REQUIRE(test::eventually([&] { return !installed.read("section").empty(); }));
  const std::string section = installed.read("section");

  const test::ProgramResult second = installed.run();
  CHECK(second.exit_code == 75);
  CHECK(second.err.find("another check_gpus uses " + installed.page_folder()) != std::string::npos);
  CHECK(installed.asked() == kAll.substr(0, kAll.find("enqueue")));
  kill(check, SIGINT);

  CHECK(test::wait_for(check) == 130);
  for (const std::string& process : {section, installed.read("sleeper")}) {
    const std::string command_line = "/proc/" + std::to_string(std::stoi(process)) + "/cmdline";
    CHECK(test::eventually([&] { return test::read_file(command_line).empty(); }));
  }
  CHECK(installed.page().find("- [x] convolutions: 1 passed\n- [ ] loading: 0 passed, FAILED: ") !=
        std::string::npos);
  installed.forget("loading");
  CHECK(installed.run().exit_code == 0);
  CHECK(installed.asked().find("loading\nloading\n") != std::string::npos);
}

TEST_CASE("a section whose lines cannot be written is not done", "[gpu page]") {
  Installed installed;
  std::filesystem::create_directory(installed.page_folder());
  const std::string lines = installed.page_folder() + "/6-kernels.part";
  std::filesystem::create_symlink("/dev/full", lines);

  const test::ProgramResult full = installed.run();
  CHECK(full.exit_code == 2);
  CHECK(full.err.find("6-kernels.jsonl cannot be written: make room") != std::string::npos);
  std::filesystem::remove(lines);
  CHECK(installed.run().exit_code == 0);
  CHECK(installed.asked().find("kernels\nkernels\nsteps\n") != std::string::npos);
}

TEST_CASE("the folder of another check, or none at all, is refused", "[gpu page]") {
  Installed installed;
  REQUIRE(installed.run().exit_code == 0);
  const test::ProgramResult several = installed.run_several();
  CHECK(several.exit_code == 2);
  CHECK(several.err.find("3-convolutions.jsonl is of another check") != std::string::npos);
  CHECK(installed.asked() == kAll);

  const test::ProgramResult file = installed.call({installed.file("asked")});
  CHECK(file.exit_code == 2);
}

TEST_CASE("a page has unfinished sections, unreadable ones and reports, not other files",
          "[gpu page]") {
  const test::TemporaryFolder folder;
  test::write_file(folder.file("bands"), R"([{"section": "steps", "name": "MFU", "least": 0.2}])");
  for (const auto& [name, text] : std::map<std::string, std::string>{
           {"1-steps.jsonl", "{\"name\": \"MFU\", \"value\": 0.4}\n"},
           {"1-steps.part", "{\"name\": \"MFU\", \"value\": 0.1}\n"},
           {"2-links.part", "{\"name\": \"the section\"}\n"},
           {"3-kernels.jsonl", "{\"name\": \"er"},
           {"notes.jsonl", "mine"},
           {"4-steps.log", "more"},
           {"machine.txt", "today\n"},
           {"1-doctor.log", "H100\n"}}) {
    test::write_file(folder.file(name), text);
  }
  std::filesystem::create_directories(folder.file("results/reports/strategies"));

  const test::ProgramResult result =
      test::run_program({SCALESTUDY_GPU_PAGE, folder.file("bands"), folder.path().string()});

  INFO(result.err);
  CHECK(result.exit_code == 1);
  CHECK(result.out ==
        "- [x] steps: 1 passed\n- [ ] links: 0 passed, not finished\n- [ ] kernels: 0 passed, "
        "FAILED: section kernels wrote no line: {\"name\": \"er\n");
  const std::string page = test::read_file(folder.file("page.md"));
  CHECK(page.find("```\ntoday\nH100\n```") != std::string::npos);
  CHECK(page.find("- [strategies](results/reports/strategies/report.html)\n") != std::string::npos);
}

// Names as they stand in the source; what follows a beginning is known when it runs alone.
TEST_CASE("every line that sections write has a band that is shipped", "[gpu page]") {
  const std::string source = test::read_file(SCALESTUDY_SOURCE_DIR "/tests/gpu/sections.cc");
  const auto shipped =
      test::parse_bands(test::read_file(SCALESTUDY_SOURCE_DIR "/tests/gpu/gpu_bands.json"));
  const std::regex call(
      R"re(\n(?:void (\w+)\(|  .*\bwrite_line\(\s*(?:std::string\()?(?:"([^"]*)"(,?))?([^,\n]*)))re");
  // Names that begin with no text, as they are when it runs.
  const std::map<std::string, std::vector<std::string>> others = {
      {"tests: name", {"test_workloads_cuda_ops_test"}},
      {R"(steps: flags.at("model") + " " + precision + " MFU")",
       {"gpt2-124m bf16 MFU", "resnet50 fp16 MFU"}}};

  std::string section;
  std::set<std::string> sections;
  for (std::sregex_iterator at(source.begin(), source.end(), call); at != std::sregex_iterator();
       ++at) {
    const std::smatch& found = *at;
    if (found[1].matched) {
      section = found[1] == "products" ? "kernels" : found[1].str();
      continue;
    }
    std::vector<std::string> names = {found[2].str() + (found[3].length() != 0 ? "" : "x")};
    if (!found[2].matched) {
      INFO(section << ": " << found[4]);
      REQUIRE(others.contains(section + ": " + found[4].str()));
      names = others.at(section + ": " + found[4].str());
    }
    sections.insert(section);
    for (const std::string& name : names) {
      INFO(section << ": " << name);
      CHECK_FALSE(test::judge({{section, name, 0.0, ""}}, shipped).front().band.empty());
    }
  }
  CHECK(sections.size() == 7);
}

TEST_CASE("a folder without the program that measures says how to install it", "[gpu page]") {
  const test::ProgramResult result =
      test::run_program({"bash", SCALESTUDY_SOURCE_DIR "/tests/gpu/check_gpus", "/tmp/never-made"});

  CHECK(result.exit_code == 2);
  CHECK(result.out.find("--component tests") != std::string::npos);
}

TEST_CASE("a page that cannot be written is no page that passed", "[gpu page]") {
  const test::TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("page.md"));
  test::write_file(folder.file("bands"), R"([{"section": "steps", "name": "MFU", "least": 0.2}])");
  test::write_file(folder.file("1-steps.jsonl"), R"({"name": "MFU", "value": 0.4})");

  const test::ProgramResult result =
      test::run_program({SCALESTUDY_GPU_PAGE, folder.file("bands"), folder.path().string()});

  CHECK(result.exit_code == 2);
  CHECK(result.err.find("cannot write") != std::string::npos);
}

// Over the stand-in for GPUs (tests/cuda), in the only section that is quick there.
TEST_CASE("what doctor measures has the bands that are shipped", "[gpu page]") {
  const test::ProgramResult doctor =
      test::run_program({SCALESTUDY_CUDA_HOST "/tests/gpu_sections", "doctor"});
  INFO(doctor.err);
  REQUIRE(doctor.exit_code == 0);
  const auto lines = test::parse_lines("doctor", doctor.out);
  const auto shipped =
      test::parse_bands(test::read_file(SCALESTUDY_SOURCE_DIR "/tests/gpu/gpu_bands.json"));

  const std::vector<Verdict> verdicts = test::judge(lines, shipped);

  CHECK(shipped.size() >= 20);
  REQUIRE(lines.size() == 3);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    CAPTURE(lines[i].name);
    CHECK(verdicts.at(i).reason.empty());
  }
}
