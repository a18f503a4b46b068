// What a trial that has ended wrote.
#pragma once

#include <string>

#include "harness/run/attempt/attempt.h"
#include "harness/run/outcome/result_files.h"
#include "harness/run/outcome/step_coverage.h"
#include "harness/run/output/fail_lines.h"
#include "harness/run/process/launcher.h"
#include "harness/run/process/trial_files.h"
#include "workloads/protocol/reader.h"

namespace scalestudy {

// What the trial wrote by the protocol; without that, what the study's rules find in its output.
// - step_lines: gets the lines in which the rules found step times.
protocol::Record read_output(const AttemptTask& task,
                             const TrialFiles& files,
                             const ResultFiles& result_files,
                             const LaunchResult& launch,
                             StepLines& step_lines);

// Whether the trial's exit codes are those of the protocol: it wrote to $SCALESTUDY_OUTPUT, or has
// to, because the study has no rules to read what it prints.
bool has_protocol_codes(const AttemptTask& task, const TrialFiles& files);

// The last lines of stderr, without colours: reasons quote it.
std::string read_stderr_tail(const TrialFiles& files);

// What a program that ended with exit code 0 says of errors.
FailLines read_fail_lines(const AttemptTask& task,
                          const TrialFiles& files,
                          const LaunchResult& launch);

}  // namespace scalestudy
