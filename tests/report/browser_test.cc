// Pages in a real browser: on a phone, a wide screen and paper, light and dark.
#include "tests/report/browser.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "harness/report/template/html.h"
#include "harness/text/text.h"
#include "tests/report/scratch_folder.h"
#include "tests/site/site_sample.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using test::Browser;
using test::ScratchFolder;

constexpr int kPhone = 360;
constexpr int kDesk = 1440;

// A copy of the page that is measured when it is loaded.
std::string probed(std::string page) {
  static const std::string probe =
      test::read_file(SCALESTUDY_SOURCE_DIR "/tests/report/browser_probe.js");
  const std::string end = "form-action 'none'";
  const std::size_t policy = page.find(end);
  REQUIRE(policy != std::string::npos);
  const std::string script = "script-src 'nonce-probe'";
  if (const std::size_t allowed = page.find("script-src", policy); allowed != std::string::npos) {
    page.replace(allowed, 10, script);
  } else {
    page.insert(policy + end.size(), "; " + script);
  }
  page.insert(page.find("</head>"), "<script nonce=\"probe\">" + probe + "</script>");
  return page;
}

struct Frame {
  std::string page;  // relative to the folder; # and what is typed into the search
  int width = 0;
};

// What each page tells of itself in a frame of that width.
std::vector<Json> measure(const ScratchFolder& folder,
                          const Browser& browser,
                          const std::vector<Frame>& frames,
                          bool is_dark) {
  Json list = Json::array();
  for (const Frame& frame : frames) {
    list.push_back({frame.page, frame.width});
  }
  folder.write("frames.html",
               R"(<!doctype html><meta name="color-scheme" content="light dark"><pre id="out"></pre>
<script>
const told = [], frames = )" +
                   list.dump() +
                   R"(;
let frame;
const next = () => {
  frame?.remove();
  if (told.length === frames.length) {
    document.getElementById("out").textContent = JSON.stringify(told);
    return;
  }
  const [page, width] = frames[told.length];
  frame = document.createElement("iframe");
  frame.style.cssText = "border:0;height:800px;width:" + width + "px";
  frame.src = page;
  document.body.append(frame);
};
addEventListener("message", (event) => { told.push(event.data); next(); });
next();
</script>)");
  const std::string html = browser.dump(folder.file("frames.html"), is_dark);
  const std::string start = "<pre id=\"out\">";
  const std::size_t at = html.find(start) + start.size();
  std::string text = html.substr(at, html.find("</pre>", at) - at);
  replace_all(text, "&lt;", "<");
  replace_all(text, "&gt;", ">");
  replace_all(text, "&amp;", "&");
  INFO(html.substr(0, 2000));
  const Json told = Json::parse(text, nullptr, false);
  REQUIRE(told.is_array());
  REQUIRE(told.size() == frames.size());
  return told;
}

// What holds of every page at every width.
void check_page(const ScratchFolder& folder, const Json& told, const Frame& frame, bool is_dark) {
  const fs::path page = folder.path() / frame.page;
  INFO(page << ' ' << frame.width << (is_dark ? " dark " : " light ")
            << told.dump(1).substr(0, 3000));
  CHECK(told.at("width") == frame.width);
  CHECK(told.at("is_dark") == is_dark);
  CHECK(told.at("overflow") <= 0);
  CHECK(told.at("texts") > 3);
  CHECK(told.at("faintest").at("contrast") >= 4.5);  // WCAG 2.2, 1.4.3, of text of any size
  CHECK(told.at("smallest").at("pixels") >= 11.0);
  CHECK(told.at("broken_images") == 0);
  if (frame.page != "index.html") {        // whose small pictures lead to the figures
    CHECK(told.at("image_width") >= 480);  // of 640, as wide as they are drawn: 15 pixels become 11
  }
  CHECK(told.at("dead_anchors").empty());
  CHECK(told.at("double_ids").empty());
  CHECK(told.at("refused").empty());
  CHECK(told.at("ran").is_null());
  for (const Json& link : told.at("links")) {
    const std::string path = link.get<std::string>();
    INFO(path);
    CHECK(fs::is_regular_file(page.parent_path() / path.substr(0, path.find('#'))));
  }
}

// Writes the files; every page of them is measured in both widths and both schemes.
void check_pages(const ReportFiles& files) {
  const Browser browser;
  const ScratchFolder folder;
  std::vector<Frame> frames;
  for (const auto& [path, content] : files) {
    const bool is_page = path.ends_with(".html");
    folder.write(path, is_page ? probed(content) : content);
    if (is_page) {
      frames.push_back({path, kPhone});
      frames.push_back({path, kDesk});
    }
  }
  REQUIRE_FALSE(frames.empty());
  for (const bool is_dark : {false, true}) {
    const std::vector<Json> told = measure(folder, browser, frames, is_dark);
    for (std::size_t i = 0; i < frames.size(); ++i) {
      check_page(folder, told[i], frames[i], is_dark);
      // The probe, and the search.
      CHECK(told[i].at("scripts") == (frames[i].page == "index.html" ? 2 : 1));
    }
  }
}

