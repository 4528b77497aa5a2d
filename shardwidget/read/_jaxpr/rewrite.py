"""Changes to the user's source: finds expressions in it, and rewrites the lines that they are on."""

from __future__ import annotations

import ast
import functools
import re
import types
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from shardwidget.document import Fix
from shardwidget.read._jaxpr.syntax import Span, lines_of, parsed, parsed_expression, text_of

Function = ast.FunctionDef | ast.Lambda

Lines = tuple[int, int]
"""A first and a last line."""


@dataclass(frozen=True)
class Edit:
    """Lines of a file, rewritten."""

    file: str
    first: int
    last: int
    """The last line that is replaced; ``first - 1`` where ``code`` goes before ``first``."""
    code: str
    """Without the indentation that the first line has."""


class SourceText:
    """The text of a file, and its syntax tree.

    Args:
        file: its name, as ``linecache`` knows it.
        text: what is in it.
    """

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self._lines = lines_of(text)
        self.tree = parsed(text) or ast.Module([], [])
        self._parents: dict[ast.AST, ast.AST] = {}
        self._nodes: list[ast.AST] = [self.tree]  # Those around first, as ast.walk has them.
        for node in self._nodes:
            for child in ast.iter_child_nodes(node):
                self._parents[child] = node
                self._nodes.append(child)
        self.names = frozenset(_names(self._nodes))
        """Names that are bound or used somewhere in the file: a notebook cell uses what another one binds."""

    def expression(self, span: Span) -> ast.expr | None:
        """The expression at a span."""
        return self._expressions.get(span)

    @functools.cached_property
    def _expressions(self) -> dict[Span, ast.expr]:
        """The outermost expression at each span."""
        return {span_of_node(n): n for n in reversed(self._nodes) if isinstance(n, ast.expr)}

    def segment(self, node: ast.AST) -> str:
        """The text of an expression."""
        return self._cut(span_of_node(node))

    def _cut(self, span: Span) -> str:
        first, start, last, end = span
        cut = [line.encode() for line in self._lines[first - 1 : last]]
        cut[-1] = cut[-1][:end]
        cut[0] = cut[0][start:]
        return b"\n".join(cut).decode()

    def operand(self, node: ast.expr) -> str:
        """The text of an expression, safe for something to follow directly."""
        text = self.segment(node)
        plain = isinstance(node, ast.Name | ast.Call | ast.Attribute | ast.Subscript)
        return text if plain else f"({text})"

    def in_place(self, node: ast.expr, new: str) -> str:
        """What to put in place of an expression: another, in parentheses where it needs them there, or arguments."""
        if not _is_expression(new):
            return new
        whole, enclosed = node, False
        for above in self._above(node):
            if isinstance(above, ast.stmt):
                break
            if isinstance(above, ast.JoinedStr):  # Python 3.11 does not say where its parts are.
                return f"({new})"
            if isinstance(above, ast.expr):
                called = isinstance(above, ast.Call) and above.func is whole
                enclosed |= isinstance(above, ast.Call | ast.Subscript | ast.List | ast.Dict) and not called
                whole = above
        if "\n" in new and not enclosed:
            return f"({new})"
        outer, inner = span_of_node(whole), span_of_node(node)
        before, after = self._cut((*outer[:2], *inner[:2])), self._cut((*inner[2:], *outer[2:]))
        return new if _same(f"{before}{new}{after}", f"{before}({new}){after}") else f"({new})"

    def function(self, code: types.CodeType) -> Function | None:
        """The function, or the lambda, that a code object was made from."""
        first, count = code.co_firstlineno, code.co_argcount
        places = [(line, column) for line, _, column, _ in code.co_positions() if line and column is not None]
        for node in self._nodes:
            if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
                if _first_line(node) == first:
                    return node
            elif isinstance(node, ast.Lambda) and code.co_name == "<lambda>" and node.lineno == first:
                arguments = tuple(a.arg for a in (*node.args.posonlyargs, *node.args.args))
                body = span_of_node(node.body)
                within = [p for p in places if body[:2] <= p <= body[2:]]
                if arguments == code.co_varnames[:count] and len(within) * 2 > len(places):
                    return node
        return None

    def callable(self, node: ast.expr | None) -> Function | None:
        """The function that an expression stands for: a lambda, a name, or what is made of one, as by ``partial``."""
        if isinstance(node, ast.Name):
            return self.named(node.id, node)
        if isinstance(node, ast.Call) and node.args:
            return self.callable(node.args[0])
        return node if isinstance(node, ast.Lambda) else None

    def named(self, name: str, at: ast.AST) -> Function | None:
        """The function that a name means at a place; None where there are several or none."""
        found = [n for n in self._nodes if isinstance(n, ast.FunctionDef) and n.name == name]
        around = set(self._around(at))
        found = [n for n in found if self._function_around(n) is None or self._function_around(n) in around]
        values = [v for v in self.assigned(name, at) if isinstance(v, ast.Lambda)]
        every = [*found, *values]
        return every[0] if len(every) == 1 else None

    def assigned(self, name: str, at: ast.AST) -> list[ast.expr]:
        """The values that a name is given in the function around a place."""
        scope = self._function_around(at) or self.tree
        return [
            n.value
            for n in ast.walk(scope)
            if isinstance(n, ast.Assign)
            and len(n.targets) == 1
            and isinstance(n.targets[0], ast.Name)
            and n.targets[0].id == name
        ]

    def returned(self, function: Function, near: Span | None = None) -> ast.expr | None:
        """What a function returns: by its only ``return``, or by the one that contains an expression."""
        if isinstance(function, ast.Lambda):
            return function.body
        every = [n for n in ast.walk(function) if isinstance(n, ast.Return) and self._function_around(n) is function]
        if len(every) > 1 and near is not None:
            every = [n for n in every if span_of_node(n)[:2] <= near[:2] and near[2:] <= span_of_node(n)[2:]]
        return every[0].value if len(every) == 1 else None

    def takes(self, at: ast.AST, values: Sequence[ast.expr]) -> bool:
        """Whether one of some expressions is a parameter of the function around a place."""
        function = self._function_around(at)
        given = function.args if function is not None else None
        names = {a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs)} if given is not None else set()
        return any(isinstance(value, ast.Name) and value.id in names for value in values)

    def calls(self, called: str) -> list[ast.Call]:
        """Calls of functions with this name."""
        return [n for n in self._nodes if isinstance(n, ast.Call) and last_name(n.func) == called]

    def calls_with(self, function: Function, called: Set[str]) -> list[ast.Call]:
        """Calls of functions with these names, including partial ones, that take a function or decorate it."""
        found = []
        for node in self._nodes:
            if not isinstance(node, ast.Call):
                continue
            call, given = node, [*node.args, *(k.value for k in node.keywords)]
            if isinstance(node.func, ast.Call):
                call = node.func
            words = [last_name(call.func)]
            if words[0] == "partial" and call.args:
                words.append(last_name(call.args[0]))
            if called.isdisjoint(words):
                continue
            decorates = isinstance(function, ast.FunctionDef) and node in function.decorator_list
            name = getattr(function, "name", "")
            takes = any(
                n is function or (name and isinstance(n, ast.Name) and n.id == name)
                for part in given[:1]
                for n in ast.walk(part)
            )
            if decorates or takes:
                found.append(call)
        return found

    def edit(self, changes: Sequence[tuple[ast.AST, str]]) -> Edit | None:
        """The lines of the statements that contain some expressions, with others in their place.

        None where the result cannot be parsed.
        """
        spans = [self._lines_of(node) for node, _ in changes]
        first, last = min(s[0] for s in spans), max(s[1] for s in spans)
        lines = [line.encode() for line in self._lines[first - 1 : last]]
        for node, new in sorted(changes, key=lambda change: span_of_node(change[0]), reverse=True):
            top, start, bottom, end = span_of_node(node)
            whole = lines[top - first][:start] + new.encode() + lines[bottom - first][end:]
            lines[top - first : bottom - first + 1] = whole.split(b"\n")
        return self.replaced(first, last, b"\n".join(lines).decode())

    def replaced(self, first: int, last: int, text: str) -> Edit | None:
        """Lines with others in their place, or, if ``last < first``, before ``first``; None if not valid Python."""
        indentation = _indentation(self._lines[first - 1])
        code = "\n".join(line.removeprefix(indentation) for line in text.split("\n"))
        fix = Fix("", code, line=first, lines=max(last - first + 1, 0))
        return Edit(self.file, first, last, code) if parsed(fix.applied(self.around(fix))) else None

    def around(self, fix: Fix) -> str:
        """The outermost statements that a fix is part of, on their lines of the file: it changes no others."""
        first, last = self.reach(fix)
        return "\n" * (first - 1) + "\n".join(self._lines[first - 1 : last])

    def reach(self, fix: Fix) -> Lines:
        """First and last line of the outermost statements that a fix is part of."""
        return _joined((fix.line, max(fix.line, fix.line + fix.lines - 1)), self._outermost)

    @functools.cached_property
    def _outermost(self) -> list[Lines]:
        return [(_first_line(node), node.end_lineno or node.lineno) for node in self.tree.body]

    def lines(self, first: int, last: int) -> list[str]:
        """Lines of the text, from 1; both ends are there."""
        return self._lines[first - 1 : last]

    def block(self, node: ast.AST, called: str) -> tuple[ast.With, ast.Call] | None:
        """The innermost ``with`` around an expression that calls a function with this name, and that call."""
        for above in self._above(node):
            if isinstance(above, Function):
                return None
            if not isinstance(above, ast.With):
                continue
            for item in above.items:
                if isinstance(item.context_expr, ast.Call) and last_name(item.context_expr.func) == called:
                    return above, item.context_expr
        return None

    def parent(self, node: ast.AST) -> ast.AST | None:
        """What a node of the tree stands in."""
        return self._parents.get(node)

    def statement(self, node: ast.AST) -> ast.stmt | None:
        """The statement that contains an expression."""
        return next((n for n in (node, *self._above(node)) if isinstance(n, ast.stmt)), None)

    def _lines_of(self, node: ast.AST) -> tuple[int, int]:
        above = [node]
        for parent in self._above(node):
            if isinstance(parent, ast.stmt):
                # An item of a `with` has no place of its own.
                whole = next(n for n in reversed(above) if hasattr(n, "lineno")) if hasattr(parent, "body") else parent
                first, _, last, _ = span_of_node(whole)
                return first, last
            above.append(parent)
        first, _, last, _ = span_of_node(node)
        return first, last

    def _above(self, node: ast.AST) -> Iterator[ast.AST]:
        while (node := self._parents.get(node)) is not None:  # type: ignore[assignment]
            yield node

    def _around(self, node: ast.AST) -> Iterator[Function]:
        return (n for n in self._above(node) if isinstance(n, Function))

    def _function_around(self, node: ast.AST) -> Function | None:
        return next(self._around(node), None)


