/* Writes the record of a trial for scalestudy (FORMAT.md beside this file), from C or C++; rank 0
 * alone uses it. Texts are plain: no quotes, backslashes or control characters.
 *
 *   FILE* trial = scalestudy_start("my-training", 2);        when set-up is done; NULL: no study
 *   scalestudy_phase(trial, "measure");
 *   scalestudy_samples(trial, "step_time_s", "s", warmup, step_times, count);  after the last step
 *   scalestudy_check(trial, "loss_finite", isfinite(loss));
 *   scalestudy_end(trial, 1, "");                            without it the trial has failed
 */
#ifndef SCALESTUDY_TRIAL_H
#define SCALESTUDY_TRIAL_H

/* It has to be C as well:
   NOLINTBEGIN(concurrency-mt-unsafe,cppcoreguidelines-init-variables,modernize-*,readability-implicit-bool-conversion)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline FILE* scalestudy_start(const char* workload, int ranks) {
  const char* path = getenv("SCALESTUDY_OUTPUT");
  FILE* trial = path ? fopen(path, "w") : NULL;
  if (trial) {
    fprintf(
        trial, "{\"v\":1,\"event\":\"start\",\"workload\":\"%s\",\"ranks\":%d}\n", workload, ranks);
    fflush(trial);
  }
  return trial;
}

static inline void scalestudy_phase(FILE* trial, const char* name) {
  if (trial) {
    fprintf(trial, "{\"v\":1,\"event\":\"phase\",\"name\":\"%s\"}\n", name);
    fflush(trial);
  }
}

/* A value that is not finite makes the line unreadable, and so the trial invalid. */
static inline void scalestudy_samples(FILE* trial,
                                      const char* metric,
                                      const char* unit,
                                      int warmup,
                                      const double* values,
                                      int count) {
  int i;
  char text[32];
  char* comma;
  if (!trial) {
    return;
  }
  fprintf(
      trial,
      "{\"v\":1,\"event\":\"samples\",\"metric\":\"%s\",\"unit\":\"%s\",\"warmup\":%d,\"values\":[",
      metric,
      unit,
      warmup);
  for (i = 0; i < count; ++i) {
    snprintf(text, sizeof(text), "%.17g", values[i]);
    comma = strchr(text, ','); /* of the program's locale */
    if (comma) {
      *comma = '.';
    }
    fprintf(trial, "%s%s", i == 0 ? "" : ",", text);
  }
  fprintf(trial, "]}\n");
  fflush(trial);
}

static inline void scalestudy_check(FILE* trial, const char* name, int passed) {
  if (trial) {
    fprintf(trial,
            "{\"v\":1,\"event\":\"check\",\"name\":\"%s\",\"passed\":%s}\n",
            name,
            passed ? "true" : "false");
    fflush(trial);
  }
}

static inline void scalestudy_end(FILE* trial, int ok, const char* message) {
  if (trial) {
    fprintf(trial,
            "{\"v\":1,\"event\":\"end\",\"ok\":%s,\"message\":\"%s\"}\n",
            ok ? "true" : "false",
            message);
    fclose(trial);
  }
}

/* NOLINTEND(concurrency-mt-unsafe,cppcoreguidelines-init-variables,modernize-*,readability-implicit-bool-conversion)
 */

#endif
