"""Collectives as data: which call an equation is, who takes part, and what each algorithm sends to whom."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from shardwidget.collectives import (
    OPCODES,
    STATEMENTS,
    Call,
    apply,
    bytes_by_plan,
    bytes_sent,
    call_of,
    execute,
    expand,
    gathered_bytes,
    plans,
    ragged_bytes_sent,
    statement_of,
    statement_of_opcode,
)
from shardwidget.document import Move, Plan, to_wire

MESH = (["x", "y"], [2, 3])


def call(primitive: str, axis_names: list[str] = MESH[0], axis_sizes: list[int] = MESH[1], **params: Any) -> Call:
    found = call_of(primitive, params, axis_names, axis_sizes)
    assert found
    return found


def over(primitive: str, n: int, **params: Any) -> Call:
    """A collective over n devices in one group."""
    return call(primitive, ["x"], [n], axis_name="x", **params)


def chain(n: int) -> list[tuple[int, int]]:
    return [(i, (i + 1) % n) for i in range(n)]


def kinds(n: int) -> dict[str, Call]:
    return {
        "psum": over("psum", n),
        "all_gather": over("all_gather", n, all_gather_dimension=0, tiled=True),
        "reduce_scatter": over("reduce_scatter", n, scatter_dimension=0, tiled=True),
        "all_to_all": over("all_to_all", n, split_axis=0, concat_axis=0),
        "ppermute": over("ppermute", n, perm=chain(n)),
        "pbroadcast": over("pbroadcast", n, source=n // 2),
    }


# Calls


@pytest.mark.parametrize(
    ("primitive", "kind"),
    {
        "psum": "psum",
        "psum_invariant": "psum",
        "unreduced_psum": "psum",
        "psum_invariant_start": "psum",
        "unreduced_pmax": "pmax",
        "all_gather_invariant": "all_gather",
        "all_gather_reduced": "all_gather",
        "all_gather_reduced_start": "all_gather",
        "unreduced_reduce_scatter": "reduce_scatter",
        "ppermute_start": "ppermute",
        "pbroadcast_dynamic": "pbroadcast",
        "vary_unreduced_cast_p": "vary_unreduced_cast",  # JAX 0.9 and 0.10
        "reduced_vary_cast": "reduced_vary_cast",  # JAX 0.11
        "preduced": "preduced",
        "reduce_scatter_done": "done",
    }.items(),
)
def test_the_kind_is_what_happens_whatever_jax_calls_it(primitive, kind):
    found = call(primitive, axes=("x",))
    assert (found.kind, found.primitive) == (kind, primitive)


@pytest.mark.parametrize("primitive", ["add", "copy_done", "sharding_constraint", "reshard", "copy_p"])
def test_other_primitives_are_no_collectives(primitive):
    assert call_of(primitive, {}, *MESH) is None


@pytest.mark.parametrize(
    ("axes", "groups"),
    [
        ("x", ((0, 3), (1, 4), (2, 5))),
        ("y", ((0, 1, 2), (3, 4, 5))),
        (("x", "y"), ((0, 1, 2, 3, 4, 5),)),
        (("y", "x"), ((0, 3, 1, 4, 2, 5),)),
        ((), ((0,), (1,), (2,), (3,), (4,), (5,))),
    ],
)
def test_ranks_go_row_major_in_the_order_of_the_program(axes, groups):
    found = call("all_gather", axis_name=axes)
    assert found.groups == groups
    assert found.axes == ((axes,) if isinstance(axes, str) else axes)


def test_axis_index_groups_divide_every_group():
    assert call("psum", axes=("y",), axis_index_groups=[[2, 0], [1]]).groups == ((2, 0), (1,), (5, 3), (4,))


def test_axes_given_by_number_are_dimensions_of_the_block():
    found = call("psum", axes=(1, "y", 0))
    assert (found.axes, found.positional) == (("y",), (1, 0))


def test_ppermute_follows_the_mesh_where_jax_does():
    params = {"axis_name": ("y", "x"), "perm": ((0, -1),)}
    older = call_of("ppermute", params, *MESH, ppermute_in_mesh_order=True)
    newer = call_of("ppermute", params, *MESH)
    assert older
    assert newer
    assert older.groups == ((0, 1, 2, 3, 4, 5),)
    assert newer.groups == ((0, 3, 1, 4, 2, 5),)
    assert newer.pairs == ((0, 5),)


def test_an_unknown_axis_is_named():
    with pytest.raises(ValueError, match=r"psum names the axis 'z'; the mesh has the axes \['x', 'y'\]"):
        call("psum", axes=("z",))


# Meaning


def ragged_by_its_documentation(n: int, operands: list[np.ndarray]) -> np.ndarray:
    """The SEND and RECEIVE loops in the docstring of ``jax.lax.ragged_all_to_all``, for devices in one group."""
    operand, output, input_offsets, send_sizes, output_offsets, _ = operands
    result = output.copy()
    slices = input_offsets.shape[1] // n
    for source in range(n):
        for i in range(input_offsets.shape[1]):
            to, start, size = i // slices, input_offsets[source, i], send_sizes[source, i]
            at = output_offsets[source, i]
            result[to, at : at + size] = operand[source, start : start + size]
    return result


def ragged_operands(n: int, slices: int) -> list[np.ndarray]:
    """Random sizes, the runs packed on both sides; JAX runs this collective only on GPU and TPU."""
    rng = np.random.default_rng(n)
    sizes = rng.integers(0, 4, (n, n, slices))  # [source, destination, slice]
    sent = sizes.reshape(n, -1)
    input_offsets = np.cumsum(sent, axis=1) - sent
    received = sizes.transpose(1, 0, 2).reshape(n, -1)
    arriving = (np.cumsum(received, axis=1) - received).reshape(n, n, slices)  # [destination, source, slice]
    operand = rng.integers(1, 1000, (n, sent.sum(axis=1).max() + 2, 2))
    output = -rng.integers(1, 1000, (n, received.sum(axis=1).max() + 3, 2))
    return [operand, output, input_offsets, sent, arriving.transpose(1, 0, 2).reshape(n, -1), received]


def test_ragged_all_to_all_of_the_documentation():
    """The worked example in the docstring of ``jax.lax.ragged_all_to_all``."""
    operands = [
        [[1, 2, 2], [3, 4, 0]],
        [[0, 0, 0, 0], [0, 0, 0, 0]],
        [[0, 1], [0, 1]],
        [[1, 2], [1, 1]],
        [[0, 0], [1, 2]],
        [[1, 1], [2, 1]],
    ]
    result = apply(over("ragged_all_to_all", 2), tuple(map(np.array, operands)))
    assert result.tolist() == [[1, 3, 0, 0], [2, 2, 4, 0]]


@pytest.mark.parametrize("slices", [1, 2])
@pytest.mark.parametrize("n", range(1, 9))
def test_ragged_all_to_all(n, slices):
    ragged = over("ragged_all_to_all", n)
    operands = ragged_operands(n, slices)
    expected = ragged_by_its_documentation(n, operands)
    np.testing.assert_array_equal(apply(ragged, tuple(operands)), expected)
    for plan in plans(ragged):
        np.testing.assert_array_equal(execute(plan, ragged, tuple(operands)), expected, err_msg=plan.algorithm)


def test_a_broadcast_from_a_rank_that_an_operand_says():
    told = over("pbroadcast_dynamic", 4)
    blocks = np.arange(8).reshape(4, 2)
    assert apply(told, (blocks, np.full(4, 2))).tolist() == [[4, 5]] * 4
    assert plans(told) == ()
    known = replace(told, source=2)
    assert [plan.algorithm for plan in plans(known)] == ["meaning", "ring", "bidirectional ring", "halving-doubling"]


@pytest.mark.parametrize("kind", ["pvary", "preduced", "vary_unreduced_cast", "reduced_vary_cast", "done"])
def test_what_sends_nothing_leaves_every_block_alone(kind):
    blocks = np.arange(12).reshape(6, 2)
    silent = call(kind, axes=("x",)) if kind != "done" else call("psum_done")
    assert apply(silent, blocks) is blocks
    assert [plan.rounds for plan in plans(silent)] == [()]
    assert bytes_sent(silent, 8) == (0, "nothing is sent", 0)


# Algorithms


def transfers(plan: Plan) -> list[Any]:
    return [transfer for number in range(len(plan.rounds)) for transfer in expand(plan, number)]


def named(found: Call, algorithm: str) -> Plan:
    return next(plan for plan in plans(found) if plan.algorithm == algorithm)


@pytest.mark.parametrize("n", range(1, 9))
@pytest.mark.parametrize("kind", ["psum", "all_gather", "reduce_scatter", "all_to_all", "pbroadcast"])
def test_which_algorithms_apply(kind, n):
    expected = ["meaning"] + ["ring"] * (n > 1) + ["bidirectional ring"] * (n > 2)
    expected += ["halving-doubling"] * (n in (2, 4, 8))
    assert [plan.algorithm for plan in plans(kinds(n)[kind])] == expected


def test_a_ring_of_64_is_126_rounds_of_one_move():
    plan = named(over("psum", 64), "ring")
    assert [len(moves) for moves in plan.rounds] == [1] * 126
    assert {move.count for (move,) in plan.rounds} == {1}
    assert plan.rounds[0] == (Move("shift", "add", by=1, first=63),)
    assert plan.rounds[63] == (Move("shift", "copy", by=1, first=0),)


@pytest.mark.parametrize("kind", ["psum", "all_to_all"])
def test_plans_of_64_stay_small(kind):
    """A few hundred moves at most, whatever the group."""
    for plan in plans(kinds(64)[kind]):
        assert sum(len(moves) for moves in to_wire(plan)["rounds"]) <= 2 * 63


@pytest.mark.parametrize("n", range(2, 9))
@pytest.mark.parametrize("kind", ["psum", "all_gather", "reduce_scatter", "all_to_all", "pbroadcast"])
def test_who_sends_to_whom(kind, n):
    found = kinds(n)[kind]
    for plan in plans(found):
        steps = {(t.destination - t.source) % n for t in transfers(plan)}
        bits = {t.destination ^ t.source for t in transfers(plan)}
        phases = 2 if kind == "psum" else 1
        match plan.algorithm:
            case "meaning":
                assert len(plan.rounds) == 1
            case "ring":
                assert steps == {1}
                assert len(plan.rounds) == phases * (n - 1)
            case "bidirectional ring":
                assert steps == {1, n - 1}
                assert len(plan.rounds) == phases * (n // 2)
            case "halving-doubling":
                assert bits == {1 << k for k in range(n.bit_length() - 1)}
                assert len(plan.rounds) == phases * int(math.log2(n))


def test_the_first_rounds_of_a_ring_of_three():
    plan = named(over("reduce_scatter", 3), "ring")
    assert [t[:4] for t in expand(plan, 0)] == [(0, 1, 2, "add"), (1, 2, 0, "add"), (2, 0, 1, "add")]
    assert [t[:4] for t in expand(plan, 1)] == [(0, 1, 1, "add"), (1, 2, 2, "add"), (2, 0, 0, "add")]


def test_in_all_to_all_a_transfer_says_where_its_chunk_started():
    plan = named(over("all_to_all", 3), "ring")
    assert [t for t in expand(plan, 0) if t.source == 0] == [(0, 1, 1, "copy", 0), (0, 1, 2, "copy", 0)]
    assert [t for t in expand(plan, 1) if t.source == 0] == [(0, 1, 1, "copy", 2)]


def test_a_permutation_goes_directly():
    (plan,) = plans(over("ppermute", 4, perm=[(0, 3), (2, 2)]))
    assert [t[:4] for t in expand(plan, 0)] == [(0, 3, 0, "copy"), (2, 2, 0, "copy")]
    assert plans(over("ppermute", 4, perm=[]))[0].rounds == ()


def test_groups_of_different_sizes_have_the_meaning_alone():
    uneven = call("psum", axes=("y",), axis_index_groups=[[2, 0], [1]])
    (plan,) = plans(uneven)
    assert (plan.algorithm, plan.n) == ("meaning", 2)
    blocks = 1 << np.arange(6)[:, None]
    assert execute(plan, uneven, blocks).ravel().tolist() == [5, 2, 5, 40, 16, 40]


def test_a_wrong_round_is_noticed():
    """A rank cannot send what it does not hold; what is added twice, or never, shows in the sum."""
    gather, total = over("all_gather", 3, all_gather_dimension=0, tiled=True), over("psum", 3)
    ring = named(gather, "ring")
    with pytest.raises(KeyError):
        execute(replace(ring, rounds=ring.rounds[::-1]), gather, np.arange(3)[:, None])
    blocks = 10 ** np.arange(3)[:, None] * np.ones(3, int)
    ring = named(total, "ring")
    assert execute(ring, total, blocks).tolist() == [[111] * 3] * 3
    assert execute(replace(ring, rounds=ring.rounds[1:]), total, blocks).tolist() != [[111] * 3] * 3


# Chunks and bytes


def axes_of(found: Call, shape: tuple[int, ...]) -> tuple[int, int]:
    """Where blocks of a shape are cut into chunks: the one sent, the one received."""
    return found.statement.split_axis(found, shape), found.statement.concat_axis(found, shape)


@pytest.mark.parametrize(("shape", "axis"), [((4, 6), 1), ((6, 3), 0), ((4,), -1), ((), -1), ((0, 3), 1)], ids=str)
def test_an_all_reduce_cuts_the_first_dimension_that_divides(shape, axis):
    assert axes_of(over("psum", 3), shape) == (axis, axis)


def test_other_collectives_cut_the_dimension_they_name_or_nothing():
    assert axes_of(over("reduce_scatter", 2, scatter_dimension=1), (2, 2)) == (1, -1)
    assert axes_of(over("all_to_all", 2, split_axis=1, concat_axis=0), (2, 2)) == (1, 0)
    assert axes_of(over("all_gather", 2, all_gather_dimension=1), (2, 2)) == (-1, 1)
    assert axes_of(over("ppermute", 2, perm=chain(2)), (2, 2)) == (-1, -1)
    assert axes_of(call("psum", axes=(1, "y")), (2, 3)) == (-1, -1)


def chunk_bytes(found: Call, block_bytes: int, chunk: int) -> int:
    """Bytes of a chunk of a block of single bytes."""
    if found.kind in ("all_gather", "ppermute", "pbroadcast"):
        return block_bytes
    n = found.n
    return (chunk + 1) * block_bytes // n - chunk * block_bytes // n


@pytest.mark.parametrize("block_bytes", [840, 5, 1])
@pytest.mark.parametrize("n", range(1, 9))
@pytest.mark.parametrize("kind", kinds(1))
def test_bytes_of_an_algorithm_are_those_of_its_rounds(kind, n, block_bytes):
    """Summed over the devices exactly; a device's own number is rounded up where the block does not divide."""
    found = kinds(n)[kind]
    for plan in plans(found):
        if plan.algorithm == "meaning" and kind != "ppermute":
            assert bytes_by_plan(plan, found, block_bytes) == bytes_sent(found, block_bytes).bytes
            continue
        sent = [0] * n
        for t in transfers(plan):
            sent[t.source] += chunk_bytes(found, block_bytes, t.chunk) if t.source != t.destination else 0
        direct = kind in ("ppermute", "pbroadcast")
        expected = max(sent) if direct else math.ceil(Fraction(sum(sent), n))
        assert bytes_by_plan(plan, found, block_bytes) == expected, plan.algorithm
        if plan.algorithm in ("meaning", "ring"):
            assert bytes_sent(found, block_bytes).hops == (0 if n == 1 else len(plan.rounds))


