"""Transfers between TPU slices. The compiler writes each as a send to the host, whose runtime (Megascale) does it.

A program for several slices is compiled for one of them. What crosses slices is a ``send`` with attributes:
``_xla_megascale_transfer_type`` says which collective it is, ``_xla_megascale_target`` between which devices, in one of
three notations: ``{{100000,200000},{100001,200001}}`` (groups of device ids), ``{{100000->200000}}`` (pairs of them),
``"{1,2}x{0:3}"`` (for each k from 0 to 3 a group of device k of slice 1 and of slice 2). A device's id is
``100000 · slice + k``.
"""

from __future__ import annotations

import re

from shardwidget.collectives import Statement, statement_of_transfer
from shardwidget.read._program.groups import Groups
from shardwidget.read._program.module import Instruction

_SLICE = 100_000
"""Device ids of a slice begin at its number times this."""


def is_host_transfer(instruction: Instruction) -> bool:
    """Whether it goes to the host: a transfer between slices, or what ``jax.debug.print`` and callbacks need."""
    return "is_host_transfer=true" in instruction.text


def transfer_type(instruction: Instruction) -> str:
    """The type of a transfer between slices; empty where it is not one."""
    found = re.search(r'_xla_megascale_transfer_type="(\w+)"', instruction.text)
    return found[1] if found else ""


def transferred(instruction: Instruction) -> Statement:
    """The collective that a transfer between slices is.

    Raises:
        ValueError: its type is not known.
    """
    kind = transfer_type(instruction)
    reduction = re.search(r'_xla_megascale_reduce_operation="(\w+)"', instruction.text)
    statement = statement_of_transfer(kind, reduction[1] if reduction else "")
    if statement is None:
        raise ValueError(f"it is a transfer between slices of the unknown type {kind}")
    return statement


def rendezvous(instruction: Instruction) -> str:
    """The name that a send and its recv share; empty where there is none."""
    found = re.search(r'_xla_host_transfer_rendezvous="([^"]*)"', instruction.text)
    return found[1] if found else ""


def target_text(instruction: Instruction) -> str:
    """The devices of a transfer, as the module writes them; empty where it names none."""
    found = re.search(r"(_xla_megascale_target=)\"?(.*?)\"?,_xla_megascale_transfer_type", instruction.text)
    return found[1] + found[2] if found else ""


def target_ids(text: str) -> Groups:
    """The device ids of each group, or the two of each pair.

    Raises:
        ValueError: it is in none of the known notations.
    """
    value = text.partition("=")[2]
    if found := re.fullmatch(r"\{([\d,]+)\}x\{(\d+):(\d+)\}", value):
        slices = [int(n) for n in found[1].split(",")]
        return tuple(tuple(_SLICE * s + k for s in slices) for k in range(int(found[2]), int(found[3]) + 1))
    if re.fullmatch(r"\{(\{\d+((,|->)\d+)*\},?)*\}", value):
        return tuple(tuple(int(n) for n in re.findall(r"\d+", group)) for group in re.findall(r"\{([^{}]*)\}", value))
    raise ValueError(f"it names the devices of a transfer between slices in an unknown notation: {text or 'nowhere'}")
