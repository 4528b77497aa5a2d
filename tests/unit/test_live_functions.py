"""The functions that a program may call: looking for them ends, whatever the user's objects answer."""

from __future__ import annotations

import functools
import unittest.mock
import xmlrpc.client
from typing import Any

import jax
import pytest

from shardwidget import _jax


class Model:
    @functools.cached_property
    def layers(self) -> list[int]:
        return [1]

    @staticmethod
    def act(x: Any) -> Any:
        return x

    def __call__(self, x: Any) -> Any:
        return self.act(x)


class Answers:
    """Whatever is asked for: another one."""

    def __getattr__(self, name: str) -> Answers:
        return Answers()

    def __call__(self) -> None: ...


class Raises:
    def __getattr__(self, name: str) -> None:
        raise ValueError(name)

    __self__ = property(lambda self: 1 / 0)


def found(f: Any) -> set[str]:
    return {function.__qualname__ for function in _jax.live_functions(f)}


def test_methods_of_a_class_are_found_by_an_instance_a_method_or_the_class():
    model = Model()
    methods = {"Model.layers", "Model.act", "Model.__call__"}
    for f in (model, model.__call__, jax.jit(model), lambda x: model(x), functools.partial(lambda m, x: m(x), model)):
        assert methods <= found(f), f


@pytest.mark.parametrize(
    "made", [Answers, Raises, unittest.mock.MagicMock, lambda: xmlrpc.client.ServerProxy("http://")]
)
def test_an_object_that_answers_everything_leads_nowhere(made: Any):
    held = made()

    def f(x):
        return held, x

    assert f.__qualname__ in found(f)