def _first_line(node: ast.stmt) -> int:
    """The first line of a statement, with its decorators."""
    return min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])


def _joined(lines: Lines, others: Sequence[Lines]) -> Lines:
    """Some lines, with all those of others that share a line with them."""
    first, last = lines
    for one in [*others, *others[::-1]]:  # Down, then up: some may be on one line.
        if one[0] <= last and first <= one[1]:
            first, last = min(first, one[0]), max(last, one[1])
    return first, last


def source_text(file: str) -> SourceText:
    """A file's text and syntax tree; empty ones if it cannot be read."""
    return _source_text(file, text_of(file))


@functools.lru_cache(maxsize=8)
def _source_text(file: str, text: str) -> SourceText:
    return SourceText(file, text)


def span_of_node(node: ast.AST) -> Span:
    """First line, first column, last line, last column of an expression or statement."""
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]


def last_name(node: ast.AST) -> str:
    """The last part of a dotted name: ``psum`` of ``jax.lax.psum``."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def argument(call: ast.Call, position: int, name: str) -> ast.expr | None:
    """An argument of a call, by its position or its name."""
    named = [k.value for k in call.keywords if k.arg == name]
    if named:
        return named[0]
    if any(isinstance(a, ast.Starred) for a in call.args[: position + 1]) or position >= len(call.args):
        return None
    return call.args[position]


LOOPS = {
    "scan": (1, "init", 0, "f"),
    "fori_loop": (3, "init_val", 2, "body_fun"),
    "while_loop": (2, "init_val", 1, "body_fun"),
}
"""Position and name of a loop's first carry and of its body among its arguments."""


