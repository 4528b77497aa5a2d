"""``grade`` with what classes hand in: cheats and accidents end in a row with a reason, and change no other row."""

import contextlib
import functools
import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

import shardwidget as sw
from shardwidget.teach import frames, places
from shardwidget.teach.errands import Matches

pytestmark = pytest.mark.once
MESH = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
X = jax.device_put(np.arange(64.0, dtype=np.float32).reshape(8, 8), NamedSharding(MESH, P("x", "y")))
SECONDS = 10


def solution(x):
    return jnp.matmul(x, x.T, out_sharding=P("x"))


def broken(x):
    return x @ x.T


def wasteful(x):
    return jax.reshard(jax.reshard(x, P()) * 2, P("x", "y"))


def lab(student="") -> sw.ExerciseSet:
    replicated = jax.device_put(np.ones((64, 64), np.float32), NamedSharding(MESH, P()))
    exercises = [
        sw.Exercise.write_spec((8, 16), MESH, local_shape=(4, 4), name="spec"),
        sw.Exercise.repair(broken, X, gives=solution, name="fix"),
        sw.Exercise.lower_communication(wasteful, X, name="lower"),
        sw.Exercise.shard_tree({"a" * 40 + "b": replicated}, below=9000, name="tree"),
        sw.Exercise.read_schedule(sw.pipeline.one_f_one_b(2, 4), name="bubble"),
    ]
    return sw.ExerciseSet(exercises, name="Lab", student=student, progress=False)


HONEST = {
    "spec": {"spec": "P('y', 'x')"},
    "fix": {"function": "def f(x):\n    return jnp.dot(x, x.T, out_sharding=P('x'))"},
    "lower": {"function": "lambda x: x + x"},
    "tree": {"rules": "a → P('x', 'y')"},
    "bubble": {"bubble": "3/15", "peak": "2"},
}
WORDS = {name: HONEST[name] for name in ("spec", "tree", "bubble")}


def code(text):
    return {"fix": {"function": text}}


def defining(lines, line):
    return {"function": f"{lines}\ndef f(x):\n    return {line}"}


def inside(line, imports="import os, sys, time"):
    return code(f"{imports}\ndef f(x):\n    {line}\n    return jnp.dot(x, x.T, out_sharding=P('x'))")


WANTED = repr((np.asarray(X) @ np.asarray(X).T).tolist())
WASTE = "jax.reshard(jax.reshard(x, P()) + jax.reshard(x, P()), P('x', 'y'))"
TWICE = repr((np.asarray(X) * 2).tolist())

