// The process between the harness and a trial: starts it, reaps it, and leaves nothing of it
// behind.
#pragma once

namespace scalestudy {

struct SupervisorTask {
  char* const* argv = nullptr;  // argv[0] is looked up in the PATH of `environment`
  char* const* environment = nullptr;
  const char* working_folder = "";  // to start in; "": the harness's own
  int stdout_descriptor = -1;
  int stderr_descriptor = -1;
  // Read end of a pipe whose end of file means: end the trial. The harness holds the only write
  // end, so that its death, however it dies, ends the trial as a request would.
  int lifeline = -1;
  int report = -1;        // write end of the pipe for SupervisorMessages
  double grace_s = 8.0;   // seconds between TERM and KILL
  double settle_s = 1.0;  // how long processes may outlive argv[0] that has ended by itself
  double wake_s = 2.0;    // seconds between CONT signals to the harness, if the trial stops it
};

struct SupervisorMessage {
  enum class Kind {
    kNotStarted,  // error
    kStarted,     // argv[0] runs
    kEnded,       // argv[0] has ended: wait_status, wall_s
    kGone,        // no process of the trial is left: cpu_s, system_s, max_rss_bytes, left_processes
  };
  Kind kind = Kind::kNotStarted;
  int error = 0;        // errno of exec, or of changing to working_folder
  int wait_status = 0;  // as waitpid gives it
  int left_processes = 0;
  double wall_s = 0.0;
  double cpu_s = 0.0;
  double system_s = 0.0;
  double max_rss_bytes = 0.0;
};

// Runs in a child forked from the harness, which has one thread then (the child goes on without
// exec). The caller has blocked all signals. The process leaves the harness's session, so that a ^C
// in the terminal reaches the harness only. Descriptors without close-on-exec do not reach the
// trial.
[[noreturn]] void supervise(const SupervisorTask& task);

}  // namespace scalestudy
