"""Swaps where a socket call leads, between its judgement and the kernel's own reading of it (THREATS 2).

address.py MODE GOOD BAD TRIES OUT [speak]
  port     TCP connect; the port in the address is swapped between GOOD and BAD
  path     unix connect; the path is swapped between GOOD and BAD (of one length)
  family   unix connect to GOOD; address and descriptor are swapped for a TCP socket and port BAD
  send     a datagram sent with `sendto`; the port is swapped
  message  the same with `sendmsg`

Who was reached tells itself: the listeners say "good" or "bad", the datagram receivers are the test's. The swapper is
a process of its own that shares the page. OUT receives one JSON object at the end. With `speak` it behaves as an MCP
server first. The descriptor of `family` is swapped by a thread.
"""
import ctypes
import json
import mmap
import os
import socket
import struct
import sys
import threading

MODE, GOOD, BAD, TRIES, OUT = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5]
libc = ctypes.CDLL(None, use_errno=True)
page = mmap.mmap(-1, 4096)
base = ctypes.addressof(ctypes.c_char.from_buffer(page))


def initialize():
    request = json.loads(sys.stdin.readline())
    info = {"name": "address", "version": "1"}
    result = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": info}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
    sys.stdin.readline()


def inet(port):
    return struct.pack("=H", socket.AF_INET) + struct.pack("!H", int(port)) + socket.inet_aton("127.0.0.1") + bytes(8)


def unix(path):
    return struct.pack("=H", socket.AF_UNIX) + path.encode() + b"\0"


good = unix(GOOD) if MODE in ("path", "family") else inet(GOOD)
bad = unix(BAD) if MODE == "path" else inet(BAD)
length = max(len(good), len(bad))
page[: len(good)] = good


def swap():
    if MODE == "path":
        at, one, two = len(good) - 2, good[-2:-1], bad[-2:-1]
    elif MODE == "family":
        at, one, two = 0, good[:8], bad[:8]
    else:
        at, one, two = 2, good[2:4], bad[2:4]
    while True:
        page[at : at + len(one)] = one
        page[at : at + len(two)] = two


def said(s):
    s.settimeout(20)
    try:
        return s.recv(8).decode()
    except OSError:
        return ""


def connect():
    kind = socket.AF_UNIX if MODE in ("path", "family") else socket.AF_INET
    s = socket.socket(kind, socket.SOCK_STREAM)
    stop = threading.Event()
    if MODE == "family":
        other = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        own = os.dup(s.fileno())
        number = s.fileno()

        def swap_descriptor():
            while not stop.is_set():
                os.dup2(other.fileno(), number)
                os.dup2(own, number)

        thread = threading.Thread(target=swap_descriptor)
        thread.start()
    code = libc.connect(s.fileno(), ctypes.c_void_p(base), length)
    stop.set()
    if MODE == "family":
        thread.join()
        os.dup2(own, number)
        os.close(own)
        reached = [said(x) for x in (other, s) if is_connected(x)]
        other.close()
        s.close()
        return reached[0] if reached else "failed"
    result = said(s) if code == 0 else "failed"
    s.close()
    return result


def is_connected(s):
    try:
        s.getpeername()
        return True
    except OSError:
        return False


payload = ctypes.create_string_buffer(b"x", 1)


class Piece(ctypes.Structure):
    _fields_ = [("at", ctypes.c_void_p), ("length", ctypes.c_size_t)]


class Message(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_void_p),
        ("name_length", ctypes.c_uint32),
        ("pieces", ctypes.POINTER(Piece)),
        ("count", ctypes.c_size_t),
        ("control", ctypes.c_void_p),
        ("control_length", ctypes.c_size_t),
        ("flags", ctypes.c_int),
    ]


def send():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        if MODE == "send":
            code = libc.sendto(s.fileno(), payload, 1, 0, ctypes.c_void_p(base), 16)
        else:
            piece = Piece(ctypes.addressof(payload), 1)
            message = Message(base, 16, ctypes.pointer(piece), 1, None, 0, 0)
            code = libc.sendmsg(s.fileno(), ctypes.byref(message), 0)
        return "sent" if code == 1 else "failed"


if len(sys.argv) > 6:
    initialize()
swapper = os.fork()
if swapper == 0:
    swap()
counts = {}
for _ in range(TRIES):
    outcome = send() if MODE in ("send", "message") else connect()
    counts[outcome] = counts.get(outcome, 0) + 1
os.kill(swapper, 9)
os.waitpid(swapper, 0)
with open(OUT + ".new", "w") as file:
    json.dump(counts, file)
os.rename(OUT + ".new", OUT)
if len(sys.argv) > 6:
    sys.stdin.read()
