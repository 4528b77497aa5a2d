"""Why values are split: what sampled chains end in is taken away, and the program compiled again."""

from __future__ import annotations

from tests.bench.process import measure
from tests.bench.table import Row

SAMPLED = 300

PROGRAM = """
import json, random, sys
from collections import defaultdict

import jax
from jax.sharding import NamedSharding, PartitionSpec as P

jax.config.update("jax_num_cpu_devices", 8)
from shardwidget import read
from tests.jax_suite.corpus import GLOBAL, PROGRAMS
from tests.jax_suite.test_remedies_communication import FAULTS
from tests.unit.test_why import ATTEND, BLOCK, STEP, attend, block, step

CONSTRAIN = jax.lax.with_sharding_constraint

def less(sharding, dim, axis):
    spec = sharding.spec if isinstance(sharding, NamedSharding) else sharding
    split = [e if isinstance(e, tuple) else (e,) for e in spec]
    kept = [tuple(a for a in e if a and (k != dim or a != axis)) for k, e in enumerate(split)]
    made = P(*(e if len(e) > 1 else e[0] if e else None for e in kept))
    return NamedSharding(sharding.mesh, made) if isinstance(sharding, NamedSharding) else made

def end_of(c, k):
    while c.reasons[k].giver >= 0:
        k = c.reasons[k].giver
    return k

def shape(x):
    placed = isinstance(getattr(x, "sharding", None), NamedSharding)
    return jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=x.sharding) if placed else x

def compared(f, leaves, tree):
    jax.clear_caches()
    return read.comparison(f, *jax.tree.unflatten(tree, leaves))

def without(f, leaves, tree, c, given):
    '''The comparison with some ends taken away; None where one is neither an argument's nor a constraint's.'''
    leaves, lines = list(leaves), defaultdict(list)
    for k in given:
        end = c.reasons[k]
        if end.given == "argument":
            old = leaves[end.value]
            kept = less(old.sharding, end.dim, end.axis)
            leaves[end.value] = jax.ShapeDtypeStruct(old.shape, old.dtype, sharding=kept)
        elif end.given == "constraint" and c.rows[end.row].source:
            lines[c.rows[end.row].source.line].append((end.dim, end.axis))
        elif end.given == "jit" and end.row == len(c.rows) - 1:  # The shardings that jit was told to return.
            f = f.__wrapped__
        else:
            return None

    def constrain(x, sharding, *rest):
        for dim, axis in lines[sys._getframe(1).f_lineno]:
            sharding = less(sharding, dim, axis)
        return CONSTRAIN(x, sharding, *rest)

    jax.lax.with_sharding_constraint = constrain
    try:
        return compared(f, leaves, tree)
    finally:
        jax.lax.with_sharding_constraint = CONSTRAIN

programs = [(p.name, *p.make()) for p in (*GLOBAL, *PROGRAMS)]
programs += [("block", block, BLOCK), ("step", step, STEP), ("attend", attend, ATTEND)]
programs += [(name, f, args) for name, (f, args, *_) in FAULTS.items()]
chains, splits, unknown, refused = [], 0, 0, 0
for name, f, args in programs:
    leaves, tree = jax.tree.flatten(args)
    leaves = [shape(x) for x in leaves]
    try:
        c = compared(f, leaves, tree)
    except Exception:
        refused += 1
        continue
    known = {(r.row, r.value, r.dim, r.axis) for r in c.reasons}
    for row, of in enumerate(c.rows):
        for n, v in enumerate(of.values):
            for d, dim in enumerate(v.concrete.dims or () if v.concrete else ()):
                for axis in dim.axes:
                    splits += 1
                    unknown += (row, n, d, axis) not in known
    for k in range(len(c.reasons)):
        end = end_of(c, k)
        if c.reasons[end].given in ("argument", "constraint"):
            chains.append((name, f, leaves, tree, c, k, end))

sampled = random.Random(0).sample(chains, min(SAMPLED, len(chains)))
by_ends = defaultdict(list)
for name, f, leaves, tree, c, k, end in sampled:
    reason = c.reasons[k]
    given = c.groups[reason.group].reasons if reason.group >= 0 else (end,)
    by_ends[name, given].append((f, leaves, tree, c, reason, end in given))
changed, tested = 0, 0
for (name, given), several in by_ends.items():
    f, leaves, tree, c = several[0][:4]
    other = without(f, leaves, tree, c, given)
    for *_, reason, real in several:
        tested += 1
        at = None
        if other is not None and len(other.rows) == len(c.rows):
            at = other.rows[reason.row].values[reason.value].concrete
        gone = at is not None and (at.dims is None or reason.axis not in at.dims[reason.dim].axes)
        changed += real and gone
print(json.dumps({
    "programs": len(programs) - refused, "splits": splits, "unknown": unknown,
    "tested": tested, "changed": changed,
}))
"""


def rows() -> list[Row]:
    """How many hold, and of how many splits the way is not known."""
    found = measure(PROGRAM.replace("SAMPLED", str(SAMPLED)))
    tested, changed, splits = found["tested"], found["changed"], found["splits"]
    return [
        Row(
            f"chains of {found['programs']} programs: without what it ends in, the split is another",
            f"{changed} of {tested} ({100 * changed / tested:.1f} %)",
            "≥ 95 % of 300",
        ),
        Row("splits of which the way is not known, and it says so", f"{found['unknown']} of {splits}"),
    ]