// Three studies, one of them hostile, and a dataset whose texts are.
ReportFiles hostile_site() {
  const std::string hostile = test::kHostile +
                              "<img src=x onerror=\"window.ran=1\">"
                              "<script>window.ran=2</script>[z](javascript:ran=3)";
  SiteDataset dataset;
  dataset.audited.emplace();
  dataset.audited->dataset.name = "theirs";
  dataset.audited->dataset.title = hostile;
  dataset.audited->dataset.source = {
      .document = hostile, .author = hostile, .date = hostile, .url = hostile};
  audit::Finding finding;
  finding.figure = finding.printed = finding.where = finding.why = hostile;
  dataset.audited->findings = {finding};
  return test::sample_site(
      {test::sample_site_study("alpha"),
       test::sample_site_study("hostile", {.title = hostile, .batch_label_extra = hostile}),
       test::sample_site_study(
           "beta", {.title = "An averylongwordthatnobreakoftextscaneverdivideintopieces"})},
      {dataset});
}

// How a PNG looks: distinct colours, rows of more than one colour, and the colour in the corner.
Json look_at(const ScratchFolder& folder, const Browser& browser, const std::string& png) {
  folder.write("shot.png.html",
               R"(<!doctype html><pre id="out"></pre><img id="shot" src="data:image/png;base64,)" +
                   test::run_program({"base64", "-w0"}, {}, png).out + R"("><script>
onload = () => {
  const shot = document.getElementById("shot"), canvas = document.createElement("canvas");
  canvas.width = shot.naturalWidth;
  canvas.height = shot.naturalHeight;
  const context = canvas.getContext("2d");
  context.drawImage(shot, 0, 0);
  const all = new Set();
  let rows = 0;
  for (let y = 0; y < canvas.height; ++y) {
    const row = new Set(new Uint32Array(context.getImageData(0, y, canvas.width, 1).data.buffer));
    rows += row.size > 1;
    row.forEach((colour) => all.add(colour));
  }
  document.getElementById("out").textContent = JSON.stringify({ width: canvas.width,
    colours: all.size, rows: rows / canvas.height, corner: [...context.getImageData(0, 0, 1, 1).data] });
};
</script>)");
  const std::string html = browser.dump(folder.file("shot.png.html"), false);
  const std::size_t at = html.find("{\"width\"");
  REQUIRE(at != std::string::npos);
  return Json::parse(html.substr(at, html.find('}', at) + 1 - at));
}

std::size_t pages_of(const std::string& pdf) {
  REQUIRE(pdf.starts_with("%PDF-"));
  std::size_t pages = 0;
  for (std::size_t at = pdf.find("/Type /Page"); at != std::string::npos;
       at = pdf.find("/Type /Page", at + 1)) {
    pages += pdf.compare(at, 12, "/Type /Pages") == 0 ? 0 : 1;
  }
  return pages;
}

// A script in place of chromium, while it lives; $runs counts its runs.
class FakeChromium {
 public:
  FakeChromium(const ScratchFolder& folder, const std::string& script) {
    fs::create_directories(folder.file("bin"));
    folder.write("bin/chromium",
                 "#!/bin/sh\necho >>" + folder.file("runs") + "\nruns=$(wc -l <" +
                     folder.file("runs") + ")\n" + script + "\n");
    fs::permissions(folder.file("bin/chromium"), fs::perms::owner_all);
    // NOLINTNEXTLINE(concurrency-mt-unsafe)
    setenv("PATH", (folder.file("bin") + ":" + path_).c_str(), 1);
  }
  ~FakeChromium() { setenv("PATH", path_.c_str(), 1); }  // NOLINT(concurrency-mt-unsafe)
  FakeChromium(const FakeChromium&) = delete;
  FakeChromium& operator=(const FakeChromium&) = delete;

 private:
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing else changes the environment
  std::string path_ = std::getenv("PATH");
};

}  // namespace

TEST_CASE("pages fit a phone and a desk, can be read in light and dark, and run nothing of data",
          "[report]") {
  check_pages(hostile_site());
}

TEST_CASE("a report's own page does, too, with its figures inside", "[report][slow]") {
  Store store = Store::open_in_memory();
  ReportRequest request = test::sample_request(test::fill_sample(store));
  request.html = true;
  check_pages(render_report(store, request));
}

