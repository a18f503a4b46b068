#!/usr/bin/env python3
"""A study of thousands of trials of a program that does nothing: what grows with them.

usage: long.py SCALESTUDY [TRIALS]

Runs TRIALS (5000) of `echo` in four parts, each a process of its own. Of each part: the time of a trial, the memory
and open files of the process at its begin and its end, the size of the store, and how long `status` and `report` take.
Ratios are printed, nothing is asserted: what is linear has equal costs a trial in every row.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

CELLS = 10


def memory_and_files(pid):
    """MB resident and the number of open files; None once the process has ended."""
    try:
        pages = int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6, len(os.listdir(f"/proc/{pid}/fd"))
    except (OSError, IndexError):
        return None


class Study:
    def __init__(self, program, folder, trials):
        self.program, self.results = program, folder / "results"
        self.file = folder / "long.yaml"
        self.environment = {**os.environ, "SCALESTUDY_LOCKS": str(folder), "SCALESTUDY_RESULTS": str(self.results)}
        self.file.write_text(
            "version: 1\nstudy: long\nworkload: command\ncommand: [echo, 'step {i}: 1.{i} ms']\n"
            "extract: [{metric: step_time_s, unit: ms, regex: 'step \\d+: (\\S+) ms'}]\n"
            f"axes: {{i: [{', '.join(map(str, range(CELLS)))}]}}\nsteps: {{warmup: 0, measured: 1}}\n"
            f"trials: {{count: {trials // CELLS}}}\nanalysis: {{baseline: {{i: 0}}}}\n")

    def call(self, *words):
        """Seconds that it took."""
        begin = time.monotonic()
        subprocess.run([self.program, "--quiet", *words], env=self.environment, check=True,
                       stdout=subprocess.DEVNULL)
        return time.monotonic() - begin

    def run(self, trials):
        """Runs so many more trials: seconds, and (memory, files) early and late."""
        begin = time.monotonic()
        process = subprocess.Popen([self.program, "--quiet", "run", self.file, "--max-trials", str(trials)],
                                   env=self.environment, stdout=subprocess.DEVNULL)
        seen = []

        def watch():
            while process.poll() is None:
                if found := memory_and_files(process.pid):
                    seen.append(found)
                time.sleep(0.05)

        watching = threading.Thread(target=watch)
        watching.start()
        status = process.wait()
        watching.join()
        if status != 0:
            sys.exit(f"long: the run ended with {status}")
        fifth = max(len(seen) // 5, 1)  # the answer at the end takes memory of its own: the most of a fifth before it

        def most(part):
            return max(memory for memory, _ in part), max(files for _, files in part)

        return time.monotonic() - begin, most(seen[:fifth]), most(seen[-2 * fifth:-fifth] or seen)

    def size(self):
        return sum(file.stat().st_size for file in self.results.glob("results.db*"))


def main():
    program = sys.argv[1]
    trials = int(sys.argv[2]) if len(sys.argv) > 2 else 5000
    with tempfile.TemporaryDirectory() as name:
        study = Study(program, pathlib.Path(name), trials)
        print("long:  trials  ms/trial  MB early  MB late  files  store kB/trial  status s  report s  ms/trial")
        done = 0
        for part in (1, 2, 3, 4):
            more = trials * part // 4 - done
            seconds, early, late = study.run(more)
            done += more
            status, report = study.call("status"), study.call("report", "long")
            print(f"long: {done:7}  {1000 * seconds / more:8.1f}  {early[0]:8.1f}  {late[0]:7.1f}  "
                  f"{early[1]:2}, {late[1]:2}  {study.size() / done / 1000:14.2f}  {status:8.2f}  {report:8.2f}  "
                  f"{1000 * report / done:8.2f}", flush=True)


main()