ANSWERS = {
    # What ends a process, or does not end.
    "sys.exit": (inside("sys.exit(0)"), 0, "SystemExit: 0"),
    "os._exit": (inside("os._exit(0)"), 0, "its process ended"),
    "os._exit with a code": (inside("os._exit(7)"), 0, "exit code 7"),
    "abort": (inside("os.abort()"), 0, "ended by signal 6"),
    "a wrong address": (inside("ctypes.string_at(0)", "import ctypes"), 0, "ended by signal 11"),
    "an endless loop": (inside("while True: pass"), 0, f"did not end in {SECONDS} s"),
    "sleep": (inside("time.sleep(1e6)"), 0, f"did not end in {SECONDS} s"),
    "an endless program": (
        {"lower": {"function": "lambda x: jax.lax.while_loop(lambda s: (s * s).sum() >= 0, jnp.sin, x)"}},
        0, "did not end in",
    ),
    "an interrupt": (inside("raise KeyboardInterrupt"), 0, "KeyboardInterrupt"),
    "endless recursion": (code("def f(x):\n    return f(x)"), 0, "RecursionError"),
    "lines that exit": (code("import os\nos._exit(0)\ndef f(x):\n    return x"), 0, "its process ended"),
    # What takes too much.
    "a huge list": (code("lambda x: [0] * 10**11"), 0, "MemoryError"),
    "huge text": (code("lambda x: 'a' * 10**12"), 0, "MemoryError"),
    "a huge array": (code("lambda x: jnp.ones((2**16, 2**16))"), 0, "stops with another error|its process"),
    "a large result": (code("lambda x: np.ones(2**22)"), 0, "too much to compare"),
    # Another's grade, this program, the machine.
    "a patched judge": (
        {"fix": defining("import shardwidget.teach.results as r\nr.difference = lambda *_: ''", "x")}, 0.5, "are off"
    ),
    "a patched count": (
        {"lower": defining("import shardwidget.teach.errands as e\ne.sent_bytes = lambda p: 0", WASTE)},
        0.5, "A device sends",
    ),
    "a patched reader": (
        {"lower": defining("import shardwidget.read as r\nr.program = lambda *_: None", WASTE)}, 0.5, "A device sends"
    ),
    "the parent is killed": (inside("os.kill(os.getppid(), 9)"), 0, "PermissionError"),
    "the parent is killed in C": (inside("ctypes.pythonapi.kill(os.getppid(), 9)", "import ctypes, os"), 0, "dlsym"),
    "a variable of the teacher's": (inside("os.environ['GRADEBOOK_TOKEN']"), 0, "KeyError"),
    "a shell": (inside("os.system('true')"), 0, "PermissionError"),
    "a process": (inside("os.fork()"), 0, "PermissionError"),
    "a file is written": (inside("open('grades.csv', 'w')"), 0, "may not open files"),
    "a file is read": (inside(f"open({__file__!r}).read()"), 0, "may not open files"),
    "a file is removed": (inside("os.remove('grades.csv')"), 0, "PermissionError"),
    "a connection": (inside("socket.create_connection(('127.0.0.1', 9))", "import socket"), 0, "PermissionError"),
    "the wire is closed": (inside("os.closerange(3, 99)"), 0, "its process"),
    # The truth by another way.
    "the solution": (code("lambda x: solution(x)"), 0, "name 'solution' is not defined"),
    "the solution's module": (
        {"fix": defining("from tests.unit.test_grade_safely import solution", "solution(x)")}, 0, "may not open files"
    ),
    "the solution in memory": (
        {"fix": defining("import gc", "[o for o in gc.get_objects() if getattr(o, '__name__', 0) == 'solution'][0]")},
        0, "IndexError",
    ),
    "a constant": (code(f"lambda x: jnp.array({WANTED})"), 0, "the same, whatever its arguments are"),
    "a constant and zero": (code(f"lambda x: jnp.array({WANTED}) + 0 * x.sum()"), 0, "the same, whatever"),
    "a constant for these values": (
        code(f"lambda x: jnp.array({WANTED}) if np.array(x)[0, 1] == 1 else x"),
        0.5, "right for these arguments, not for others",
    ),
    "a constant program": ({"lower": {"function": f"lambda x: jnp.array({TWICE})"}}, 0, "values are off"),
    "a constant when traced": (
        {"lower": {"function": f"lambda x: jnp.array({TWICE}) if isinstance(x, jax.core.Tracer) else x * 2"}},
        0, "values are off",
    ),
    # Answers in words.
    "a pattern that takes years": ({"tree": {"rules": "(a+)+$ → P('x')"}}, 0, f"did not end in {SECONDS} s"),
    "a pattern in depth": ({"tree": {"rules": "(" * 4000 + " → P('x')"}}, 0, "is not a pattern"),
    "many patterns": ({"tree": {"rules": "a → P('x', 'y');" * 500}}, 1, ""),
    "a number of a billion digits": ({"bubble": {"bubble": "1e999999999", "peak": "2"}}, 0, "is not a fraction"),
    "a long number": ({"bubble": {"bubble": "1/5", "peak": "9" * 5000}}, 0, "is not a whole number"),
    "a spec in depth": ({"spec": {"spec": "(" * 9000}}, 0, "is not a PartitionSpec"),
    "no answer": (code(""), 0, "nothing is filled in"),
    "no function": (code("import os"), 0, "do not define a function"),
    "no Python": (code("def f("), 0, "SyntaxError"),
    "a zero byte": (code("lambda x: x\0"), 0, "null byte"),
    "text as a result": (code("lambda x: 'a' * 100"), 0, "the same, whatever"),
    "an object as a result": (code("lambda x: object()"), 0, "the same, whatever"),
}  # fmt: skip


def raising(lines):
    return {"fix": defining(f"class E(Exception):\n    {lines}", "(_ for _ in ()).throw(E('late'))")}