@pytest.mark.parametrize("n", range(2, 9))
@pytest.mark.parametrize("kind", ["psum", "all_gather", "reduce_scatter", "all_to_all"])
def test_bytes_sent_are_the_fewest_that_an_algorithm_sends(kind, n):
    """Nothing is passed on for others, as on a switch. A ring does no worse, but in all_to_all, which it forwards."""
    found = kinds(n)[kind]
    sent = bytes_sent(found, 840).bytes
    by = {plan.algorithm: bytes_by_plan(plan, found, 840) for plan in plans(found)}
    assert all(sent <= other for other in by.values())
    assert by["ring"] == (sent if kind != "all_to_all" else math.ceil(Fraction(840 * (n - 1), 2)))


@pytest.mark.parametrize("n", [2, 4, 8, 64])
def test_bytes_are_those_of_nccl(n):
    """The factors of bus bandwidth in nccl-tests, doc/PERFORMANCE.md, of the size S that it defines for each."""
    block = 64 * 1024
    for kind, size, factor in [
        ("psum", block, Fraction(2 * (n - 1), n)),
        ("reduce_scatter", block, Fraction(n - 1, n)),
        ("all_gather", n * block, Fraction(n - 1, n)),
        ("all_to_all", block, Fraction(n - 1, n)),
        ("pbroadcast", block, Fraction(1)),
        ("ppermute", block, Fraction(1)),
    ]:
        assert bytes_sent(kinds(n)[kind], block).bytes == size * factor, kind