TEST_CASE("the last column of a table with many intervals is in sight on a laptop", "[report]") {
  constexpr int laptop = 1280;
  std::string table =
      "| Devices | Batch | Configuration | Step time (ms) | Speedup | Efficiency (%) | Cost (EUR "
      "per million samples) | Use |\n| ---: | ---: | --- | ---: | ---: | ---: | ---: | --- |\n";
  table +=
      "| 4 | 16 | algo ring, tree | 0.0426 [0.0338, 0.0536] | 0.0885 [0.0835, 0.0939] | "
      "2.21 [2.09, 2.35] | 0.0001736 [0.0001686, 0.0001787] | 1 or 2 devices (no "
      "significant difference) |\n";
  const Browser browser;
  const ScratchFolder folder;
  folder.write("page.html", probed(make_html("t", table, {})));

  const std::vector<Json> told =
      measure(folder, browser, {{"page.html", laptop}, {"page.html", kPhone}}, false);

  CHECK(told[0].at("hidden_columns") == 0);
  CHECK(told[1].at("hidden_columns") > 0);
}

TEST_CASE("the search shows the studies that have all its words", "[report]") {
  const Browser browser;
  const ScratchFolder folder;
  folder.write("index.html", probed(hostile_site().at("index.html")));

  const std::vector<Json> told = measure(folder,
                                         browser,
                                         {{"index.html", kDesk},
                                          {"index.html#AVERYLONGWORD%20trust", kDesk},
                                          {"index.html#averylongword%20hostile", kDesk}},
                                         false);

  const Json& all = told[0];
  CHECK(all.at("is_search_there") == true);
  CHECK(all.at("articles") == Json({"alpha", "beta", "hostile"}));
  CHECK(all.at("found") == Json(""));
  const Json& one = told[1];
  CHECK(one.at("articles") == Json({"beta"}));
  CHECK(one.at("found") == "1 of 3");
  CHECK(told[2].at("found") == "0 of 3");
}

TEST_CASE("a page's policy stops scripts, handlers and loads that get into it", "[report]") {
  const Browser browser;
  const ScratchFolder folder;
  folder.write("page.html",
               probed(html_page("t",
                                "<h1>One two three</h1><p>Four</p><p>Five</p><p>Six</p>"
                                "<script>window.ran=1</script><img src=x onerror=\"window.ran=2\">"
                                "<img src=\"http://127.0.0.1:9/x.png\">"
                                "<iframe src=\"data:text/html,x\"></iframe>"
                                "<link rel=stylesheet href=\"http://127.0.0.1:9/x.css\">")));

  const Json told = measure(folder, browser, {{"page.html", kDesk}}, false)[0];

  INFO(told.dump(1));
  CHECK(told.at("ran").is_null());
  CHECK(told.at("refused").size() >= 5);
}

TEST_CASE("pages are not empty on a screen, and are whole on paper", "[report][slow]") {
  const Browser browser;
  const ScratchFolder folder;
  const ReportFiles site = test::sample_site({test::sample_site_study("demo")});
  for (const auto& [path, content] : site) {
    folder.write(path, content);
  }
  const std::string study = folder.file("studies/demo/index.html");

  const Json phone = look_at(folder, browser, browser.screenshot(study, false, kPhone, 2000));
  const Json desk = look_at(folder, browser, browser.screenshot(study, true, kDesk, 1200));

  INFO(phone.dump() << desk.dump());
  CHECK((phone.at("width") == kPhone && desk.at("width") == kDesk));
  CHECK((phone.at("colours") > 50 && desk.at("colours") > 50));  // letters have soft edges
  CHECK((phone.at("rows") > 0.4 && desk.at("rows") > 0.4));
  CHECK(phone.at("corner") == Json({255, 255, 255, 255}));
  CHECK(desk.at("corner") == Json({13, 17, 23, 255}));

  // On paper the details are there if they are open: else the report alone.
  std::string opened = site.at("studies/demo/index.html");
  replace_all(opened, "<details class=\"more\">", "<details class=\"more\" open>");
  folder.write("studies/demo/opened.html", opened);
  const std::size_t pages = pages_of(browser.pdf(study, true));
  const std::size_t all = pages_of(browser.pdf(folder.file("studies/demo/opened.html"), true));
  INFO(pages << ' ' << all);
  CHECK((all > pages && pages >= 1 && pages <= 4 && all < 30));
}

// On a busy machine chromium may hang before it has opened a page.
TEST_CASE("a browser that hangs is started once more", "[report]") {
  const ScratchFolder folder;
  const FakeChromium chromium(folder, "[ $runs -gt 1 ] || sleep 600; echo the page");

  CHECK(Browser(2).dump(folder.file("page.html"), false) == "the page\n");
}

// As chromium does on a busy machine.
TEST_CASE("a picture with a hole is taken again", "[report]") {
  const ScratchFolder folder;
  const FakeChromium chromium(folder,
                              "for word in \"$@\"; do case $word in --screenshot=*) "
                              "[ $runs = 2 ] && echo hole >\"${word#*=}\" || "
                              "echo whole >\"${word#*=}\" ;; esac; done");

  CHECK(Browser().screenshot(folder.file("page.html"), false, kPhone, 100) == "whole\n");
  CHECK(test::read_file(folder.file("runs")) == "\n\n\n");  // whole, with a hole, whole
}