SPIN = "import threading, time\ndef spin():\n    while True: pass"
FORK_EXEC = "_posixsubprocess.fork_exec([b'true'], [b'/bin/true'], *[None] * 15)"
FORGED = """from shardwidget import _jax
_jax.exported = lambda *_: _jax.Exported(b'x', (0,), 8, 9, (((2**70,), 'f'),), '')"""
INTERPRETERS = """import sys
name = '_interpreters' if sys.version_info >= (3, 13) else '_xxsubinterpreters'"""
LOOK = """import sys
def look():
    frame, found = sys._getframe(), []
    while frame:
        found += [v for k, v in frame.f_locals.items() if "wanted" in k or "truth" in k or "gives" in k]
        frame = frame.f_back
    return found"""

# The same for submissions that answer in words beside it.
MORE = {
    # The truth by another way.
    "a constant in 16 bits": (code(f"lambda x: jnp.array({WANTED}, jnp.float16)"), 0, "the same, whatever"),
    "a constant in 64 bits": (code(f"lambda x: np.array({WANTED})"), 0, "the same, whatever"),
    "a constant of whole numbers": (code(f"lambda x: jnp.array({WANTED}).astype(int)"), 0, "the same, whatever"),
    "a constant of lists": (code(f"lambda x: {WANTED}"), 0, "the same, whatever"),
    "a number": (code("lambda x: 0"), 0, "the same, whatever"),
    "frames of the caller": ({"fix": defining(LOOK, "look()[0]")}, 0, "IndexError"),
    "another dtype": (code("lambda x: (x @ x.T.copy()).astype(int) if 0 else x.astype(int)"), 0.5, "dtype int32"),
    # JAX, NumPy and Python changed.
    "a patched NumPy": ({"fix": defining("np.asarray = lambda *_, **__: np.zeros(64)", "x")}, 0, "the same|stops"),
    "a patched JAX": ({"fix": defining("jax.tree.flatten = lambda v: 1/0", "x")}, 0, "ZeroDivisionError"),
    "a patched len": ({"fix": defining("import builtins\nbuiltins.len = lambda *_: 0", "x")}, 0, "cannot be read|stop"),
    "a patched import": ({"fix": defining("import builtins\nbuiltins.__import__ = None", "x")}, 0, "not callable"),
    "no modules": ({"fix": defining("import sys\nsys.modules.clear()", "x")}, 0, "stops with"),
    "an audit hook": (inside("sys.addaudithook(lambda *_: 1/0)", "import sys"), 0, "ZeroDivisionError|stop"),
    "64 bits": (inside("jax.config.update('jax_enable_x64', True)"), 1, ""),
    "a deleted argument": (inside("x.delete()"), 0, "deleted"),
    "a leaked tracer": ({"fix": defining("L = []\njax.jit(L.append)(1.0)", "L[0] + x")}, 0, "UnexpectedTracerError"),
    "a forged program": ({"lower": defining(FORGED, "x")}, 0, "stop"),
    "a callback": ({"lower": {"function": "lambda x: jax.pure_callback(lambda y: y * 2, x, x)"}}, 0, "callbacks"),
    # What goes on after the answer.
    "a thread": (inside("threading.Thread(target=spin).start()", SPIN), 1, ""),
    "a thread that sleeps": (inside("threading.Thread(target=time.sleep, args=(1e6,)).start()", SPIN), 1, ""),
    "many threads": (
        inside("for _ in range(10**5): threading.Thread(target=time.sleep, args=(1e6,)).start()", SPIN),
        0, "RuntimeError|MemoryError|its process",
    ),
    "ignored signals": (
        inside("[signal.signal(n, 1) for n in (1, 2, 15)]; signal.pause()", "import signal"),
        0,
        f"did not end in {SECONDS} s",
    ),
    "an alarm": (inside("signal.alarm(1); signal.pause()", "import signal"), 0, "ended by signal 14"),
    "words on the wire": (inside("for n in range(3, 99): forge(n)", """import os, stat
def forge(n):
    try:
        if stat.S_ISSOCK(os.fstat(n).st_mode): os.write(n, b'x' * 64)
    except OSError: pass"""), 0, "too large"),
    # What takes too much.
    "shared memory": (inside("mmap.mmap(-1, 2**33)", "import mmap"), 0, "PermissionError"),
    "much text": (inside("print('a' * 10**8); sys.stderr.write('a' * 10**8)", "import sys"), 1, ""),
    "a question": (inside("input()"), 0, "EOFError"),
    "an error of many words": (code("def f(x): raise ValueError('a' * 10**7)"), 0, "ValueError: a+$"),
    "a long sum": (code("lambda x: x" + " + x" * 10**5), 0, "RecursionError|MemoryError|its process"),
    "a list in itself": ({"fix": defining("a = []\na.append(a)", "a")}, 0, "Error|its process"),
    # Other processes, this machine.
    "a process by multiprocessing": (
        inside("c.get_context('spawn').Process(target=print).start()", "import multiprocessing as c"),
        0, "start a process",
    ),
    "a process by C": (inside(FORK_EXEC, "import _posixsubprocess"), 0, "start a process"),
    "a pool of processes": (
        inside("c.ProcessPoolExecutor().submit(abs)", "import concurrent.futures as c"), 0, "Error"
    ),
    "another interpreter": ({"fix": defining(INTERPRETERS, "__import__(name).create()")}, 0, "Error"),
    "a datagram": (
        inside("s.socket(s.AF_INET, s.SOCK_DGRAM).sendto(b'a', ('127.0.0.1', 9))", "import socket as s"), 0, "sendto"
    ),
    "a name on the net": (inside("socket.gethostbyname('localhost')", "import socket"), 0, "gethostbyname"),
    "a database": (inside("sqlite3.connect('gradebook.db')", "import sqlite3"), 0, "sqlite3.connect|No module"),
    # Exceptions that cannot be told.
    "an error without words": (raising("def __str__(self): raise self"), 0, "another error, E. E: $"),
    "an error with a number": (raising("def __str__(self): return 3"), 0, "another error, E. E: $"),
    "an error that exits": (raising("def __str__(self): exit(3)"), 0, "Exit: 3|NameError|E: "),
    "an error of another text": (
        raising("def __str__(self): return type('S', (str,), {'strip': 1})('why')"), 0, "E: why$"
    ),
    "an error that is no Exception": (code("def f(x): raise GeneratorExit"), 0, "GeneratorExit"),
    "a group of errors": (code("def f(x): raise ExceptionGroup('g', [ValueError(1)])"), 0, "ExceptionGroup"),
    "an error in the terminal": (code("def f(x): raise ValueError('\\ud800\\x1b[2J')"), 0, r"\\ud800\\x1b\[2J"),
    # Lines that are no function.
    "a generator": (code("def f(x):\n    yield x"), 0, "the same, whatever"),
    "a coroutine": (code("async def f(x):\n    return x"), 0, "do not define a function"),
    "a class": (code("class f: pass"), 0, "do not define a function"),
    "tabs and spaces": (code("def f(x):\n\treturn x\n        return x"), 0, "TabError"),
    "lines of Windows": (code("def f(x):\r\n    return jnp.dot(x, x.T, out_sharding=P('x'))\r\n"), 1, ""),
    # Answers in words.
    "a fraction of nothing": ({"bubble": {"bubble": "1/0", "peak": "2"}}, 0, "is not a fraction"),
    "no number": ({"bubble": {"bubble": "nan", "peak": "inf"}}, 0, "is not a fraction"),
    "another field": ({"spec": {"nonsense": "P('y', 'x')"}}, 0, "no field is called 'nonsense'"),
    "a spec that calls": ({"spec": {"spec": "P(__import__('os').system('true'))"}}, 0, "is not an entry"),
    "a spec of many": ({"spec": {"spec": "P(" + "'y'," * 10**5 + ")"}}, 0, "at most 10000 are read"),
    "a pattern that looks back": ({"tree": {"rules": "(?<=a+) → P('x')"}}, 0, "is not a pattern"),
}  # fmt: skip
if sys.platform == "linux":
    # Others have no limit of memory, and no files in it.
    MORE |= {
        "a file in memory": (inside("os.write(os.memfd_create('a'), b'a')"), 0, "OSError.*too large"),
        "a list that grows": (
            code("def f(x):\n    a = [x]\n    while True: a += [bytearray(2**24)]"),
            0,
            "MemoryError|did not end",  # On a busy machine its time is over first.
        ),
    }