def test_arithmetic():
    assert bytes_sent(over("psum", 2), 32) == (32, "2·V·(N−1)/N, V = 32 B, N = 2", 2)
    assert bytes_sent(over("all_gather", 4), 8) == (24, "V·(N−1)/N, V = 32 B, N = 4", 3)
    assert bytes_sent(over("reduce_scatter", 4), 32) == (24, "V·(N−1)/N, V = 32 B, N = 4", 3)
    assert bytes_sent(over("all_to_all", 4), 8) == (6, "V·(N−1)/N², V = 32 B, N = 4", 3)
    assert bytes_sent(over("ppermute", 4, perm=chain(4)), 8) == (8, "V = 8 B, the block", 1)
    assert bytes_sent(over("ppermute", 4, perm=[(1, 1)]), 8) == (0, "no block leaves its device", 0)
    assert bytes_sent(over("pbroadcast", 4, source=1), 8) == (8, "V = 8 B, the block, N = 4", 3)
    assert "evenly" in bytes_sent(over("ragged_all_to_all", 4), 8).arithmetic
    assert gathered_bytes(over("all_gather", 4), 8) == 32


@pytest.mark.parametrize("slices", [1, 2])
@pytest.mark.parametrize("n", [2, 3, 5])
def test_a_ragged_exchange_sends_the_rows_that_it_says(n, slices):
    ragged = over("ragged_all_to_all", n)
    _, _, _, sizes, _, _ = ragged_operands(n, slices)
    rows = sizes.reshape(n, n, slices).sum(axis=2)
    most = max(int(rows[p].sum() - rows[p, p]) for p in range(n))
    sent = ragged_bytes_sent(ragged, 12, sizes)
    assert sent.bytes == 12 * most
    assert sent.arithmetic.endswith(f"rows to other devices, of 12 B each, N = {n}")


