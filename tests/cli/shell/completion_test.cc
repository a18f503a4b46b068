// Black box: what shells offer for the next word of a command line.
#include <filesystem>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using scalestudy::test::lines_of;
using scalestudy::test::ProgramResult;
using scalestudy::test::query_csv;
using scalestudy::test::search_path;
using scalestudy::test::Workspace;
using scalestudy::test::write_file;

TEST_CASE("shells complete values of options, studies, cells and trials", "[cli]") {
  const Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study(), "--max-trials", "12"}).exit_code == 0);
  const std::string cell = query_csv(workspace, "SELECT min(hash) AS h FROM cell").substr(2, 8);
  std::filesystem::create_directory(workspace.file("folder"));
  std::filesystem::create_directory(workspace.file("other"));
  const std::string in_store = "scalestudy --results " + workspace.results() + " ";

  // A shell's candidates for the last word of a line, sorted.
  const auto completed = [&](const std::string& shell, const std::string& line) {
    const std::string script = workspace.file("completion");
    write_file(script, workspace.run({"completion", shell}).out);
    const std::string ask =
        shell == "fish"
            ? "source " + script + "; complete -C '" + line + "'"
            : "source " + script + "; COMP_WORDS=(" + line + (line.ends_with(' ') ? "''" : "") +
                  "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _scalestudy; printf "
                  "'%s\\n' \"${COMPREPLY[@]}\"";
    const std::string setting =
        shell == "zsh" ? "autoload -U +X compinit && compinit -u; setopt ksharrays; " : "";
    const ProgramResult result =
        scalestudy::test::run_program({"sh",
                                       "-c",
                                       "cd \"$1\" && shift && exec \"$@\"",
                                       "sh",
                                       workspace.file(""),
                                       shell,
                                       shell == "zsh" ? "-fc" : "-c",
                                       setting + ask},
                                      {"PATH=" SCALESTUDY_TEST_BIN ":" + search_path()});
    std::vector<std::string> words;
    for (std::string word : lines_of(result.out)) {
      word = word.substr(0, word.find('\t'));  // of fish, whose descriptions follow
      words.push_back(word.ends_with('/') ? word.substr(0, word.size() - 1) : word);
    }
    if (shell == "zsh") {  // leaves out itself what does not begin as the word does
      const std::string begin = line.substr(line.rfind(' ') + 1);
      std::erase_if(words, [&](const std::string& word) { return !word.starts_with(begin); });
    }
    std::erase(words, "");  // printed for no candidate
    std::ranges::sort(words);
    return words;
  };
  using Words = std::vector<std::string>;
  int shells = 0;
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    if (scalestudy::test::run_program({"sh", "-c", "command -v " + shell}).exit_code != 0) {
      continue;
    }
    CAPTURE(shell);
    ++shells;
    CHECK(completed(shell, "scalestudy repo") == Words{"report"});
    CHECK(completed(shell, "scalestudy plan x.yaml --format ") ==
          Words{"csv", "json", "markdown", "table"});
    CHECK(completed(shell, "scalestudy --color a") == Words{"always", "auto"});
    CHECK(completed(shell, "scalestudy --results fo") == Words{"folder"});
    CHECK(completed(shell, "scalestudy report demo --template sec") == Words{"second-device"});
    CHECK(completed(shell, in_store + "report de") == Words{"demo", "demo.yaml"});
    CHECK(completed(shell, in_store + "import de") == Words{"demo", "demo.yaml"});
    CHECK(completed(shell, in_store + "import ru") == Words{"runs"});
    CHECK(completed(shell, in_store + "logs 1") ==
          Words{"1", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19"});
    CHECK(completed(shell, in_store + "show " + cell.substr(0, 6)) == Words{cell});
    CHECK(completed(shell, in_store + "query spe") == Words{"speedups"});
    CHECK(completed(shell, in_store + "query dem").empty());
    CHECK(completed(shell, "scalestudy audit in") == Words{"init"});
    CHECK(completed(shell, "scalestudy audit fo") == Words{"folder"});
    CHECK(completed(shell, "scalestudy list fo").empty());
    CHECK(completed(shell, "scalestudy doctor fo").empty());
    CHECK(completed(shell, "scalestudy run x.yaml --retry").size() == 1);
  }
  CHECK(shells > 0);
  // bash leaves words as they were typed, with their quotes.
  std::filesystem::copy(
      workspace.results(), workspace.file("my store"), std::filesystem::copy_options::recursive);
  for (const std::string store : {"'my\\ store'", "'\"my store\"'"}) {
    CAPTURE(store);
    CHECK(completed("bash", "scalestudy --results " + store + " report de") ==
          Words{"demo", "demo.yaml"});
  }
  // bash takes --format=js apart at the sign.
  CHECK(completed("bash", "scalestudy plan x.yaml --format = js") == Words{"json"});
}