@functools.cache
def _blank():
    return json.dumps(lab().record())


def _record(student, answers=(), honest=HONEST):
    record = json.loads(_blank()) | {"student": student}
    given = honest | dict(answers)
    for entry in record["exercises"]:
        if answer := given.get(entry["name"]):
            entry |= {"answer": answer, "passed_by": answer, "passed": True, "attempts": 1}
    return record


def _write(folder, record, name="lab.json"):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps(record), encoding="utf-8")


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """One class with every cheat and accident among two honest students."""
    folder = tmp_path_factory.mktemp("class")
    for student in ("Ada", "zoe"):
        _write(folder / student, _record(student))
    for name, (answers, *_) in ANSWERS.items():
        _write(folder / name, _record(name, answers))
    for name, (answers, *_) in MORE.items():
        _write(folder / name, _record(name, answers, WORDS))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADEBOOK_TOKEN", "1")
        grades = sw.grade(folder, lab(), seconds=SECONDS)
    return {row.student: row for row in grades.rows}


@pytest.mark.parametrize("name", [*ANSWERS, *MORE])
def test_an_answer_is_graded_whatever_it_does(graded, name):
    answers, points, reason = (ANSWERS | MORE)[name]
    (exercise,) = answers
    credits = {c.exercise: c for c in graded[name].credits}
    assert credits[exercise].points == points
    assert re.search(reason, credits[exercise].note), credits[exercise].note
    others = {n: c.points for n, c in credits.items() if n != exercise and n in (HONEST if name in ANSWERS else WORDS)}
    assert set(others.values()) == {1}


