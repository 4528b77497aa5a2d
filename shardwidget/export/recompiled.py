"""What JAX compiled during a call, and why again, as text and as a plain HTML table."""

from __future__ import annotations

from collections import Counter

from shardwidget._format import count
from shardwidget.document import CompileCause, CompiledCall, Recompiled
from shardwidget.document.columns import COMPILED_CALLS
from shardwidget.export import listing
from shardwidget.export.words import clip

MOST = 30
"""The most calls that are listed."""

DO = {
    "function": "make the function once, outside the loop: jax.jit keeps what it compiled with the function object",
    "structure": "give a tree of one structure",
    "shape": "pad to one shape",
    "dtype": "give arrays of one dtype",
    "weak type": "give an array with a dtype, jnp.asarray(x, dtype), instead of a Python number",
    "sharding": "jax.device_put it as it comes back, or give jax.jit out_shardings",
    "mesh": "make the mesh once",
    "memory": "keep it in one memory kind",
    "static": "give it as an array, or accept a compile for each value",
    "options": "call jax.jit once",
    "context": "keep options of JAX and the mesh of jax.set_mesh as they are between calls",
    "unknown": "jax.clear_caches() may have been called",
}
"""What to do about each cause."""


INSIDE = (
    "Only calls within are compared: read.recompiled(lambda: (f(a), f(b))), or %%collectives in each cell, says what "
    "changed from one to the next."
)


def headline(found: Recompiled) -> str:
    """What was compiled again, and the most frequent cause, in one line."""
    again = found.again
    if not again:
        return f"{clip(found.name, 40)}: {count(len(found.calls), 'function')} compiled, none again"
    names = Counter(call.function for call in again)
    who = ", ".join(f"{clip(name, 40)} {count(n, 'time')}" for name, n in names.most_common(3))
    causes = Counter(cause_text(cause) for call in again for cause in call.causes[:1])
    return f"{clip(found.name, 40)}: compiled again: {who}. {causes.most_common(1)[0][0]}"


def _said(found: Recompiled) -> listing.Said:
    """The calls."""
    return listing.Said(COMPILED_CALLS, _rows(found), after=_after(found), most=100)


picture, table = listing.writers(headline, _said)


def cause_text(cause: CompileCause) -> str:
    """One cause: ``state['w']: P('data') before, P() now``."""
    at = f"{clip(cause.path, 60)}" + (f" and {cause.more} more" if cause.more else "")
    match cause.what:
        case "function":
            return "another function object with the same name"
        case "options":
            return "jax.jit with other options"
        case "context":
            return "another option of JAX, or another mesh of jax.set_mesh"
        case "unknown":
            return "no difference found"
        case "structure":
            return f"another tree of arguments: {clip(cause.before, 60)} before, {clip(cause.now, 60)} now"
    was, now = clip(cause.before, 60) or "none", clip(cause.now, 60) or "none"
    what = {"mesh": "mesh ", "memory": "memory ", "static": "static, "}.get(cause.what, "")
    return f"{at}: {what}{was} before, {now} now"


def _rows(found: Recompiled) -> list[listing.Row]:
    return [_row(call) for call in found.calls[:MOST]]


def _row(call: CompiledCall) -> listing.Row:
    why = "; ".join(map(cause_text, call.causes)) if call.again else "the first call within"
    at = f"{call.file}, line {call.line}" if call.file else ""
    return {"function": call.function, "source": at, "time": call.seconds, "why": why}


def _after(found: Recompiled) -> list[str]:
    more = len(found.calls) - MOST
    out = [f"… {count(more, 'more compile')} in .calls"] if more > 0 else []
    kinds = dict.fromkeys(cause.what for call in found.again for cause in call.causes)
    out += [f"{kind}: {DO[kind]}" for kind in kinds]
    if found.calls and not found.again:
        out.append(INSIDE)
    if found.operations:
        out.append(f"{count(found.operations, 'operation')} outside jit compiled as well")
    return out
