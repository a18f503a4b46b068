// A real browser without a window: Debian's chromium.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/program.h"
#include "tests/support/skip.h"

namespace scalestudy::test {

class Browser {
 public:
  // Ends the test as skipped where there is no chromium; with SCALESTUDY_REQUIRE_BROWSER it fails.
  // - limit_s: of a start; on a busy machine chromium hangs now and then, and is started once more.
  explicit Browser(int limit_s = 120) : limit_s_(limit_s) {
    if (run_program({"sh", "-c", "command -v chromium"}).exit_code != 0) {
      // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing changes the environment
      REQUIRE(std::getenv("SCALESTUDY_REQUIRE_BROWSER") == nullptr);
      skip("chromium is not installed (apt-get install chromium fonts-dejavu-core)");
    }
    INFO("pages are looked at in DejaVu alone: apt-get install fonts-dejavu-core");
    REQUIRE(std::filesystem::exists(std::string(kFonts) + "/DejaVuSans.ttf"));
    write_file(folder_.file("fonts.conf"),
               std::string("<fontconfig><dir>") + kFonts + "</dir><cachedir>" +
                   folder_.file("fonts") + "</cachedir>" + kFamilies + "</fontconfig>");
  }

  // The page as HTML once its scripts have run for 60 s of the page's clock.
  std::string dump(const std::string& file, bool is_dark) const {
    return run(file, is_dark, {"--dump-dom", "--virtual-time-budget=60000"});
  }

  // A picture of the upper left part of the page; `flags` are added to those of every chromium run.
  // On a busy machine pictures lack lines or areas of one tile, different ones each time, some 4 %
  // of them or more: a picture counts once it came twice.
  std::string screenshot(const std::string& file,
                         bool is_dark,
                         int width,
                         int height,
                         std::vector<std::string> flags = {}) const {
    // Not before all is drawn.
    flags.insert(flags.end(),
                 {"--run-all-compositor-stages-before-draw", "--virtual-time-budget=5000"});
    flags.push_back("--screenshot=" + folder_.file("shot.png"));
    flags.push_back("--window-size=" + std::to_string(width) + "," + std::to_string(height));
    constexpr int most = 10;
    std::set<std::string> pictures;
    for (int i = 0; i < most; ++i) {
      run(file, is_dark, flags);
      const auto [next, is_new] = pictures.insert(read_file(folder_.path() / "shot.png"));
      if (!is_new) {
        return *next;
      }
    }
    FAIL("no two pictures of " << file << " are alike");
    return "";
  }

  std::string pdf(const std::string& file, bool is_dark) const {
    run(file, is_dark, {"--print-to-pdf=" + folder_.file("page.pdf")});
    return read_file(folder_.path() / "page.pdf");
  }

 private:
  std::string run(const std::string& file,
                  bool is_dark,
                  const std::vector<std::string>& more) const {
    std::vector<std::string> argv = {
        "timeout",
        "--kill-after=5",
        std::to_string(limit_s_),
        "chromium",
        "--headless",
        "--no-sandbox",  // root has none, and pages are ours
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--hide-scrollbars",
        "--host-resolver-rules=MAP * ~NOTFOUND",
        "--user-data-dir=" + folder_.file("profile"),
        std::string("--blink-settings=preferredColorScheme=") + (is_dark ? "0" : "1")};
    argv.insert(argv.end(), more.begin(), more.end());
    argv.push_back("file://" + file);
    constexpr int timed_out = 124;  // timeout(1)
    constexpr int killed = 137;
    const auto start = [&] {
      return run_program(argv, {"FONTCONFIG_FILE=" + folder_.file("fonts.conf")});
    };
    ProgramResult result = start();
    if (result.exit_code == timed_out || result.exit_code == killed) {
      std::filesystem::remove_all(folder_.file("profile"));
      result = start();
    }
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    return result.out;
  }

  // Those of packages.txt; others that a machine has would make other pictures.
  static constexpr const char* kFonts = "/usr/share/fonts/truetype/dejavu";

  static constexpr const char* kFamilies = R"(
<match target="pattern"><test name="family"><string>monospace</string></test>
<edit name="family" mode="prepend" binding="strong"><string>DejaVu Sans Mono</string></edit></match>
<match target="pattern"><edit name="family" mode="append" binding="strong">
<string>DejaVu Sans</string></edit></match>)";

  int limit_s_;
  TemporaryFolder folder_;
};

}  // namespace scalestudy::test
