"""Processes that meet at calls, or give them up together: threads with a board of their own stand for them."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from shardwidget.read._processes.arrival import Meeting, MissingProcessError, listed
from shardwidget.read._processes.together import Gathering, participants
from shardwidget.read._processes.watch import Watch


class Board:
    """Keys and values in memory, with the methods of ``_jax.Board``."""

    def __init__(self) -> None:
        self.values: dict[str, bytes] = {}
        self.changed = threading.Condition()

    def post(self, key: str, value: bytes) -> None:
        with self.changed:
            self.values[key] = value
            self.changed.notify_all()

    def post_once(self, key: str, value: bytes) -> None:
        with self.changed:
            self.values.setdefault(key, value)
            self.changed.notify_all()

    def wait(self, key: str, seconds: float) -> bytes | None:
        with self.changed:
            self.changed.wait_for(lambda: key in self.values, seconds)
            return self.values.get(key)

    def get(self, key: str) -> bytes | None:
        return self.values.get(key)

    def under(self, folder: str) -> dict[str, bytes]:
        with self.changed:
            return {k.removeprefix(f"{folder}/"): v for k, v in self.values.items() if k.startswith(f"{folder}/")}

    def clear(self, key: str) -> None:
        with self.changed:
            self.values = {k: v for k, v in self.values.items() if k != key and not k.startswith(f"{key}/")}


def at_once(calls: list[Callable[[], object]]) -> list[object]:
    """What calls give, each in a thread: a result or an exception."""

    def of(call: Callable[[], object]) -> object:
        try:
            return call()
        except Exception as error:
            return error

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(of, calls))


@pytest.fixture
def board() -> Board:
    return Board()


@pytest.fixture
def meetings(board) -> list[Meeting]:
    return [Meeting(board, range(3), me) for me in range(3)]


def test_all_go_when_all_are_there_and_nothing_is_left_of_calls_before(board, meetings):
    for call in range(4):
        folders = at_once([lambda m=m: m.arrive("runs f", 60) for m in meetings])
        assert folders == [f"shardwidget/0.1.2/{call}"] * 3
    assert {key.split("/")[2] for key in board.values} == {"3"}


def test_who_is_missing_is_named_everywhere_and_met_at_the_next_call(meetings):
    gave_up = at_once([lambda m=m: m.arrive("runs f", 0.05) for m in (meetings[0], meetings[2])])
    for error in gave_up:
        assert isinstance(error, MissingProcessError)
        assert "process 1. Nothing was run" in str(error)
    # Process 1 arrives late at the first call and waits; the others come again.
    assert at_once([lambda m=m: m.arrive("runs f", 60) for m in meetings]) == ["shardwidget/0.1.2/1"] * 3


def test_different_calls_are_said_to_all(meetings):
    errors = at_once([lambda m=m, k=k: m.arrive(f"runs f{k // 2}", 60) for k, m in enumerate(meetings)])
    for error in errors:
        assert isinstance(error, RuntimeError)
        assert "process 0 runs f0; process 1 runs f0; process 2 runs f1" in str(error)
    assert at_once([lambda m=m: m.arrive("runs g", 60) for m in meetings]) == ["shardwidget/0.1.2/1"] * 3


def test_an_interrupt_while_waiting_lets_nobody_go_alone(board, meetings):
    def interrupt(key: str, seconds: float) -> None:
        raise KeyboardInterrupt

    waits, board.wait = board.wait, interrupt
    with pytest.raises(KeyboardInterrupt):
        meetings[0].arrive("runs f", 60)
    board.wait = waits
    others = at_once([lambda m=m: m.arrive("runs f", 60) for m in meetings[1:]])
    assert all("missing after 60 s: process 0" in str(error) for error in others)


def test_exchange_gives_everyone_what_all_have(board, monkeypatch):
    monkeypatch.setattr("shardwidget.read._processes.together.CHUNK", 4)
    data = [bytes(range(n)) for n in (0, 4, 11)]
    gatherings = [Gathering(board, "f", [0, 1, 2], me) for me in range(3)]
    for found in at_once([lambda g=g: g.exchange(data[g.me]) for g in gatherings]):
        assert found == dict(enumerate(data))


def test_who_sends_nothing_is_named(board, monkeypatch):
    monkeypatch.setattr("shardwidget.read._processes.together.SILENT", 0.01)
    with pytest.raises(TimeoutError, match=r"process 1 has sent no values within 0.01 s"):
        Gathering(board, "f", [0, 1], 0).exchange(b"x")


def test_a_silent_process_is_named_once(board):
    said: list[str] = []
    named = threading.Event()

    def say(text: str) -> None:
        said.append(text)
        named.set()

    watch = Watch(board, "f", [0, 1, 2], 0, say, beat=0.005, silent=0.02)
    board.post("f/alive/2", b"ended")
    watch.start()
    assert named.wait(60)
    watch.stop()
    assert len(said) == 1
    assert said[0].startswith("process 1 has not answered for 0.02 s")
    assert board.get("f/alive/0") == b"ended"
    assert watch.silent(0.02) == ["1"]


def test_a_process_that_answers_is_not_silent(board):
    watch = Watch(board, "f", [0, 1], 0, pytest.fail, beat=60, silent=60)
    watch.start()
    watch.stop()
    board.post("f/alive/1", b"ended")
    assert watch.silent(60) == []


@pytest.mark.parametrize(
    ("processes", "words"),
    [
        ([3], "process 3"),
        ([0, 1], "processes 0 and 1"),
        ([0, 1, 2, 3], "processes 0 to 3"),
        ([0, 2, 5], "processes 0, 2 and 5"),
    ],
)
def test_processes_in_words(processes, words):
    assert listed(processes) == words


def test_one_process_is_not_asked_for_its_devices(monkeypatch):
    monkeypatch.setattr("jax.process_count", lambda: pytest.fail("this starts the devices"))
    assert participants([0, 0]) == []
