#!/bin/sh
# A stand-in for a training program in tests of the command line: writes the trial protocol with step
# times that follow from its arguments. usage: trainer.sh DEVICES BATCH [WHAT]
#   WHAT  fail (exit 7), slow (sleeps until it is ended), short (sleeps 0.7 s, says nothing),
#         scatter (trials differ by 30 %), flaky (fails at the first attempt)
devices=$1 batch=$2 what=$3
[ "$what" = fail ] && { echo "cannot allocate the frobnicator" >&2; exit 7; }
[ "$what" = slow ] && { sleep 60; exit 0; }
[ "$what" = short ] && { sleep 0.7; exit 0; }
[ "$what" = flaky ] && [ "$SCALESTUDY_ATTEMPT" = 1 ] && exit 7
spread=0.01
[ "$what" = scatter ] && spread=0.3
echo "{\"v\":1,\"event\":\"start\",\"workload\":\"trainer\",\"ranks\":$devices,\"parameters\":{},\"facts\":{},\"versions\":{}}" >>"$SCALESTUDY_OUTPUT"
# Compute shrinks with devices, communication does not: time = batch/devices * 1e-4 + 1e-3 * (devices > 1).
LC_ALL=C awk -v n="$devices" -v b="$batch" -v seed="$SCALESTUDY_TRIAL" -v spread="$spread" 'BEGIN {
  srand(seed); scale = 1 + spread * (rand() - 0.5)
  printf "{\"v\":1,\"event\":\"samples\",\"metric\":\"step_time_s\",\"unit\":\"s\",\"warmup\":2,\"values\":["
  for (i = 0; i < 12; i++)
    printf "%s%.9f", i ? "," : "", (b / n * 1e-4 + (n > 1 ? 1e-3 : 0)) * scale * (1 + 0.01 * (rand() - 0.5))
  printf "]}\n{\"v\":1,\"event\":\"end\",\"ok\":true,\"message\":\"\"}\n"
}' >>"$SCALESTUDY_OUTPUT"
