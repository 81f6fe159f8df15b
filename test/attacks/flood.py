"""Asks the kernel for a program that is not there, from 8 threads, each time with 60,000 arguments (THREATS 11).

flood.py SECONDS   prints how many attempts failed, by errno. Starts nothing: no attempt can succeed.
"""
import collections
import ctypes
import errno
import json
import sys
import threading
import time

libc = ctypes.CDLL(None, use_errno=True)
count = 60_000
word = ctypes.create_string_buffer(b"x")
arguments = (ctypes.c_char_p * (count + 1))(*[ctypes.cast(word, ctypes.c_char_p)] * count, None)
environment = (ctypes.c_char_p * 1)(None)
seen = collections.Counter()


def attempt(until):
    mine = collections.Counter()
    while time.monotonic() < until:
        libc.execve(b"/nowhere/at/all", arguments, environment)
        mine[errno.errorcode.get(ctypes.get_errno(), "?")] += 1
    seen.update(mine)


until = time.monotonic() + float(sys.argv[1])
threads = [threading.Thread(target=attempt, args=(until,)) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(json.dumps(seen))
