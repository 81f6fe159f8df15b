"""Speaks to the desk in every role (THREATS 16), with the reviewer's right token.

speak.py SOCKET TOKEN OUT [leave]: with `leave` from a process that left its parent: forked twice, in a session of its
own; afterwards it becomes a program with an empty environment that stays.
"""
import errno
import json
import os
import socket
import sys

SOCKET, TOKEN, OUT = sys.argv[1:4]


def hello(role):
    message = {"kind": "hello", "role": role, "protocol": 1}
    if role == "reviewer":
        message["token"] = TOKEN
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.connect(SOCKET)
    except OSError as error:
        return {"kind": "closed", "reason": errno.errorcode[error.errno]}
    connection.sendall((json.dumps(message) + "\n").encode())
    return json.loads(connection.makefile().readline())


def speak():
    answers = {role: hello(role) for role in ("reviewer", "operator", "supervisor")}
    with open(OUT + ".new", "w") as file:
        json.dump({"pid": os.getpid(), "ppid": os.getppid(), "answers": answers}, file)
    os.rename(OUT + ".new", OUT)


if len(sys.argv) > 4:
    first = os.fork()
    if first == 0:
        os.setsid()
        if os.fork() != 0:
            os._exit(0)
        while os.getppid() == os.getsid(0):
            pass
        speak()
        os.execve("/usr/bin/sleep", ["sleep", "1000"], {})
    os.waitpid(first, 0)
else:
    speak()
sys.stdin.read()