def test_no_other_grade_is_changed(graded):
    assert [[c.points for c in graded[name].credits] for name in ("Ada", "zoe")] == [[1] * 5] * 2
    assert graded.keys() == {*ANSWERS, *MORE, "Ada", "zoe"}


# What lies in a folder: the student of each row, what is said of it, and its points.
FILES = {
    "nothing": (lambda f: f.mkdir(), "no record", 0),
    "another file": (lambda f: _file(f, "notes.json", "{}"), "no record", 0),
    "cut short": (lambda f: _file(f, "lab.json", json.dumps(_record("Ada"))[:300]), "it is not JSON", 0),
    "in depth": (lambda f: _file(f, "lab.json", '{"a": "shardwidget exercises", "b": ' + "[" * 10**5), "not JSON", 0),
    "no text": (lambda f: _file(f, "lab.json", b"\xff\xfeshardwidget exercises"), "cannot be read", 0),
    "half a character": (
        lambda f: _file(f, "lab.json", json.dumps(_record("Ada") | {"student": "\ud800x"})), r"'\\ud800' is half", 0
    ),
    "a large number": (lambda f: _change(f, attempts=10**300), "damaged", 0),
    "no number": (lambda f: _change(f, attempts=float("nan")), "damaged", 0),
    "a large record": (lambda f: _change(f, answer={"spec": "x" * 2**23}), "it has more than 4 MiB", 0),
    "a pipe": (lambda f: (f.mkdir(), os.mkfifo(f / "lab.json")), "it is no regular file", 0),
    "a device": (lambda f: (f.mkdir(), (f / "lab.json").symlink_to("/dev/zero")), "it is no regular file", 0),
    "a link": (lambda f: (f.mkdir(), (f / "lab.json").symlink_to("../Ada/lab.json")), "it is no regular file", 0),
    "a link to itself": (lambda f: (f.mkdir(), (f / "lab.json").symlink_to("lab.json")), "it is no regular file", 0),
    "a folder as a record": (lambda f: (f / "lab.json").mkdir(parents=True), "no record", 0),
    "a socket": (lambda f: (f.mkdir(), _socket(f / "lab.json")), "it is no regular file", 0),
    "a link to a folder": (lambda f: f.symlink_to("Ada"), "no record", 0),
    "a link in a folder": (lambda f: (f.mkdir(), (f / "in").symlink_to("../Ada")), "no record", 0),
    "an archive": (lambda f: _file(f, "lab.zip", b"PK"), "no record", 0),
    "a mark before it": (lambda f: _say(f, lambda text: "\ufeff" + text), "^$", 5),
    "lines of Windows": (lambda f: _say(f, lambda text: text.replace("[{", "[\r\n{")), "^$", 5),
    "16 bits a character": (lambda f: _file(f, "lab.json", json.dumps(_record(f.name)).encode("utf-16")), "utf-8", 0),
    "another case": (lambda f: _write(f, _record(f.name), "LAB.JSON"), "^$", 5),
    "twice in a file": (lambda f: _say(f, lambda text: text * 2), "it is not JSON", 0),
    "a zero byte": (lambda f: _say(f, lambda text: text + "\0"), "it is not JSON", 0),
    "an empty file": (lambda f: _file(f, "lab.json", ""), "no record", 0),
    "a list": (lambda f: _file(f, "lab.json", '["shardwidget exercises"]'), "holds no record", 0),
    "a key twice": (lambda f: _say(f, lambda text: text.replace('"student"', '"student": "Ada", "student"')), "^$", 5),
    "exercises twice": (lambda f: _write(f, (r := _record(f.name)) | {"exercises": r["exercises"] * 2}), "^$", 5),
    "no numbers beside it": (lambda f: _say(f, lambda text: text[:-1] + ', "x": [NaN, Infinity, 1e999]}'), "^$", 5),
    "endless attempts": (lambda f: _change(f, attempts=float("inf")), "damaged", 0),
    "a number of many digits": (
        lambda f: _say(f, lambda text: text.replace('"hints": 0', '"hints": ' + "1" * 5000)), "it is not JSON", 0
    ),
    "true attempts": (lambda f: _change(f, attempts=True), "damaged", 0),
    "less than no hints": (lambda f: _change(f, hints=-1), "damaged", 0),
    "an answer in an answer": (lambda f: _change(f, answer={"spec": {"a": 1}}), "damaged", 0),
    "students": (lambda f: _write(f, _record(f.name) | {"student": ["Ada", "zoe"]}), "damaged", 0),
    "half a character in an answer": (lambda f: _change(f, answer={"\ud800": ""}), "half of a character", 0),
    "a long set": (lambda f: _write(f, _record(f.name) | {"set": "x" * 10**6}), "is a record of the set 'x+", 0),
    "another exercise": (lambda f: _change(f, name="other"), "^$", 4),
    "x" * 200: (lambda f: _write(f, _record(f.name)), "^$", 5),
    "another set": (lambda f: _write(f, _record(f.name) | {"set": "Lab 2"}), "is a record of the set 'Lab 2'", 0),
    "another version": (lambda f: _write(f, _record(f.name) | {"set_version": "0"}), "of another version", 0),
    "no exercises": (lambda f: _write(f, _record(f.name) | {"exercises": []}), "^$", 0),
    "a copy": (lambda f: _write(f, _record("Ada")), "the record is that of 'Ada', who has one in Ada", 0),
    "a hard one": (lambda f: _change(f, attempts=4), "^$", 5),
    "a renamed copy": (lambda f: _change(f, attempts=4), "attempts and hints are those of a hard", 5),
    "a name with an escape\x1b[2J": (lambda f: _write(f, _record(f.name)), "^$", 5),
    "a name\nzoe  5": (lambda f: _write(f, _record(f.name)), "^$", 5),
    "a name\u202eeoz": (lambda f: _write(f, _record(f.name)), "^$", 5),
    "=cmd()": (lambda f: _write(f, _record(f.name)), "^$", 5),
}  # fmt: skip
if sys.platform == "linux":
    # Others allow neither such paths nor such names.
    FILES |= {
        "folders in depth": (lambda f: _deep(f, 1200, "a"), "^$", 5),
        "folders too deep": (lambda f: _deep(f, 40, "a" * 200), "File name too long", 0),
        os.fsdecode(b"a name \xff"): (lambda f: _write(f, _record("")), "^$", 5),
        os.fsdecode(b"a file \xff"): (lambda f: _file(f, f.name + ".json", "shardwidget exercises"), "not JSON", 0),
    }


