// gpu_page BANDS FOLDER: FOLDER/*.jsonl, one file a section, become FOLDER/page.json and page.md;
// prints the checklist.
// Exits 0 when every line passed, 1 when one did not, 2 when something cannot be read or written.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

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
    if (entry.path().extension() == ".jsonl") {
      sections[std::stoi(entry.path().filename())] = entry.path();
    }
  }
  std::vector<test::Line> lines;
  for (const auto& [number, path] : sections) {
    const std::string stem = path.stem().string();
    for (test::Line& line : test::parse_lines(stem.substr(stem.find('-') + 1), read(path))) {
      lines.push_back(std::move(line));
    }
  }
  const fs::path doctor = folder / "1-doctor.log";
  const std::string machine = fs::exists(doctor) ? read(doctor) : "";
  const auto verdicts = test::judge(lines, test::parse_bands(read(bands_path)));
  write(folder / "page.json", test::format_json(verdicts, machine));
  write(folder / "page.md", test::format_markdown(verdicts, machine));
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
