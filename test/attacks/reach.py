"""Tries to reach processes outside its family in every way there is (THREATS 1, 3, 12).

reach.py OUT VICTIM [DESK_PID_FILE]: VICTIM is what victim.py printed. With DESK_PID_FILE it runs under Kinwatch and
tries supervisor, shim and desk as well. OUT receives one JSON object: what was tried, and `done` or the errno.
"""
import ctypes
import errno
import fcntl
import json
import mmap
import os
import signal
import socket
import sys

OUT, VICTIM = sys.argv[1], json.loads(sys.argv[2])
X64 = os.uname().machine == "x86_64"
PTRACE_SEIZE, PTRACE_DETACH = 0x4206, 17
SYS_ptrace, SYS_setns = (101, 308) if X64 else (117, 268)
SYS_io_uring_setup, SYS_pidfd_getfd = 425, 438
SYS_process_vm_readv = 310 if X64 else 270
CLONE_NEWUSER = 0x10000000
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
results = {}


def call(number, *arguments):
    value = libc.syscall(number, *[ctypes.c_long(one) if isinstance(one, int) else one for one in arguments])
    if value < 0:
        raise OSError(ctypes.get_errno(), "")
    return value


def attempt(name, action):
    try:
        action()
        results[name] = "done"
    except OSError as error:
        results[name] = errno.errorcode.get(error.errno, str(error.errno))


def forge(pid):
    with open(f"/proc/{pid}/fd/1", "w") as pipe:
        pipe.write('{"jsonrpc":"2.0","id":1,"result":"forged"}\n')


def borrow(pid):
    pidfd = os.pidfd_open(pid)
    os.close(call(SYS_pidfd_getfd, pidfd, 1, 0))


def trace(pid):
    call(SYS_ptrace, PTRACE_SEIZE, pid, 0, 0)
    libc.syscall(SYS_ptrace, PTRACE_DETACH, pid, 0, 0)


def read_memory(pid):
    with open(f"/proc/{pid}/mem", "rb") as memory:
        memory.seek(VICTIM["secret"])
        assert pid != VICTIM["pid"] or memory.read(10) == b"the victim"


def copy_memory(pid):
    local = ctypes.create_string_buffer(10)
    vector = (ctypes.c_ulong * 2)
    here, there = vector(ctypes.addressof(local), 10), vector(VICTIM["secret"], 10)
    call(SYS_process_vm_readv, pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)


def own_by_descriptor(pid):
    """F_SETOWN and F_SETSIG: the kernel sends the signal. Whether it came is seen at the other end."""
    left, right = socket.socketpair()
    fcntl.fcntl(left, fcntl.F_SETOWN, pid)
    fcntl.fcntl(left, 10, signal.SIGUSR2)
    fcntl.fcntl(left, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    right.send(b"x")


def enter(pid):
    fd = os.open(f"/proc/{pid}/ns/user", os.O_RDONLY)
    call(SYS_setns, fd, CLONE_NEWUSER)


def in_child(action):
    """What changes this process for good is tried by a child, which ends with the errno."""
    child = os.fork()
    if child == 0:
        try:
            action()
            os._exit(0)
        except OSError as error:
            os._exit(error.errno)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status != 0:
        raise OSError(status if status > 0 else errno.EFAULT, "")


def enter_own():
    ready, told = os.pipe()
    child = os.fork()
    if child == 0:
        libc.unshare(CLONE_NEWUSER)
        os.write(told, b"x")
        signal.pause()
    try:
        os.read(ready, 1)
        enter(child)
    finally:
        os.kill(child, signal.SIGKILL)


def ring():
    # A null structure: EFAULT where the call exists.
    try:
        call(SYS_io_uring_setup, 1, 0)
    except OSError as error:
        if error.errno != errno.EFAULT:
            raise


def foreign_architecture():
    """mov $20,%eax (getpid of i386); int $0x80; ret"""
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(bytes.fromhex("b814000000cd80c3"))
    value = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
    if value < 0:
        raise OSError(-value, "")


def abstract():
    socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).connect("\0" + VICTIM["abstract"])


def parent_of(pid):
    with open(f"/proc/{pid}/stat") as file:
        return int(file.read().rsplit(")", 1)[1].split()[1])


targets = {"victim": VICTIM["pid"]}
if len(sys.argv) > 3:
    supervisor = os.getppid()
    with open(sys.argv[3]) as file:
        targets |= {"supervisor": supervisor, "shim": parent_of(supervisor), "desk": json.load(file)["pid"]}
for who, pid in targets.items():
    attempt(f"{who} kill", lambda: os.kill(pid, signal.SIGUSR1))
    attempt(f"{who} pidfd_send_signal", lambda: signal.pidfd_send_signal(os.pidfd_open(pid), signal.SIGUSR1))
    attempt(f"{who} ptrace", lambda: trace(pid))
    attempt(f"{who} mem", lambda: read_memory(pid))
    attempt(f"{who} environ", lambda: open(f"/proc/{pid}/environ", "rb").read())
    attempt(f"{who} process_vm_readv", lambda: copy_memory(pid))
    attempt(f"{who} fd/1", lambda: forge(pid))
    attempt(f"{who} pidfd_getfd", lambda: borrow(pid))
    own_by_descriptor(pid)
attempt("abstract socket", abstract)
if VICTIM["namespace"] is not None:
    attempt("setns foreign", lambda: in_child(lambda: enter(VICTIM["namespace"])))
    attempt("setns own", lambda: in_child(enter_own))
attempt("io_uring_setup", ring)
if X64:
    attempt("int 0x80", lambda: in_child(foreign_architecture))
with open(OUT + ".new", "w") as file:
    json.dump(results, file)
os.rename(OUT + ".new", OUT)
sys.stdin.read()
