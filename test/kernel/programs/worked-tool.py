# A tool that has a process write to the tracer, made of nothing but the protocol's bytes: `worked-tool.py REQUEST PROGRAM`.
# Starts the program as a user without any right to the tracer, sends the request (hex) to its diagnostic port and a
# descriptor behind it, and prints as JSON the reply, what of it is in the tracer's ring buffer, and what is left then.
import array
import json
import os
import socket
import subprocess
import sys
import time

TRACEFS = "/sys/kernel/tracing"
USER = 65534


def until(is_so, what):
    end = time.monotonic() + 20
    while not is_so():
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.01)


def become_nobody():
    os.setgroups([])
    os.setgid(USER)
    os.setuid(USER)


def set_recorded(name, on):
    with open(f"{TRACEFS}/events/user_events/{name}/enable", "w") as file:
        file.write("1" if on else "0")


def pages():
    found = []
    for cpu in os.listdir(f"{TRACEFS}/per_cpu"):
        pipe = os.open(f"{TRACEFS}/per_cpu/{cpu}/trace_pipe_raw", os.O_RDONLY | os.O_NONBLOCK)
        try:
            while page := os.read(pipe, 4096):
                found.append(page.hex())
        except BlockingIOError:
            pass
        os.close(pipe)
    return found


request = bytes.fromhex(sys.argv[1])
target = subprocess.Popen(
    ["node", sys.argv[2]],
    stdin=subprocess.PIPE,
    stdout=subprocess.PIPE,
    text=True,
    preexec_fn=become_nobody,
)
port = json.loads(target.stdout.readline())


def ask(word):
    target.stdin.write(word + "\n")
    target.stdin.flush()
    return json.loads(target.stdout.readline())


connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
connection.connect(port["address"])
connection.sendall(request)
tracer = os.open(f"{TRACEFS}/user_events_data", os.O_RDWR)
rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [tracer]))]
connection.sendmsg([b"\0"], rights)
# The tracepoints are to be the target's alone.
os.close(tracer)
reply = connection.recv(100).hex()

names = sorted(name for name in os.listdir(f"{TRACEFS}/events/user_events") if name.startswith("Demo"))
formats = []
for name in names:
    with open(f"{TRACEFS}/events/user_events/{name}/format") as file:
        formats.append(file.read())
    set_recorded(name, True)
stats = ask("write")
with open(f"{TRACEFS}/events/header_page") as file:
    header = file.read()
recorded = pages()
for name in names:
    set_recorded(name, False)
# Nothing but this ends the session.
connection.close()
until(lambda: not any(os.path.exists(f"{TRACEFS}/events/user_events/{name}") for name in names), "the end")
enabled = ask("enabled")
target.stdin.close()
target.wait()
print(
    json.dumps(
        {
            "backend": port["backend"],
            "reply": reply,
            "names": names,
            "formats": formats,
            "header": header,
            "pages": recorded,
            "stats": stats,
            "enabled": enabled,
            "status": target.returncode,
        }
    )
)