@pytest.mark.parametrize("kind", kinds(1))
def test_a_group_of_one_device_does_not_communicate(kind):
    assert bytes_sent(kinds(1)[kind], 8) == (0, "no communication: each group is one device", 0)


# Statements


def test_every_name_is_that_of_one_collective():
    assert len({statement.kind for statement in STATEMENTS}) == len(STATEMENTS)
    for statement in STATEMENTS:
        for name in (statement.kind, *statement.primitives, *(f"{p}_p" for p in statement.primitives)):
            assert statement_of(name) is statement
        for opcode in statement.opcodes:
            assert opcode in OPCODES
            assert statement_of_opcode(opcode, statement.reduction) is statement
    assert statement_of_opcode("all-reduce", "add").kind == statement_of_opcode("all-reduce", "and").kind == "psum"
    assert statement_of_opcode("all-reduce", "maximum").kind == "pmax"


@pytest.mark.parametrize("n", [2, 3])
@pytest.mark.parametrize("kind", ["psum", "all_gather", "reduce_scatter", "all_to_all", "ppermute", "pbroadcast"])
def test_facts_are_those_of_what_it_means(kind, n):
    """Whether it combines, and whether all ranks receive the same, tried on blocks that show whose they are."""
    found = kinds(n)[kind]
    blocks = np.repeat(1 << np.arange(n), n).reshape(n, n)
    blocks = blocks * (1 << n) ** np.arange(n)[None, :]
    result = apply(found, blocks)
    semantics = found.statement.semantics
    assert semantics.replicates == all(np.array_equal(r, result[0]) for r in result)
    several = any(bin(int(v)).count("1") > 1 for v in result.ravel())
    assert bool(semantics.combines) == several
    sent, received = blocks[0].size, result[0].size
    fits = {"both": sent == received, "sent": sent == n * received, "received": received == n * sent, "none": True}
    assert fits[semantics.cuts]
