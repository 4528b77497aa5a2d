"""Groups that a user copied out of a module: which devices take part, by the axes of a mesh, and nothing else."""

from __future__ import annotations

import re

import numpy as np

from shardwidget.collectives import OPCODES, STATEMENTS, statement_of_opcode
from shardwidget.document import HloCollective, Ints, Mesh, Semantics
from shardwidget.read._program.axes import axes_of_groups, ranked
from shardwidget.read._program.groups import Groups, expand, groups_text, meaning_of, modes, positions

NO_TEXT = (
    "the text is neither an HLO module (what compiled.as_text() gives, from its line 'HloModule …' on), nor an "
    "instruction of one, nor groups as XLA writes them: replica_groups={{{{0,1}},{{2,3}}}}, [2,4]<=[8], "
    "source_target_pairs={{{{0,1}},{{1,0}}}}. It begins with {start!r}."
)

_BY_PAIRS = next(statement.opcodes[0] for statement in STATEMENTS if statement.by_pairs)
_OPCODE = re.compile(rf"\b({'|'.join(sorted(OPCODES, key=len, reverse=True))})(?:-start)?\(")


def is_module(text: str) -> bool:
    """Whether a text is that of a module."""
    return "HloModule" in text or re.search(r"^ENTRY ", text, re.MULTILINE) is not None


def pasted(text: str, mesh: Mesh) -> HloCollective:
    """Groups, with or without ``replica_groups=``, alone or in an instruction, as a collective of unknown size.

    Args:
        text: ``{{0,1},{2,3}}``, ``[2,4]<=[8]``, ``mesh['a'=4] {'a'}``, ``source_target_pairs={{0,1},{1,0}}``, or a line
            of a module that has one of these. Ids are positions in the mesh, or what the rest of the line says.
        mesh: the mesh, as a document.

    Raises:
        ValueError: it is none of these, or names a device that the mesh does not have.
    """
    found = groups_text(text) or f"replica_groups={text.strip().strip(',')}"
    try:
        groups = expand(found.partition("=")[2])
    except ValueError as error:
        raise ValueError(f"{error}. " + NO_TEXT.format(start=text.strip()[:40])) from error
    opcode = _OPCODE.search(text)
    in_pairs = found.startswith("source_target_pairs")
    kind = opcode[1] if opcode else _BY_PAIRS if in_pairs else "groups"
    if unknown := [p for group in groups for p in group if p >= mesh.size]:
        raise ValueError(f"the groups name the device {unknown[0]}, and the mesh has {mesh.size}: 0 to {mesh.size - 1}")
    pairs: tuple[tuple[int, int], ...] = ()
    if in_pairs:
        pairs = tuple((pair[0], pair[-1]) for pair in groups)
        groups, _ = ranked(pairs, mesh.shape)
    else:
        groups = _of_devices(groups, text, kind, mesh.size)
    goes = axes_of_groups(groups, [axis.name for axis in mesh.axes], mesh.shape)
    ids = mesh.device_ids.array().tolist()
    n = max(map(len, groups))
    return HloCollective(
        kind=kind,
        semantics=statement_of_opcode(kind).semantics if kind in OPCODES else Semantics(""),
        axes=goes.axes,
        irregular=goes.irregular,
        within=goes.within,
        groups=tuple(tuple(ids[p] for p in group) for group in groups),
        positions=Ints.pack(np.array([[*group, *[-1] * (n - len(group))] for group in groups])),
        group_size=n,
        shapes=(),
        bytes_per_device=0,
        arithmetic="bytes are not known: groups alone do not show what is sent",
        times=1,
        pairs=pairs,
        groups_text=found,
        groups_meaning=meaning_of(found, groups, mesh.size) + ("" if opcode or in_pairs else _doubt(groups, mesh.size)),
    )


def _of_devices(groups: Groups, text: str, kind: str, devices: int) -> Groups:
    """Groups of ids as groups of positions: what the ids count depends on the instruction that they are in."""
    channel, flattened = modes(text)
    if kind == "groups" and not channel:  # Alone: positions, as in nearly every program of JAX.
        groups = groups or (tuple(range(devices)),)
        return tuple((p,) for p in range(devices)) if groups == ((0,),) else groups
    crosses = kind in OPCODES and statement_of_opcode(kind).numbers_partitions
    # The header would say how many replicas there are; every one of them is in a group.
    replicas = max(1, sum(map(len, groups))) if groups or channel else devices
    if (channel and crosses) or devices % replicas:
        replicas = 1
    return positions(groups, replicas, devices // replicas, channel=channel, flattened=flattened, crosses=crosses)


def _doubt(groups: Groups, devices: int) -> str:
    """What the same groups may mean elsewhere, where the rest of the instruction would show it."""
    if devices == 1 or groups != tuple((p,) for p in range(devices)):
        return ""
    return f"; in an instruction with channel_id= and without use_global_device_ids=true, one group of all {devices}"