def part(node: ast.expr, path: Sequence[int | str], source: SourceText) -> ast.expr | None:
    """A part of a pytree that is written out, in place or where a name is given to it."""
    for key in path:
        if isinstance(node, ast.Name):
            values = source.assigned(node.id, node)
            if len(values) != 1:
                return None
            node = values[0]
        inner: ast.expr | None = None
        if isinstance(node, ast.Tuple | ast.List) and isinstance(key, int) and key < len(node.elts):
            inner = None if any(isinstance(e, ast.Starred) for e in node.elts) else node.elts[key]
        elif isinstance(node, ast.Dict):
            inner = next((v for k, v in _items(node) if k == key), None)
        elif isinstance(node, ast.Call) and last_name(node.func) == "dict":
            inner = next((k.value for k in node.keywords if k.arg == key), None)
        if inner is None:
            return None
        node = inner
    return node


def leaf_nodes(node: ast.expr) -> list[ast.expr]:
    """The leaves of a pytree that is written out, in JAX's order: of a dict by its sorted keys."""
    if isinstance(node, ast.Tuple | ast.List):
        return [leaf for e in node.elts for leaf in leaf_nodes(e)]
    if isinstance(node, ast.Dict) and all(isinstance(k, ast.Constant) for k in node.keys):
        return [leaf for _, v in sorted(_items(node), key=lambda item: str(item[0])) for leaf in leaf_nodes(v)]
    return [node]


