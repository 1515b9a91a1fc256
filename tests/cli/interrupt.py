#!/usr/bin/env python3
"""What an interrupt and a dead parent leave behind: `interrupt.py PROGRAM`. On a simulated GPU whose size 64 never
comes back in real time."""
import os
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.abspath(sys.argv[1])
DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data")


def start(folder, *arguments):
    env = dict(os.environ, WGTUNE_WISDOM=os.path.join(folder, "wisdom"), NO_COLOR="1",
               WGTUNE_FAKE_GPU=os.path.join(DATA, "fake", "stall.json"))
    return subprocess.Popen([PROGRAM, "tune", "scatter", "-p", "n=4096", *arguments], env=env, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def workers(parent):
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(parent)], capture_output=True, text=True).stdout.split()
    return [int(pid) for pid in found]


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def wait_for(condition, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def check(condition, what):
    if not condition:
        print("FAILED:", what)
        sys.exit(1)
    print("ok:", what)


def main():
    with tempfile.TemporaryDirectory() as folder:
        run = start(folder, "--sizes", "32,64,128,256")
        check(wait_for(lambda: workers(run.pid), 10), "the device is in a process of its own")
        time.sleep(1)  # in the stalled dispatch by now
        [worker] = workers(run.pid)
        check(os.getpgid(worker) == worker, "which is a process group of its own")
        os.kill(worker, signal.SIGINT)
        time.sleep(0.2)
        check(alive(worker), "and ignores an interrupt")
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=8)
        check(run.returncode == 130, f"an interrupted run ends soon and with 130, not {run.returncode}\n{out}{err}")
        check(wait_for(lambda: not alive(worker), 10), "and takes its worker along")

        run = start(folder, "--sizes", "32,64,128,256", "--fresh")
        check(wait_for(lambda: workers(run.pid), 10), "another run starts")
        time.sleep(1)
        [worker] = workers(run.pid)
        run.kill()
        run.communicate(timeout=10)
        check(wait_for(lambda: not alive(worker), 10), "a worker whose parent was killed ends, whatever the GPU does")


if __name__ == "__main__":
    main()
