"""The columns of tables that the card, the picture, the text and the HTML of a document have in common.

``js/src/core/columns.gen.ts`` is made of this file, so that heads and units cannot differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    key: str
    """Its name in code."""
    head: str
    """What stands above it."""
    note: str = ""
    """What stands below its head in a card."""
    unit: Literal["text", "bytes", "seconds", "rate", "share"] = "text"
    """What its values are: words, or numbers that are written in one unit."""
    room: int = 0
    """The least width that it takes in a card, in pixels."""
    gives_way: int = 0
    """The order in which columns are left out where they do not fit: 1 goes first, 0 stays."""


COLLECTIVES = (
    Column("op", "collective"),
    Column("axes", "mesh axes"),
    Column("sent", "sent/device", unit="bytes"),
    Column("runs", "runs"),
    Column("source", "caused by"),
    Column("time", "estimate/call", unit="seconds"),
)
"""The collectives of a compiled program."""

CANDIDATES = (
    Column("candidate", "candidate"),
    Column("time", "a step", unit="seconds"),
    Column("compute", "compute", unit="seconds"),
    Column("exposed", "exposed", unit="seconds"),
    Column("hidden", "hidden", unit="seconds"),
    Column("memory", "memory/device", unit="bytes"),
    Column("fits", "fits"),
    Column("basis", "known by"),
)
"""The candidates of a search for a sharding."""

INSTEAD = (
    Column("what", "instead"),
    Column("code", "written"),
    Column("gives", "gives"),
    Column("collectives", "collectives"),
    Column("sent", "sent/device", unit="bytes"),
    Column("work", "work/device"),
)
"""A program as it is, and as it would be otherwise."""

BASELINE = (
    Column("change", ""),
    Column("of", "what"),
    Column("before", "before"),
    Column("now", "now"),
)
"""What differs from a baseline."""

TRANSFERS = (
    Column("op", "collective"),
    Column("axes", "mesh axes"),
    Column("source", "caused by"),
    Column("between", "runs between -start and -done"),
    Column("whole", "takes", unit="seconds"),
    Column("exposed", "exposed", unit="seconds"),
    Column("measured", "measured", unit="seconds"),
    Column("measured_exposed", "exposed then", unit="seconds"),
)
"""The lines of a program whose collectives take time, the most exposed first."""

KERNEL_OPS = (
    Column("moment", "moment"),
    Column("device", "device"),
    Column("does", ""),
    Column("what", "what"),
    Column("line", "line"),
)
"""What the cores of a Pallas kernel do."""

TOTALS = (
    Column("axes", "over"),
    Column("phase", ""),
    Column("runs", "runs"),
    Column("sent", "sent/device", unit="bytes"),
    Column("time", "estimate/call", unit="seconds"),
)
"""What the collectives of a compiled program come to, by mesh axes and part of a training step."""

DIFFERENCES = (
    Column("change", "what"),
    Column("op", "collective"),
    Column("axes", "mesh axes"),
    Column("source", "caused by"),
    Column("before", "before"),
    Column("after", "after"),
    Column("difference", "a call"),
)
"""What differs between two compiled programs."""

MEMORY_DIFFERENCES = (
    Column("change", "what"),
    Column("name", "value"),
    Column("type", "type"),
    Column("source", "made by"),
    Column("before", "before", unit="bytes"),
    Column("after", "after", unit="bytes"),
    Column("difference", "at the peak"),
)
"""What is alive at the peaks of two programs."""

COMPARISON_DIFFERENCES = (
    Column("change", "what"),
    Column("name", "operation"),
    Column("source", "line"),
    Column("of", "of it"),
    Column("before", "before"),
    Column("after", "after"),
)
"""What differs between two comparisons of types with shardings."""

SEARCH_DIFFERENCES = (
    Column("change", "what"),
    Column("name", "candidate"),
    Column("before", "a step before", unit="seconds"),
    Column("after", "a step after", unit="seconds"),
    Column("ratio", "speed"),
    Column("memory", "memory/device"),
    Column("fits", "fits"),
    Column("basis", "compared"),
)
"""What differs between two searches for a sharding."""

STEP_DIFFERENCES = (
    Column("step", "step"),
    Column("primitive", ""),
    Column("name", "value"),
    Column("parted", "differ"),
    Column("source", "line"),
    Column("reference", "line of the reference"),
)
"""The steps at which two traces differ."""

PROGRAMS = (
    Column("name", "program"),
    Column("found", "collectives"),
    Column("sent", "sent/device", unit="bytes"),
    Column("estimate", "estimate/call", unit="seconds"),
    Column("measured", "measured/call", unit="seconds"),
    Column("memory", "memory/device", unit="bytes"),
)
"""Compiled programs side by side."""

COMPILED_CALLS = (
    Column("function", "compiled"),
    Column("source", "called from"),
    Column("time", "compiler", unit="seconds"),
    Column("why", "why"),
)
"""The calls for which JAX compiled a function."""

REMEDIES = (
    Column("sent", "sent/device", unit="bytes"),
    Column("estimate", "estimate/call", unit="seconds"),
    Column("peak", "peak", unit="bytes"),
    Column("less", "less", unit="share"),
    Column("memory", "memory/device"),
    Column("work", "work/device", unit="share"),
    Column("what", "change"),
    Column("helps", "for"),
    Column("code", "code"),
)
"""Changes of a program that help; of the figures, those that it is about."""

MEASURED = (
    Column("op", "collective", room=240),
    Column("axes", "mesh axes"),
    Column("sent", "sent/device", unit="bytes", room=90, gives_way=3),
    Column("time", "time after the last arrival", unit="seconds", room=160),
    Column("spread", "10–90 %"),
    Column("wait", "wait", unit="seconds", room=84, gives_way=4),
    Column("estimate", "estimate", unit="seconds", room=80, gives_way=1),
    Column("rate", "achieved", unit="rate", room=90, gives_way=2),
    Column("source", "caused by"),
)
"""The collectives of a measured run. A card shows mesh axes and source with the collective."""

COMPUTED_LINES = (
    Column("source", "line"),
    Column("time", "computes/call", unit="seconds"),
    Column("share", "of a call", unit="share"),
)
"""The lines of a measured run that devices computed for."""

RUNS = (
    Column("name", "run"),
    Column("call", "a call, median", unit="seconds"),
    Column("ratio", "against the first"),
    Column("compute", "compute", unit="share"),
    Column("collectives", "in collectives", unit="share"),
    Column("waiting", "waiting", unit="share"),
    Column("idle", "no event", unit="share"),
)
"""Measured runs side by side."""

LEAVES = (
    Column("path", "path"),
    Column("type", "type"),
    Column("all", "in all", unit="bytes"),
    Column("here", "on a device", unit="bytes"),
    Column("copies", "copies"),
)
"""The leaves of a tree of arrays. A card names the device."""

BUFFERS = (
    Column("bytes", "bytes", unit="bytes"),
    Column("name", "name"),
    Column("type", "type"),
    Column("axes", "mesh axes"),
    Column("kind", "what"),
    Column("source", "line"),
    Column("steps", "steps"),
)
"""What is alive in a program."""

NAMES = (
    Column("name", "name"),
    Column("type", "type"),
    Column("here", "on a device", unit="bytes"),
    Column("change", "last cell"),
)
"""The names of a session that hold arrays."""

CHUNKS = (
    Column("chunk", "chunk"),
    Column("weight", "of the threshold", unit="bytes"),
    Column("adds", "made on a device", unit="bytes"),
    Column("most", "most held"),
    Column("arrays", "arrays"),
    Column("collectives", "collectives"),
)
"""The chunks of a reshard plan."""

FLOWS = (
    Column("source", "from device"),
    Column("target", "to device"),
    Column("bytes", "bytes", unit="bytes"),
)
"""Who sends how much to whom in a ``device_put``."""

SCHEDULES = (
    Column("name", "schedule"),
    Column("idle", "idle, of all ranks' time", unit="share"),
    Column("kept", "most kept, by rank"),
    Column("sends", "sends"),
    Column("length", "length"),
)
"""Pipeline schedules side by side."""

VALUES = (
    Column("source", "source", "line and primitive"),
    Column("explicit", "Explicit mesh", "the type says where data is"),
    Column("auto", "Auto mesh", "the type is silent"),
    Column("concrete", "compiled", "where it is"),
    Column("verdict", "type vs compiled"),
)
"""The values of a comparison. The head of what is compiled says from which mesh."""

ARRAYS = (
    Column("source", "array", "name"),
    Column("explicit", "type", "jax.typeof(x): what the type says"),
    Column("auto", ""),
    Column("concrete", "sharding", "x.sharding: where data really is"),
    Column("verdict", "type vs sharding"),
)
"""The same of arrays, which are on one mesh."""

STEPS = (
    Column("at", ""),
    Column("step", "step"),
    Column("gives", "gives"),
    Column("sent", "communication"),
    Column("source", "source"),
)
"""The steps of a trace."""

CROSSINGS = (
    Column("order", "devices in the order of"),
    Column("axes", "transfers over"),
    Column("hop", "links a hop"),
    Column("busiest", "hops on the busiest link"),
    Column("wraparound", "wraparound"),
    Column("hosts", "hosts of a group"),
    Column("sent", "bytes on it, a call", unit="bytes"),
)
"""Transfers on the links between chips."""

EXERCISES = (
    Column("at", ""),
    Column("exercise", "exercise"),
    Column("asks", "asks"),
    Column("answer", "last answer"),
    Column("state", "state"),
)
"""Exercises."""
