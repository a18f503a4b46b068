// An installed folder works wherever it is moved.
#include <regex>

#include "tests/support/catch.h"
#include "tests/workloads/mpirun.h"

using namespace scalestudy;
namespace fs = std::filesystem;

namespace {

// The whole build, installed into one folder and then moved to another.
fs::path installed_and_moved(const test::TemporaryFolder& folder) {
  const fs::path first = folder.path() / "first";
  const test::ProgramResult result = test::run_program(
      {SCALESTUDY_CMAKE, "--install", SCALESTUDY_BUILD_FOLDER, "--prefix", first.string()});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  fs::create_directories(folder.path() / "elsewhere");
  fs::rename(first, folder.path() / "elsewhere/moved");
  return folder.path() / "elsewhere/moved";
}

// `program` of the moved folder, without what would lead it to the source tree.
test::ProgramResult run(const fs::path& program, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(),
                   {"env", "-u", "SCALESTUDY_SHARE", "-C", "/", program.string()});
  return test::run_program(arguments);
}

// Whether the files that the page links to are there.
void check_links(const fs::path& page) {
  const std::string text = test::read_file(page.string());
  const std::regex link(R"(\]\(([^)#:]+)[^)]*\))");
  int links = 0;
  for (std::sregex_iterator found(text.begin(), text.end(), link); found != std::sregex_iterator();
       ++found, ++links) {
    CAPTURE(found->str());
    CHECK(fs::exists(page.parent_path() / found->str(1)));
  }
  CHECK(links > 0);
}

}  // namespace

TEST_CASE("an installed folder runs from where it was moved to", "[install]") {
  const test::TemporaryFolder folder;
  const fs::path moved = installed_and_moved(folder);

  const test::ProgramResult version = run(moved / "bin/scalestudy", {"--version"});
  CHECK(version.exit_code == 0);

  CHECK(fs::exists(moved / "share/scalestudy/harness/store/SCHEMA.md"));
  check_links(moved / "share/scalestudy/docs/how-to/warnings.md");

  const fs::path study = moved / "share/scalestudy/studies/quickstart.yaml";
  const test::ProgramResult validated = run(moved / "bin/scalestudy", {"validate", study.string()});
  INFO(validated.err);
  CHECK(validated.exit_code == 0);

  const test::ProgramResult plan = run(moved / "bin/scalestudy", {"plan", study.string()});
  INFO(plan.err);
  CHECK(plan.exit_code == 0);

  const test::ProgramResult trained = test::mpirun(2,
                                                   {(moved / "bin/scalestudy-train").string(),
                                                    "--batch-global=8",
                                                    "--warmup-steps=1",
                                                    "--measured-steps=3"});
  INFO(trained.err);
  CHECK(trained.exit_code == 0);
  CHECK(trained.out.find("mlp-258k") != std::string::npos);
}

TEST_CASE("what the demo builds can be installed without the rest", "[install]") {
  const std::string dev = test::read_file(SCALESTUDY_SOURCE_DIR "/dev");
  const std::string demo = dev.substr(dev.find("\ndemo() {"), dev.find("\nlint() {"));
  REQUIRE_THAT(demo, Catch::Contains("build release scalestudy scalestudy-train\n"));
  const test::TemporaryFolder folder;
  const fs::path build = folder.path() / "build";
  const test::ProgramResult configured = test::run_program(
      {SCALESTUDY_CMAKE, "-S", SCALESTUDY_SOURCE_DIR, "--preset", "release", "-B", build.string()});
  INFO(configured.err);
  REQUIRE(configured.exit_code == 0);
  fs::create_directories(build / "bin");
  for (const char* program : {"scalestudy", "scalestudy-train"}) {
    fs::copy(fs::path(SCALESTUDY_TEST_BIN) / program, build / "bin");
  }

  const fs::path prefix = folder.path() / "prefix";
  const test::ProgramResult installed = test::run_program(
      {SCALESTUDY_CMAKE, "--install", build.string(), "--prefix", prefix.string()});
  INFO(installed.err);
  CHECK(installed.exit_code == 0);
  CHECK(run(prefix / "bin/scalestudy", {"--version"}).exit_code == 0);
  CHECK(fs::exists(prefix / "bin/scalestudy-train"));
  CHECK_FALSE(fs::exists(prefix / "bin/scalestudy-collective"));
}

TEST_CASE("an installed program says where it looked for the CUDA module", "[install]") {
  const test::TemporaryFolder folder;
  const fs::path moved = installed_and_moved(folder);
  const fs::path module = moved / "lib/libscalestudy_cuda.so";
  fs::remove(module);

  const test::ProgramResult result =
      run(moved / "bin/scalestudy-train",
          {"--backend=cuda", "--comm=nccl", "--batch-global=8", "--measured-steps=1"});

  CHECK(result.exit_code == 77);
  CHECK(result.err.find(module.string() + " is missing") != std::string::npos);
}

TEST_CASE("a Debian package holds programs, data and what they depend on", "[install][slow]") {
  const test::TemporaryFolder folder;
  const test::ProgramResult packed =
      test::run_program({SCALESTUDY_CPACK,
                         "--config",
                         SCALESTUDY_BUILD_FOLDER "/CPackConfig.cmake",
                         "-B",
                         folder.path().string()});
  INFO(packed.err);
  REQUIRE(packed.exit_code == 0);
  fs::path package;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.path())) {
    package = entry.path().extension() == ".deb" ? entry.path() : package;
  }
  const std::string root = folder.file("root");
  REQUIRE(test::run_program({"dpkg-deb", "-x", package.string(), root}).exit_code == 0);

  const test::ProgramResult validated =
      run(root + "/usr/bin/scalestudy",
          {"validate", root + "/usr/share/scalestudy/studies/quickstart.yaml"});
  INFO(validated.err);
  CHECK(validated.exit_code == 0);
  const std::string depends =
      test::run_program({"dpkg-deb", "-f", package.string(), "Depends"}).out;
  CHECK(depends.find("openmpi-bin") != std::string::npos);
  CHECK(depends.find("libdnnl") != std::string::npos);
}