def _file(folder, name, text):
    folder.mkdir()
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())


def _say(folder, change):
    _file(folder, "lab.json", change(json.dumps(_record(folder.name))))


def _socket(path):
    # Its address may have 100 characters.
    with socket.socket(socket.AF_UNIX) as made, contextlib.chdir(path.parent):
        made.bind(path.name)


def _deep(folder, depth, name):
    record = json.dumps(_record(folder.name))
    folder.mkdir()
    with contextlib.chdir(folder):
        for _ in range(depth):
            os.mkdir(name)
            os.chdir(name)
        Path("lab.json").write_text(record)


def _change(folder, **entry):
    record = _record(folder.name)
    record["exercises"][0] |= entry
    _write(folder, record)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("files")
    for student in ("Ada", "zoe"):
        _write(made / student, _record(student))
    for name, (make, *_) in FILES.items():
        make(made / name)
    (made / ".ipynb_checkpoints").mkdir()
    yield made
    # Deeper than Python's own removal of folders recurses.
    subprocess.run(["rm", "-rf", made / "folders in depth", made / "folders too deep"], check=True, timeout=60)


@pytest.fixture(scope="module")
def listed(folder):
    return sw.grade(folder, lab())


@pytest.mark.parametrize("name", FILES)
def test_a_folder_has_a_row_whatever_is_in_it(listed, name):
    _, note, points = FILES[name]
    (row,) = [row for row in listed.rows if row.student == name]
    assert row.points == points
    assert re.search(note, row.note), row.note


