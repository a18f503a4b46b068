// Knows its own files again by a list of them, whose paths are checked before one is removed.
#include "harness/site/site_folder.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <system_error>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/read_file.h"
#include "harness/base/replace_file.h"

namespace scalestudy::report {
namespace {

namespace fs = std::filesystem;

constexpr const char* kList = "site.txt";
constexpr const char* kHead = "scalestudy site 1";  // 1: version of the list

std::string list_text(const std::set<std::string>& paths) {
  std::string text = std::string(kHead) + "\n";
  for (const std::string& path : paths) {
    text += path + "\n";
  }
  return text;
}

// What an earlier site here consists of; nothing where there is none.
std::set<std::string> listed_files(const fs::path& folder) {
  std::error_code error;
  const auto text = read_file(folder / kList);
  if (!text) {
    if (fs::exists(folder, error) &&
        (!fs::is_directory(folder, error) || !fs::is_empty(folder, error))) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}: holds something else than a site; give an empty or a new folder",
                              folder.string()));
    }
    return {};
  }
  std::istringstream lines(*text);
  std::string line;
  std::getline(lines, line);
  bool is_list = line == kHead;
  std::set<std::string> paths;
  while (std::getline(lines, line)) {
    is_list = is_list && stays_inside(line);
    paths.insert(line);
  }
  if (!is_list) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: no list of a site that this scalestudy knows (\"{}\", then paths "
                            "below its folder); give another folder",
                            (folder / kList).string(),
                            kHead));
  }
  return paths;
}

std::set<std::string> paths_of(const ReportFiles& files) {
  std::set<std::string> paths;
  for (const auto& [path, content] : files) {
    paths.insert(path);
  }
  return paths;
}

// A page of the site's own folder: it links to those below.
bool is_linked_last(const std::string& path) {
  return path.find('/') == std::string::npos;
}

void remove_file(const fs::path& folder, const std::string& path) {
  std::error_code error;
  fs::remove(folder / path, error);
  if (error) {
    throw Error(
        ErrorKind::kStore,
        fmt::format("{}: cannot be removed: {}", (folder / path).string(), error.message()));
  }
  for (fs::path parent = fs::path(path).parent_path(); !parent.empty();
       parent = parent.parent_path()) {
    fs::remove(folder / parent, error);  // only when nothing else is in it
  }
}

}  // namespace

void require_site_folder(const fs::path& folder) {
  listed_files(folder);
}

SiteChange write_site(const ReportFiles& files, const fs::path& folder) {
  const std::set<std::string> earlier = listed_files(folder);
  const std::set<std::string> now = paths_of(files);
  std::set<std::string> both = earlier;
  both.insert(now.begin(), now.end());
  for (const std::string& path : both) {
    require_no_link(folder, path);
  }
  SiteChange change;
  const auto write = [&](const std::string& path, const std::string& content) {
    if (read_file(folder / path) != content) {
      replace_file(folder / path, content);
      ++change.written;
    }
  };
  if (both != earlier) {
    replace_file(folder / kList, list_text(both));  // or what is written next would be nobody's
  }
  for (const bool is_last : {false, true}) {
    for (const auto& [path, content] : files) {
      if (is_linked_last(path) == is_last) {
        write(path, content);
      }
    }
  }
  for (const std::string& path : earlier) {
    if (!now.contains(path)) {
      remove_file(folder, path);
      ++change.removed;
    }
  }
  if (both != now) {
    replace_file(folder / kList, list_text(now));
  }
  return change;
}

std::vector<std::string> differing_site_files(const ReportFiles& files, const fs::path& folder) {
  std::vector<std::string> paths;
  for (const auto& [path, content] : files) {
    if (read_file(folder / path) != content) {
      paths.push_back(path);
    }
  }
  for (const std::string& path : listed_files(folder)) {
    if (!files.contains(path)) {
      paths.push_back(path);
    }
  }
  std::ranges::sort(paths);
  return paths;
}

}  // namespace scalestudy::report
