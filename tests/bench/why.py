"""Why values are split: how soon it is said; and what sampled chains end in, taken away and compiled again."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.process import measure
from tests.bench.table import Row, milliseconds

SAMPLED = 300
WHOLE = 20

PROGRAMS = """
import json, random, sys
from collections import defaultdict

import jax
from jax.sharding import NamedSharding, PartitionSpec as P

jax.config.update("jax_num_cpu_devices", 8)
from shardwidget import read
from tests.cut import cut
from tests.jax_suite.corpus import GLOBAL, PROGRAMS
from tests.jax_suite.test_remedies_communication import FAULTS
from tests.unit.test_why import ATTEND, BLOCK, KEPT, STEP, TYPED, attend, block, kept, step, typed

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

def compared(f, leaves, tree, compiled=None):
    jax.clear_caches()
    return read.comparison(f, *jax.tree.unflatten(tree, leaves), compiled=compiled)

def without(f, leaves, tree, c, given):
    '''The comparison with some ends taken away: by the user's own means, or else in the lowered module.'''
    leaves, lines, rest = list(leaves), defaultdict(list), []
    typed = any(c.reasons[k].given == "type" for k in given)
    for k in given:
        end = c.reasons[k]
        if typed or end.given == "shard_map":
            rest.append(end)
        elif end.given == "argument":
            old = leaves[end.value]
            kept = less(old.sharding, end.dim, end.axis)
            leaves[end.value] = jax.ShapeDtypeStruct(old.shape, old.dtype, sharding=kept)
        elif end.given == "constraint" and c.rows[end.row].source:
            lines[c.rows[end.row].source.line].append((end.dim, end.axis))
        elif end.given == "jit":  # The shardings that jit was told to return.
            f = getattr(f, "__wrapped__", f)
        else:
            return None

    def constrain(x, sharding, *rest):
        for dim, axis in lines[sys._getframe(1).f_lineno]:
            sharding = less(sharding, dim, axis)
        return CONSTRAIN(x, sharding, *rest)

    jax.lax.with_sharding_constraint = constrain
    try:
        with cut(c, rest):
            return compared(f, leaves, tree, "explicit" if typed else None)
    finally:
        jax.lax.with_sharding_constraint = CONSTRAIN

programs = [(p.name, *p.make()) for p in (*GLOBAL, *PROGRAMS)]
programs += [("block", block, BLOCK), ("step", step, STEP), ("attend", attend, ATTEND)]
programs += [(name, f, args) for name, (f, args, *_) in FAULTS.items()]
programs = [(name, f, args, None) for name, f, args in programs]
programs += [(name, f, args, "explicit") for name, f, args, _ in (*programs, ("typed", typed, TYPED, None))]
"""

CHAINS = (
    PROGRAMS
    + """
chains, splits, unknown, refused = [], 0, 0, 0
for name, f, args, kind in programs:
    leaves, tree = jax.tree.flatten(args)
    leaves = [shape(x) for x in leaves]
    try:
        c = compared(f, leaves, tree, kind)
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
        # What is returned has its type from JAX, which tells jit.
        inside = 0 < c.reasons[k].row < len(c.rows) - 1
        asked = kind is None or (c.reasons[end].given == "type" and inside)
        if c.reasons[k].axis and asked:
            chains.append((f"{name} {kind}", f, leaves, tree, c, k, end))

sampled = random.Random(0).sample(chains, min(SAMPLED, len(chains)))
by_ends = defaultdict(list)
for name, f, leaves, tree, c, k, end in sampled:
    reason = c.reasons[k]
    given = c.groups[reason.group].reasons if reason.group >= 0 else (end,)
    by_ends[name, given].append((f, leaves, tree, c, reason, end in given, c.reasons[end].given))
changed, tested, kinds = 0, 0, defaultdict(lambda: [0, 0])
for (name, given), several in by_ends.items():
    f, leaves, tree, c = several[0][:4]
    other = without(f, leaves, tree, c, given)
    for *_, reason, real, kind in several:
        tested += 1
        at = None
        if other is not None and len(other.rows) == len(c.rows):
            at = other.rows[reason.row].values[reason.value].concrete
        gone = at is not None and (at.dims is None or reason.axis not in at.dims[reason.dim].axes)
        changed += real and gone
        kinds[kind][0] += real and gone
        kinds[kind][1] += 1
print(json.dumps({
    "programs": len(programs) - refused, "splits": splits, "unknown": unknown,
    "tested": tested, "changed": changed, "kinds": kinds,
}))
"""
)

WHOLES = (
    PROGRAMS
    + """
def free(spec, dim, sizes, n):
    used = {a for e in spec for a in (e if isinstance(e, tuple) else (e,))}
    return next((a for a, size in sizes.items() if a not in used and 1 < size and n % size == 0), None)

def opened(f, leaves, tree, c, end):
    # The comparison with a dimension that is asked to be whole left open; of an argument, split.
    leaves, at = list(leaves), ()
    if end.given == "argument":
        old = leaves[end.value]
        spec = [*old.sharding.spec, *[None] * (len(old.shape) - len(old.sharding.spec))]
        spec[end.dim] = free(spec, end.dim, old.sharding.mesh.shape, old.shape[end.dim])
        if spec[end.dim] is None:
            return None
        sharding = NamedSharding(old.sharding.mesh, P(*spec))
        leaves[end.value] = jax.ShapeDtypeStruct(old.shape, old.dtype, sharding=sharding)
    elif end.given == "jit":
        f = getattr(f, "__wrapped__", f)
    else:
        at = c.rows[end.row].source.line

    def constrain(x, sharding, *rest):
        if sys._getframe(1).f_lineno != at or not isinstance(sharding, NamedSharding | P):
            return CONSTRAIN(x, sharding, *rest)
        made = P(*[P.UNCONSTRAINED] * x.ndim)
        return CONSTRAIN(x, NamedSharding(sharding.mesh, made) if hasattr(sharding, "mesh") else made, *rest)

    jax.lax.with_sharding_constraint = constrain
    try:
        return compared(f, leaves, tree)
    finally:
        jax.lax.with_sharding_constraint = CONSTRAIN

