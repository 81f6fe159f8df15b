"""A process outside every family, with everything that a member could want: a secret in memory, a pipe to its client
on descriptor 1, an abstract socket, a child in a namespace of its own. It lets anybody trace it, so that only the
treatment can refuse. Signals that reach it are noted in LOG.

victim.py LOG
"""
import ctypes
import json
import os
import signal
import socket
import sys

LOG = sys.argv[1]
PR_SET_PTRACER, ANY, CLONE_NEWUSER = 0x59616D61, -1, 0x10000000
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(PR_SET_PTRACER, ctypes.c_ulong(ANY), 0, 0, 0)


def seen(number, _frame):
    with open(LOG, "a") as file:
        file.write(signal.Signals(number).name + "\n")


for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGURG):
    signal.signal(number, seen)

ready, told = os.pipe()
inside = os.fork()
if inside == 0:
    libc.prctl(1, signal.SIGKILL, 0, 0, 0)
    os.write(told, b"1" if libc.unshare(CLONE_NEWUSER) == 0 else b"0")
    while True:
        signal.pause()
secret = ctypes.create_string_buffer(b"the victim's secret")
listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
name = f"kinwatch-victim-{os.getpid()}"
listener.bind("\0" + name)
listener.listen()
print(
    json.dumps(
        {
            "pid": os.getpid(),
            "secret": ctypes.addressof(secret),
            "abstract": name,
            "namespace": inside if os.read(ready, 1) == b"1" else None,
        }
    ),
    flush=True,
)
while sys.stdin.readline():
    pass
os.kill(inside, signal.SIGKILL)
