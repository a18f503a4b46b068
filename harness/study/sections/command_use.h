// Checks what a command uses of its cell: that its placeholders exist, and that parameters reach
// it. Cells that differ only in parameters that do not reach it would run the same.
#pragma once

#include <string>
#include <vector>

#include "harness/study/declared/study.h"
#include "harness/study/matrix/matrix.h"
#include "harness/study/sections/section_context.h"
#include "harness/yaml/fields.h"

namespace scalestudy {

// Who reads a text whose placeholders have been replaced.
enum class ReadBy {
  kShell,    // or a program: arguments of a command
  kNoShell,  // values of env, cwd, paths of files
  kNobody,   // it is a number for us: per_step
};

// Reports each {name} of the text that names nothing which a command may use.
// - names: that it may use as well.
void check_placeholders(const YamlNode& argument,
                        SectionContext& context,
                        std::vector<std::string> names = {},
                        ReadBy reader = ReadBy::kShell);

// Reports each axis, and each row of zip or include, that does not reach the command.
void check_use(Fields& root, SectionContext& context);

// Reports each axis of the study's own, and each in a row of zip or include, that the setup of a
// built-in workload does not use.
void check_own_axes(Fields& root, SectionContext& context);

// Throws Error{kUsage} if two cells of a command differ only in a parameter that does not reach it.
// The message begins with the parameter's name.
void check_commands_differ(const Study& study, const Matrix& matrix);

}  // namespace scalestudy
