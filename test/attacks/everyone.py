"""kill(-1): a signal to every process that may be reached. SIGURG, which nobody minds.

everyone.py SIBLING_LOG [alone]: with `alone` in a pid namespace of its own, where everyone is its own sibling.
"""
import ctypes
import os
import signal
import sys

LOG = sys.argv[1]
CLONE_NEWUSER, CLONE_NEWPID = 0x10000000, 0x20000000


def attack():
    ready, told = os.pipe()
    sibling = os.fork()
    if sibling == 0:
        def seen(_number, _frame):
            with open(LOG, "w") as file:
                file.write("SIGURG\n")
            os._exit(0)

        signal.signal(signal.SIGURG, seen)
        os.write(told, b"x")
        while True:
            signal.pause()
    os.read(ready, 1)
    try:
        os.kill(-1, signal.SIGURG)
    except PermissionError:
        with open(LOG, "w") as file:
            file.write("EPERM\n")
        os.kill(sibling, signal.SIGKILL)
    os.waitpid(sibling, 0)


if len(sys.argv) > 2:
    if ctypes.CDLL(None).unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0:
        sys.exit(77)
    child = os.fork()
    if child != 0:
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    # pid 1 of the new namespace is spared by kill(-1); so is the caller: the sibling is left.
attack()
with open(LOG + ".done", "w"):
    pass
if len(sys.argv) == 2:
    sys.stdin.read()
