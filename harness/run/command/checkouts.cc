#include "harness/run/command/checkouts.h"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/base/read_environment.h"
#include "harness/host/git_state.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

bool has_commits(const Study& study) {
  return std::ranges::any_of(study.sides,
                             [](const StudySide& side) { return !side.commit.empty(); });
}

// Where the program is: of a cwd with placeholders the part before them.
fs::path program_folder(const Study& study) {
  if (study.workload != Workload::kCommand) {
    return workload_program(to_word(study.workload)).parent_path();
  }
  fs::path folder = study.working_folder.substr(0, study.working_folder.find('{'));
  if (folder.string().size() < study.working_folder.size()) {
    folder = folder.parent_path();
  }
  return folder.empty() ? "." : folder;
}

// A file that is named by its whole path would be the same on every side, unseen.
void check_paths(const Study& study, const fs::path& repository) {
  if (study.workload != Workload::kCommand) {
    return;
  }
  std::vector<std::string> texts;
  for (const auto* arguments : {&study.command, &study.setup, &study.cleanup, &study.build}) {
    texts.insert(texts.end(), arguments->begin(), arguments->end());
  }
  for (const auto& [name, value] : study.environment) {
    texts.push_back(value);
  }
  const std::string inside = repository.string() + "/";
  for (const std::string& text : texts) {
    if (text.find(inside) != std::string::npos) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("\"{}\" names a file of {} by its whole path: every side would take "
                              "it from there, not from its commit. Write it relative to cwd",
                              text,
                              repository.string()));
    }
  }
}

// What may name a file that a checkout has of its own: arguments, and where programs look.
std::vector<std::string> moved_texts(const Study& study) {
  std::vector<std::string> texts(study.command.begin() + 1, study.command.end());
  for (const char* name : {"PYTHONPATH", "LD_LIBRARY_PATH"}) {
    texts.push_back(environment_variable(name));
  }
  for (const auto& [name, value] : study.environment) {
    texts.push_back(value);
  }
  return texts;
}

void must(const GitAnswer& answer, const std::string& what) {
  if (answer.exit_code != 0) {
    throw Error(
        ErrorKind::kMachine,
        fmt::format("{}: git failed (exit code {}): {}", what, answer.exit_code, answer.output));
  }
}

// A worktree that a killed run left half made has no mark beside it, and is made anew.
Checkout make_checkout(const fs::path& repository, const std::string& commit, const fs::path& all) {
  Checkout checkout{.repository = repository, .folder = all / commit};
  const fs::path mark = all / (commit + ".complete");
  std::error_code error;  // what cannot be looked at is made anew
  if (fs::exists(mark, error) && fs::exists(checkout.folder / ".git", error)) {
    return checkout;
  }
  if (!create_private_folder(all, error)) {
    throw Error(ErrorKind::kStore, fmt::format("{}: {}", all.string(), error.message()));
  }
  remove_tree(checkout.folder);
  run_git(repository, {"worktree", "prune"});
  must(run_git(repository,
               {"worktree", "add", "--detach", "--force", checkout.folder.string(), commit}),
       fmt::format("a worktree of {} in {}", commit, checkout.folder.string()));
  std::ofstream(mark) << repository.string() << "\n";
  return checkout;
}

}  // namespace

fs::path study_repository(const Study& study) {
  const fs::path folder = program_folder(study);
  if (const auto top = git_top(folder)) {
    return *top;
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("{} is in no git repository (or git is missing), so that no commit of it "
                          "can be run; {}",
                          fs::absolute(folder).lexically_normal().string(),
                          study.workload == Workload::kCommand
                              ? "cwd says where the command runs"
                              : "run scalestudy from a build folder inside its repository"));
}

std::string unmoved_program(const Study& study) {
  if (!has_commits(study) || study.workload != Workload::kCommand || study.command.empty()) {
    return "";
  }
  const fs::path folder = program_folder(study);
  const auto repository = git_top(folder);
  const auto is_moved = [&](const fs::path& path) {
    std::error_code error;
    const std::string inside =
        fs::weakly_canonical(path, error).lexically_relative(*repository).string();
    return fs::exists(path, error) && !inside.empty() && !inside.starts_with("..");
  };
  const std::string& first = study.command.front();
  const fs::path program = first.find('/') == std::string::npos
                               ? fs::path(find_program(first).value_or(first))
                               : folder / first;
  if (!repository || is_moved(program)) {
    return "";
  }
  for (const std::string& text : moved_texts(study)) {
    std::size_t end = 0;
    for (std::size_t begin = 0; begin < text.size(); begin = end + 1) {
      end = std::min(text.find_first_of(" \t\n=:;&|()<>\"'", begin), text.size());
      const std::string word = text.substr(begin, end - begin);
      if (word == "-m" || (!word.empty() && is_moved(folder / word))) {
        return "";
      }
    }
  }
  return fmt::format(
      "both sides may run the same program: {} is outside of {}, and the command "
      "names no file of that repository. A commit is measured only as far as the "
      "program takes files from its working folder",
      program.string(),
      repository->string());
}

std::map<std::string, Checkout> make_checkouts(const Study& study, const fs::path& results) {
  std::map<std::string, Checkout> checkouts;
  if (!has_commits(study)) {
    return checkouts;
  }
  const fs::path repository = study_repository(study);
  check_paths(study, repository);
  for (const StudySide& side : study.sides) {
    if (side.commit.empty()) {
      continue;
    }
    const auto commit = find_commit(repository, side.commit);
    if (!commit) {
      throw Error(
          ErrorKind::kUsage,
          fmt::format("side {}: {} has no commit {}", side.name, repository.string(), side.commit));
    }
    checkouts.emplace(side.name,
                      make_checkout(repository, *commit, fs::absolute(results) / "checkouts"));
  }
  return checkouts;
}

}  // namespace scalestudy
