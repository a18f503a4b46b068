// What a reader sees first: pictures of the README with its terminal, of each kind of report, of a
// site of reports and of the site of the documents, beside golden ones.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/report/report.h"
#include "harness/report/template/html.h"
#include "tests/report/browser.h"
#include "tests/report/picture.h"
#include "tests/report/sample_study.h"
#include "tests/report/scratch_folder.h"
#include "tests/report/shipped_study.h"
#include "tests/site/site_sample.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using test::Browser;
using test::Picture;
using test::ScratchFolder;

namespace {

namespace fs = std::filesystem;

constexpr double kIdle = 0.0;  // no load beside the trials, whose times are made up

// The studies of the five kinds of report.
const std::vector<std::string> kStudies = {"image-scaling-256",
                                           "small-mlp-second-device",
                                           "mlp-4096-batch",
                                           "llm-platform",
                                           "resnet-strong-scaling"};

constexpr const char* kBlue = "rgb(  0, 114, 178)";  // of figures' first series, as gnuplot has it
constexpr const char* kOrange = "rgb(213,  94,   0)";

struct Screen {
  const char* name = nullptr;
  const char* page = nullptr;  // a study, "site" of all, or "README"
  int width = 1440;
  int height = 1200;
  bool is_dark = false;
};

// A page of the documents' site: its file without the ending, in the tree and in build/site.
constexpr const char* kDocument = "docs/explanation/how-to-read-a-report";
constexpr Screen kDocumentScreen = {.name = "documents", .page = kDocument, .height = 1008};

constexpr Screen kScreens[] = {
    {.name = "scaling", .page = "image-scaling-256"},
    {.name = "second-device", .page = "small-mlp-second-device", .height = 1376},
    {.name = "notes", .page = "mlp-4096-batch", .height = 1088},
    {.name = "platform", .page = "llm-platform"},
    {.name = "projection", .page = "resnet-strong-scaling", .height = 1104},
    {.name = "phone-dark",
     .page = "small-mlp-second-device",
     .width = 360,
     .height = 1600,
     .is_dark = true},
    {.name = "site", .page = "site", .height = 1008},
    {.name = "readme", .page = "README", .height = 912},
};

struct Pages {
  std::map<std::string, std::string>
      by_name;       // reports of one file each, and the index of the site
  ReportFiles site;  // with the figures that its index shows
};

// As a page, with its pictures.
std::string readme() {
  const fs::path root = SCALESTUDY_SOURCE_DIR;
  std::map<std::string, std::string> pictures;
  for (const char* picture : {"docs/images/time.svg",
                              "docs/examples/night/reports/second-device-night/figures/"
                              "speedup.svg"}) {
    pictures[picture] = test::read_file(root / picture);
  }
  return report::make_html("scalestudy", test::read_file(root / "README.md"), pictures);
}

Pages make_pages() {
  Pages pages;
  std::vector<report::SiteStudy> studies;
  for (const std::string& name : kStudies) {
    Store store = Store::open_in_memory();
    const std::int64_t id =
        test::fill_shipped(store, shared_file("studies") / (name + ".yaml"), kIdle);
    const report::ReportInput input = report::read_input(store, id);
    ReportRequest request = test::sample_request(id);
    request.template_file.replace_filename(input.declared.report_template + ".md");
    request.html = true;
    const ReportFiles files = render_report(store, request);
    pages.by_name[name] = files.at("report.html");
    studies.push_back(report::make_site_study(input, files, ""));
  }
  pages.site = test::sample_site(std::move(studies));
  pages.by_name["site"] = pages.site.at("index.html");
  pages.by_name["README"] = readme();
  return pages;
}

const Pages& all_pages() {
  static const Pages pages = make_pages();
  return pages;
}

const std::string& page_of(const std::string& name) {
  return all_pages().by_name.at(name);
}

std::string shot(const Browser& browser,
                 const Screen& screen,
                 const std::string& page,
                 const std::vector<std::string>& flags = {}) {
  const ScratchFolder folder;
  folder.write("page.html", page);
  for (const auto& [name, text] :
       screen.page == std::string("site") ? all_pages().site : ReportFiles()) {
    if (name.ends_with(".svg")) {
      folder.write(name, text);
    }
  }
  return browser.screenshot(
      folder.file("page.html"), screen.is_dark, screen.width, screen.height, flags);
}

void compare_with_golden(const Screen& screen, const Picture& now) {
  const std::string name = std::string(screen.name) + ".png";
  const fs::path golden = fs::path(SCALESTUDY_SOURCE_DIR) / "tests/golden/screens" / name;
  const fs::path others = fs::temp_directory_path() / "scalestudy-screens";
  if (std::getenv("SCALESTUDY_UPDATE_GOLDEN") != nullptr) {
    test::write_file(golden, test::write_png(now));
  }
  const test::Difference difference =
      test::difference_of(test::read_png(test::read_file(golden)), now);
  if (!test::looks_alike(difference)) {
    fs::create_directories(others);
    test::write_file(others / name, test::write_png(now));
  }
  INFO("golden " << golden << ", now " << others / name << "\n"
                 << difference.tiles << " tiles differ, most by " << difference.worst << " at ("
                 << difference.worst_x << ", " << difference.worst_y << ")");
  CHECK(difference.is_of_size);
  CHECK(test::looks_alike(difference));
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  REQUIRE(text.find(from) != std::string::npos);
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string styled(const std::string& page, const std::string& style) {
  return replaced(page, "</head>", "<style>" + style + "</style></head>");
}

}  // namespace

// SCALESTUDY_UPDATE_GOLDEN=1 rewrites the pictures.
TEST_CASE("first screens look as the golden pictures do", "[report]") {
  const Browser browser;
  for (const Screen& screen : kScreens) {
    compare_with_golden(screen, test::read_png(shot(browser, screen, page_of(screen.page))));
  }
}

TEST_CASE("the site of the documents looks as its golden picture does", "[report]") {
  const Browser browser;
  const fs::path root = SCALESTUDY_SOURCE_DIR;
  const fs::path page = root / "build/site" / (std::string(kDocument) + ".html");
  if (!fs::exists(page)) {
    test::skip("there is no build/site; ./dev site makes it");
  }
  // What the picture shows of the site: the pages beside this one are in its navigation.
  for (const char* source : {"docs/explanation", "docs/site"}) {
    for (const fs::directory_entry& file : fs::directory_iterator(root / source)) {
      if (file.last_write_time() > fs::last_write_time(page)) {
        test::skip("build/site is older than " + file.path().string() + "; ./dev site renews it");
      }
    }
  }
  const Screen& screen = kDocumentScreen;
  compare_with_golden(screen,
                      test::read_png(browser.screenshot(
                          page.string(), screen.is_dark, screen.width, screen.height)));
}

TEST_CASE("golden pictures take other edges of letters", "[report][slow]") {
  const Browser browser;
  const Screen& screen = kScreens[2];
  const std::string& page = page_of(screen.page);
  const Picture golden =
      test::read_png(test::write_png(test::read_png(shot(browser, screen, page))));  // as stored
  for (const char* style : {"body{transform:translate(.4px,.4px)}",
                            "body{-webkit-text-stroke:.1px}",
                            "body{filter:blur(.4px)}"}) {
    const test::Difference difference =
        test::difference_of(golden, test::read_png(shot(browser, screen, styled(page, style))));
    INFO(style << ' ' << difference.tiles << " tiles, " << difference.worst);
    CHECK(test::looks_alike(difference));
  }
}

TEST_CASE("the table of a first screen is whole on a desk's width", "[report][slow]") {
  const Browser browser;
  const Screen& screen = kScreens[0];  // the widest
  const std::string& page = page_of(screen.page);
  const auto look = [&](const std::string& text) {
    return test::read_png(shot(browser, screen, text));
  };
  CHECK(test::difference_of(look(page), look(styled(page, "table{overflow:visible}"))).tiles == 0);
}

TEST_CASE("golden pictures take no other page", "[report][slow]") {
  const Browser browser;
  const Screen& screen = kScreens[2];
  const std::string& page = page_of(screen.page);
  const Picture golden = test::read_png(shot(browser, screen, page));
  const std::map<std::string, std::string> pages = {
      {"a column is gone", styled(page, "td:nth-child(4),th:nth-child(4){display:none}")},
      {"a column moved", styled(page, "td:nth-child(2){padding-right:5em}")},
      {"a line of the answer is gone", styled(page, "ul li:nth-child(2){display:none}")},
      {"figures are gone", styled(page, "p:has(>svg){display:none}")},
      {"the figure's colour is another's", replaced(page, kBlue, kOrange)},
      {"text is of another colour", styled(page, "body{color:#0969da}")},
  };
  for (const auto& [what, other] : pages) {
    const test::Difference difference =
        test::difference_of(golden, test::read_png(shot(browser, screen, other)));
    INFO(what << ": " << difference.tiles << " tiles differ, most by " << difference.worst);
    CHECK_FALSE(test::looks_alike(difference));
  }
  CHECK_FALSE(test::looks_alike(
      test::difference_of(golden, test::read_png(shot(browser, kScreens[5], page)))));
  CHECK_THROWS_WITH(test::read_png("no picture"), Catch::Matchers::Contains("no PNG"));
}