def sent(c):
    return sorted((x.kind, x.axes, x.shapes) for x in c.program.collectives)

wholes = defaultdict(list)
for name, f, args, kind in (*programs, ("kept", kept, KEPT, None)):
    leaves, tree = jax.tree.flatten(args)
    leaves = [shape(x) for x in leaves]
    try:
        c = compared(f, leaves, tree) if kind is None else None
    except Exception:
        continue
    for k, reason in enumerate(c.reasons if c else ()):
        end = c.reasons[end_of(c, k)]
        if not reason.axis and end.given in ("argument", "constraint", "jit"):
            wholes[end.given].append((name, f, leaves, tree, c, reason, end))

random.seed(0)
kinds = {}
for kind, several in wholes.items():
    good, of, wrong = 0, 0, []
    for name, f, leaves, tree, c, reason, end in random.sample(several, min(WHOLE, len(several))):
        try:
            other = opened(f, leaves, tree, c, end)
        except Exception as error:
            wrong.append(f"{name}: {error}"[:200])
            continue
        if other is None:
            continue
        of += 1
        same = len(other.rows) == len(c.rows)
        at = other.rows[reason.row].values[reason.value].concrete if same else None
        split = at is not None and at.dims is not None and at.dims[reason.dim].axes
        good += bool(split or sent(other) != sent(c))
        if not split and sent(other) == sent(c):
            wrong.append(f"{name}: row {reason.row} dim {reason.dim}")
    kinds[kind] = good, of, wrong
print(json.dumps(kinds))
"""
)

PLANTED = """
import json, re
import jax

import shardwidget as sw
from shardwidget import read
from tests.jax_suite.planted import faults, said

found = {}
for name, fault in faults(sw.tpu_mesh("v5e:4x4", ("data", "model"), shape=(4, 4))).items():
    named = any(re.match(fault.named, words) for words in said(read.comparison(fault.step, *fault.args)))
    remedies = read.remedies(fault.step, *fault.args, lowers="communication", limit=8)
    found[name] = named, any(re.search(fault.remedy, remedy.what) for remedy in remedies)
print(json.dumps(found))
"""

FIRST = """
import json, time
import jax
from jax.sharding import NamedSharding

jax.config.update("jax_num_cpu_devices", 8)
import shardwidget as sw
from tests.jax_suite.test_remedies_communication import FAULTS
from tests.unit.test_why import BLOCK, STEP, block, step

def unrolled(x, weights):
    for w_in, w_out in weights:
        x = block(x, w_in, w_out)
    return x

found = []
programs = ("a block", block, BLOCK), ("its jit", jax.jit(block), BLOCK), ("a step of training", step, STEP)
for name, f, args in (*programs, ("12 layers, scanned", *FAULTS["a copied state"][:2]),
                      ("120 blocks, unrolled", unrolled, (BLOCK[0], [BLOCK[1:]] * 120))):
    times = []
    for _ in range(2 if f is unrolled else 5):
        view = sw.CompiledProgram(f, *args)
        start = time.perf_counter()
        answers = view.why(0)
        times.append(time.perf_counter() - start)
        assert answers
    found.append((name, min(times)))
print(json.dumps(found))
"""


def rows() -> list[Row]:
    """How many hold, and of how many splits the way is not known."""
    first = [
        Row(f"the first why of a compiled program's collective: {name}", milliseconds(seconds), "≤ 100 ms")
        for name, seconds in measure(FIRST)
    ]
    found = measure(CHAINS.replace("SAMPLED", str(SAMPLED)))
    kinds = "; ".join(f"{kind} {good} of {of}" for kind, (good, of) in sorted(found["kinds"].items()))
    tested, changed, splits = found["tested"], found["changed"], found["splits"]
    return [
        *first,
        Row(
            f"chains of {found['programs']} programs: without what it ends in, the split is another",
            f"{changed} of {tested} ({100 * changed / tested:.1f} %)",
            "≥ 95 % of 300",
            kinds,
        ),
        *planted(),
        wholes(),
        Row("splits of which the way is not known, and it says so", f"{found['unknown']} of {splits}"),
    ]


def wholes() -> Row:
    """Of sampled dimensions that are whole because that was asked for, how many follow from it."""
    found = measure(WHOLES.replace("WHOLE", str(WHOLE)))
    good, of = (sum(kind[k] for kind in found.values()) for k in (0, 1))
    kinds = [f"{kind} {some} of {every}" for kind, (some, every, _) in sorted(found.items())]
    wrong = [name for *_, names in found.values() for name in names]
    return Row(
        "dimensions that are whole because that was asked for: left open, they are split or the collectives are others",
        f"{good} of {of}",
        "all",
        "; ".join((*kinds, *wrong)),
    )


def planted() -> Iterator[Row]:
    """Of the faults in a training step that is compiled for a pod: which are named, and which have a remedy."""
    found = measure(PLANTED)
    for k, what in enumerate(("named by why", "removed by a remedy")):
        missing = ", ".join(name for name, of in found.items() if not of[k])
        count = f"{sum(of[k] for of in found.values())} of {len(found)}"
        yield Row(f"faults of a 12-layer training step on v5e 4×4 that are {what}", count, "all", missing)
