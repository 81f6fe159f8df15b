"""Births of many kinds. Says in the file of the first argument how many there were of each; the second is a folder
of programs: one with a #! line, and, where a compiler was found, one linked statically and one without a C library."""
import json
import os
import subprocess
import sys

told, programs = sys.argv[1:3]
TRUE = '/bin/true'
births = {}


def quiet(argv, **options):
    try:
        subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    except OSError:
        pass  # refused: born all the same


def child(work):
    pid = os.fork()
    if pid == 0:
        try:
            work()
        finally:
            os._exit(0)
    os.waitpid(pid, 0)


def times(name, count, work, each=1):
    for i in range(count):
        work(i)
    births[name] = births.get(name, 0) + count * each


times('subprocess', 100, lambda i: quiet([TRUE, str(i)]))
times('vfork', 100, lambda i: quiet([TRUE, str(i)], close_fds=False))
times('posix_spawn', 100, lambda i: os.waitpid(os.posix_spawn(TRUE, [TRUE, str(i)], os.environ), 0))
numbers = ''.join('%d\n' % i for i in range(200)).encode()
times('xargs -P8', 1, lambda _: quiet(['/usr/bin/xargs', '-P8', '-I{}', TRUE, '{}'], input=numbers), 201)


def double(_):
    def first():
        os.setsid()
        if os.fork() == 0:
            os.execv(TRUE, [TRUE])

    child(first)


times('double fork', 50, double, 2)
times('1.5 MB of arguments', 5, lambda _: quiet([TRUE] + ['y' * 1000] * 1500))
times('arguments that are no UTF-8', 20, lambda _: quiet([b'/bin/true', b'\xff\xfe\x80bad']))
times('#! line', 20, lambda i: quiet([programs + '/shebang', str(i)]))
image = open(TRUE, 'rb').read()


def memory(_):
    fd = os.memfd_create('x', 0)
    os.write(fd, image)
    child(lambda: os.execve(fd, ['x'], os.environ))
    os.close(fd)


times('memory file', 10, memory)
times('fork only', 200, lambda _: child(lambda: None))
times('killed at once', 100, lambda _: child(lambda: os.kill(os.getpid(), 9)))
shell = 'i=0; while [ $i -lt 200 ]; do ( : ); i=$((i+1)); done'
times('subshells', 1, lambda _: quiet(['/bin/sh', '-c', shell]), 201)
for name in ('static', 'no C library'):
    path = programs + '/' + name
    if os.path.exists(path):
        times(name, 20, lambda i: quiet([path, str(i)]))
thread = '''
import os, threading, time
thread = threading.Thread(target=lambda: os.execv("/bin/true", ["/bin/true", "thread"]))
thread.start()
thread.join()
time.sleep(60)
'''
times('exec by another thread', 5, lambda _: quiet([sys.executable, '-c', thread]))
with open(told, 'w', encoding='utf8') as file:
    json.dump(births, file)
