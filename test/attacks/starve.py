"""Limits, slows or moves another process (THREATS 5). starve.py OUT PID…: one line of outcomes for each process."""
import ctypes
import errno
import json
import os
import resource
import sys

OUT, PIDS = sys.argv[1], [int(word) for word in sys.argv[2:]]
libc = ctypes.CDLL(None, use_errno=True)
SYS = {"x86_64": {"ioprio_set": 251, "sched_setattr": 314, "migrate_pages": 256, "move_pages": 279}}.get(
    os.uname().machine, {"ioprio_set": 30, "sched_setattr": 274, "migrate_pages": 238, "move_pages": 239}
)
IOPRIO_WHO_PROCESS, IDLE_CLASS = 1, 3 << 13


def call(name, *arguments):
    if libc.syscall(SYS[name], *arguments) < 0:
        raise OSError(ctypes.get_errno(), name)


def attributes():
    # struct sched_attr: size, policy SCHED_BATCH, flags, nice 19, priority, runtime, deadline, period.
    words = ctypes.create_string_buffer(48)
    ctypes.memmove(words, (48).to_bytes(4, "little") + (3).to_bytes(4, "little") + bytes(8) + (19).to_bytes(4, "little"), 20)
    return words


def move_pages(pid):
    mask = ctypes.c_ulong(1)
    call("migrate_pages", pid, 2, ctypes.byref(mask), ctypes.byref(mask))


DEEDS = {
    "prlimit": lambda pid: resource.prlimit(pid, resource.RLIMIT_NOFILE, (512, 512)),
    "setpriority": lambda pid: os.setpriority(os.PRIO_PROCESS, pid, 19),
    "sched_setaffinity": lambda pid: os.sched_setaffinity(pid, os.sched_getaffinity(0)),
    "sched_setscheduler": lambda pid: os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0)),
    "sched_setattr": lambda pid: call("sched_setattr", pid, attributes(), 0),
    "ioprio_set": lambda pid: call("ioprio_set", IOPRIO_WHO_PROCESS, pid, IDLE_CLASS),
    "migrate_pages": move_pages,
}


def outcome(deed, pid):
    try:
        deed(pid)
        return "done"
    except OSError as error:
        return errno.errorcode[error.errno]


results = {str(pid): {name: outcome(deed, pid) for name, deed in DEEDS.items()} for pid in PIDS}
results["own"] = {name: outcome(deed, os.getpid()) for name, deed in DEEDS.items()}
with open(OUT + ".new", "w") as file:
    json.dump(results, file)
os.rename(OUT + ".new", OUT)
sys.stdin.read()
