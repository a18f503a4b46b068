// gpu_page BANDS FOLDER: FOLDER/N-SECTION.jsonl, and .part of sections that did not finish, become
// FOLDER/page.json and page.md; prints the checklist.
// Exits 0 when every line passed, 1 when one did not, 2 when something cannot be read or written.
#include <charconv>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>

#include "tests/gpu/page.h"

namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path);
  if (!file) {
    throw std::runtime_error("cannot read " + path.string());
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const fs::path& path, const std::string& text) {
  std::ofstream file(path);
  if (!(file << text << std::flush)) {
    throw std::runtime_error("cannot write " + path.string());
  }
}

int write_page(const fs::path& bands_path, const fs::path& folder) {
  using namespace scalestudy;
  std::map<int, fs::path> sections;  // "3-convolutions.jsonl" is the third
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    int number = 0;  // of another file
    std::from_chars(name.data(), name.data() + name.size(), number);
    if (number > 0 && entry.path().extension() == ".jsonl") {
      sections[number] = entry.path();
    } else if (number > 0 && entry.path().extension() == ".part") {
      sections.emplace(number, entry.path());
    }
  }
  std::vector<test::Line> lines;
  for (const auto& [number, path] : sections) {
    const std::string stem = path.stem().string();
    const std::string section = stem.substr(stem.find('-') + 1);
    try {
      for (test::Line& line : test::parse_lines(section, read(path))) {
        lines.push_back(std::move(line));
      }
    } catch (const std::invalid_argument& error) {
      lines.push_back({section, error.what(), std::nullopt, ""});  // of which there is no band
    }
  }
  std::string machine;
  for (const fs::path& path : {folder / "machine.txt", folder / "1-doctor.log"}) {
    machine += fs::exists(path) ? read(path) : "";
  }
  std::set<fs::path> reports;
  if (fs::exists(folder / "results/reports")) {
    for (const auto& entry : fs::directory_iterator(folder / "results/reports")) {
      reports.insert("results/reports" / entry.path().filename() / "report.html");
    }
  }
  const auto verdicts = test::judge(lines, test::parse_bands(read(bands_path)));
  std::string page = test::format_markdown(verdicts, machine);
  page += reports.empty() ? "" : "\n## Reports of the studies\n\n";
  for (const fs::path& report : reports) {
    page += "- [" + report.parent_path().filename().string() + "](" + report.string() + ")\n";
  }
  write(folder / "page.json", test::format_json(verdicts, machine));
  write(folder / "page.md", page);
  std::fputs(test::format_checklist(verdicts).c_str(), stdout);
  return test::has_passed(verdicts) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 3) {
      throw std::runtime_error("usage: gpu_page BANDS FOLDER");
    }
    return write_page(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpu_page: %s\n", error.what());
    return 2;
  }
}