def test_honest_rows_stand_beside_them_and_no_name_makes_a_line_or_a_formula(listed, tmp_path):
    rows = {row.student: row for row in listed.rows}
    assert [(rows[name].points, rows[name].note) for name in ("Ada", "zoe")] == [(5, ""), (5, "")]
    assert len(str(listed).splitlines()) == 1 + len(listed.rows) == 1 + len(FILES) + 2
    text = str(listed) + listed._repr_html_() + listed.to_csv()
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202e\ud800-\udfff]", text)
    assert f"\n{'x' * 59}…" in str(listed)
    assert "x" * 501 not in str(listed) + listed._repr_html_() + listed.to_csv()
    written = Path(listed.to_csv(tmp_path / "grades.csv")).read_text(encoding="utf-8")
    assert len(written.splitlines()) == 1 + len(listed.rows)
    assert "\n'=cmd()," in written


def test_each_student_of_a_list_has_a_row(tmp_path):
    for student in ("Ada", "bob"):
        _write(tmp_path, _record(student), f"{student}.json")
    _write(tmp_path, _record("bob"), "bob (1).json")
    grades = sw.grade(tmp_path, lab(), students=["Ada", "bob", "eve", "eve"])
    assert [(row.student, row.points, row.note) for row in grades.rows] == [
        ("Ada", 5, ""),
        ("bob", 5, ""),
        ("bob", 0, "the same record as bob (1).json"),
        ("eve", 0, "no record"),
    ]


def test_two_records_of_a_student_name_each_other(tmp_path):
    first, second = _record("bob"), _record("bob", {"spec": {"spec": "P('x')"}})
    for number, record in enumerate((first, second, first)):
        _write(tmp_path, record, f"bob-{number}.json")
    rows = sw.grade(tmp_path, lab()).rows
    assert [(row.student, row.points, row.note) for row in rows] == [
        ("bob", 5, "'bob' has another record in bob-1.json"),
        ("bob", 4, "'bob' has another record in bob-0.json"),
        ("bob", 0, "the same record as bob-0.json"),
    ]


def test_after_some_stops_the_other_answers_of_a_submission_are_not_run(tmp_path):
    exercises = [sw.Exercise.repair(broken, X, gives=solution, name=f"fix {i}") for i in range(6)]
    many = sw.ExerciseSet(exercises, name="Lab", student="eve", progress=False)
    record = many.record()
    for entry in record["exercises"]:
        entry["answer"] = inside("os._exit(0)")["fix"]
    _write(tmp_path, record)
    (row,) = sw.grade(tmp_path, many).rows
    notes = [c.note for c in row.credits]
    assert ["its process ended" in note for note in notes] == [True] * 4 + [False] * 2
    assert "was not run, after 4 answers that had to be stopped" in notes[-1]


def test_where_processes_cannot_be_forked_each_is_started_anew(tmp_path, monkeypatch):
    monkeypatch.setattr(places, "FORKS", False)
    _write(tmp_path / "Ada", _record("Ada"))
    _write(tmp_path / "eve", _record("eve", inside("os._exit(3)")))
    rows = sw.grade(tmp_path, lab()).rows
    assert [row.points for row in rows] == [5, 4]
    assert "exit code 3" in rows[1].credits[1].note


