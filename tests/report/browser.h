// A real browser without a window: Debian's chromium.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/program.h"
#include "tests/support/skip.h"

namespace scalestudy::test {

class Browser {
 public:
  // Ends the test as skipped where there is no chromium; with SCALESTUDY_REQUIRE_BROWSER it fails.
  Browser() {
    if (run_program({"sh", "-c", "command -v chromium"}).exit_code != 0) {
      // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing changes the environment
      REQUIRE(std::getenv("SCALESTUDY_REQUIRE_BROWSER") == nullptr);
      skip("chromium is not installed (apt-get install chromium fonts-dejavu-core)");
    }
  }

  // The page as HTML once its scripts have run for 60 s of the page's clock.
  std::string dump(const std::string& file, bool is_dark) const {
    return run(file, is_dark, {"--dump-dom", "--virtual-time-budget=60000"});
  }

  // Of the upper left part of the page.
  std::string screenshot(const std::string& file, bool is_dark, int width, int height) const {
    run(file,
        is_dark,
        {"--screenshot=" + folder_.file("shot.png"),
         "--window-size=" + std::to_string(width) + "," + std::to_string(height)});
    return read_file(folder_.path() / "shot.png");
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
    const ProgramResult result = run_program(argv);
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    return result.out;
  }

  TemporaryFolder folder_;
};

}  // namespace scalestudy::test