def _items(node: ast.Dict) -> list[tuple[object, ast.expr]]:
    return [(k.value, v) for k, v in zip(node.keys, node.values, strict=True) if isinstance(k, ast.Constant)]


def filled(code: str, text: str) -> str:
    """Code with an expression in place of ``{}``, in parentheses where it needs them there."""
    bare, apart = code.replace("{}", text), code.replace("{}", f"({text})")
    return apart if _is_expression(apart) and not _same(bare, apart) else bare


def _same(one: str, other: str) -> bool:
    """Whether two expressions are equal but for parentheses."""
    trees = [ast.dump(tree) for text in (one, other) if (tree := parsed_expression(text))]
    return len(trees) == 2 and trees[0] == trees[1]


def _is_expression(text: str) -> bool:
    return _same(text, text)


def spelled(code: str, source: SourceText, known: Mapping[str, object] | None = None) -> str:
    """Code in the names under which a file knows JAX's modules: ``lax.psum`` where only ``lax`` is imported.

    Args:
        code: with ``jax``, ``jnp`` and ``P``.
        source: the file.
        known: other names that are bound: a notebook's imports are often in another cell.
    """
    names = source.names | set(known or ())
    if "jnp" not in names:
        code = re.sub(r"(?<![\w.])jnp\.", "jax.numpy.", code)
    if "P" not in names:
        code = re.sub(r"(?<![\w.])P\(", "PartitionSpec(" if "PartitionSpec" in names else "jax.P(", code)
    if "jax" not in names:
        for module, name in (("jax.lax.", "lax"), ("jax.numpy.", "jnp")):
            if name in names:
                code = re.sub(rf"(?<![\w.]){re.escape(module)}", f"{name}.", code)
    return code


def _names(nodes: Sequence[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((alias.asname or alias.name.partition(".")[0]) for alias in node.names)
        elif isinstance(node, ast.Name):
            yield node.id


def _indentation(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]