@pytest.mark.parametrize(
    "plain",
    [
        {"bytes": [0, 9], "array": None},
        {"bytes": [-1, 4], "array": None},
        {"bytes": [4, -2], "array": None},
        {"bytes": [0, 8], "array": ["object", [1]]},
        {"bytes": [0, 8], "array": ["float32", [3]]},
        {"bytes": [0, 8], "array": ["float32", [-1, -2]]},
        {"bytes": [0, 0], "array": ["float32", [0, 10**30]]},
        {"bytes": [0, 8], "array": ["no type", [1]]},
        {"kind": "Popen", "args": "true"},
        {"kind": "Leaf"},
        {"neither": 1},
    ],
)
def test_what_a_process_forges_is_refused(plain):
    text = json.dumps(plain).encode()
    with pytest.raises(ValueError, match=r"it|array|dimension"):
        frames.read(len(text).to_bytes(frames.HEAD) + text + bytes(8))


@pytest.mark.skipif(not places.FORKS, reason="each process is started anew there")
def test_an_answer_that_ends_the_process_that_starts_others_ends_no_other():
    with places.Processes(2**30) as processes:
        one, another = places.Place(processes), places.Place(processes)
        assert processes._server
        processes._server[0].kill()
        one.close()
        for place in (another, places.Place(processes)):
            place.send(Matches(("a",), ("a", "b")), SECONDS)
            while (reply := place.receive()) is None:
                pass
            assert reply.value == ((True, False),)
            place.close()


def test_answers_in_words_need_no_process(tmp_path, monkeypatch):
    monkeypatch.setattr(places.Processes, "start", None)
    words = sw.ExerciseSet(list(lab())[:1], name="Lab", student="Ada", progress=False)
    record = words.record()
    record["exercises"][0]["answer"] = HONEST["spec"]
    _write(tmp_path, record)
    assert [row.points for row in sw.grade(tmp_path, words).rows] == [1]


def test_an_answer_that_changes_its_arguments_does_not_change_the_question():
    plain = np.arange(4.0)

    def wrong(x):
        return x + 1

    def clears(x):
        out = x * 2
        x[:] = 0
        return out

    e = sw.Exercise.repair(wrong, plain, gives=lambda x: 2 * x)
    e.answer = clears
    assert (e.passed, plain.tolist()) == (True, [0, 1, 2, 3])
    donated = sw.Exercise.repair(lambda x: x + 1, X, gives=lambda x: 2 * x)
    donated.answer = jax.jit(lambda x: 2 * x, donate_argnums=0)
    assert (donated.passed, X.is_deleted()) == (True, False)


@pytest.mark.parametrize(
    ("args", "constant", "right"),
    [
        ((np.ones(4, np.float32),), np.full(4, 2, np.float32), lambda x: x * 2),
        ((np.zeros(4, np.float32),), np.ones(4, np.float32), lambda x: x + 1),
        ((jnp.arange(8),), jnp.int32(28), lambda x: x.sum()),
        ((np.ones(3, np.int32),), np.full(3, 2, np.int32), lambda x: x * 2),
        ((np.array([True, False]),), np.array([False, True]), lambda x: ~x),
        ((np.ones(2, np.complex64),), np.full(2, 1j, np.complex64), lambda x: x * np.complex64(1j)),
        ((jnp.ones(4, jnp.bfloat16),), jnp.full(4, 3, jnp.bfloat16), lambda x: x * 3),
        ((3.0,), 9.0, lambda x: x * x),
        ((3,), 9, lambda x: x * x),
        (({"a": np.ones(2, np.float32), "n": 2},), np.full(2, 2, np.float32), lambda t: t["a"] * t["n"]),
    ],
)
@pytest.mark.parametrize("function", [True, False])
def test_a_constant_does_not_pass_and_a_right_function_does(args, constant, right, function):
    def stops(*_):
        raise ValueError

    e = sw.Exercise.repair(stops, *args, gives=right if function else constant)
    e.answer = lambda *_: constant
    assert not e.passed
    e.answer = right
    assert e.passed


def test_a_result_that_does_not_depend_on_the_arguments_may_be_a_constant():
    def stops(x):
        raise ValueError

    e = sw.Exercise.repair(stops, np.ones(4), gives=lambda x: np.zeros(3))
    e.answer = lambda x: np.zeros(3)
    assert e.passed


def test_arguments_for_which_the_truth_is_not_finite_are_not_tried():
    def stops(x):
        raise ValueError

    # Other values would not be whole roots.
    e = sw.Exercise.repair(stops, np.float32(4), gives=lambda x: np.sqrt(x) if x == 4 else np.float32("nan"))
    e.answer = lambda x: np.float32(2)
    assert e.passed
