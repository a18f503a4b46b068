"""Writes the record of a trial for scalestudy (FORMAT.md beside this file); rank 0 alone uses it.

    trial = Trial("my-training", ranks=2, parameter_count=1e6)   # when set-up is done
    trial.phase("measure")
    trial.samples("step_time_s", "s", step_times, warmup=10)     # after the last step
    trial.check("loss_finite", math.isfinite(loss))
    trial.end()                                                  # without it the trial has failed
"""
import json
import os


def parameters():
    """The cell's parameters by name; none outside a study."""
    return json.loads(os.environ.get("SCALESTUDY_PARAMETERS", "{}"))


class Trial:
    def __init__(self, workload, ranks, **facts):
        self._file = open(os.environ.get("SCALESTUDY_OUTPUT", os.devnull), "w", encoding="utf-8")
        self._write("start", workload=workload, ranks=ranks, parameters=parameters(), facts=facts)

    def phase(self, name):
        self._write("phase", name=name)

    def samples(self, metric, unit, values, warmup=0, rank=None):
        of_rank = {} if rank is None else {"rank": rank}
        self._write("samples", metric=metric, unit=unit, warmup=warmup, values=list(values), **of_rank)

    def check(self, name, passed, detail=""):
        self._write("check", name=name, passed=bool(passed), detail=detail)

    def end(self, ok=True, message="", **facts):
        self._write("end", ok=ok, message=message, facts=facts)

    def _write(self, event, **members):
        line = json.dumps({"v": 1, "event": event, **members}, allow_nan=False)  # NaN: ValueError
        print(line, file=self._file, flush=True)
