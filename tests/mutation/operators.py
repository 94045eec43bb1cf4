"""The changes of the mutator: every small change of a module that could be a fault.

Comparisons, conditions, arithmetic, constants, and statements left out. Annotations, docstrings and the texts
of messages are left alone: other tests compare them, or nothing does on purpose.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.LShift: ast.RShift,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """A module with one change; the name has no line number, so that it survives other edits."""

    file: str
    line: int
    where: str  # the function
    change: str  # old => new
    source: str

    @property
    def name(self) -> str:
        """What identifies the mutant in the list of survivors."""
        return f"{self.file}: {self.where}: {self.change}"


def mutants(file: str, source: str) -> list[Mutant]:
    """Return all mutants of a module, in the order of its lines; equal names are numbered."""
    tree = ast.parse(source)
    found: list[Mutant] = []
    seen: dict[str, int] = {}
    for where, parent, field, place, node in places(tree):
        for new in changes(node, parent):
            before, after = short(node), short(new)
            if before == after:
                continue
            key = f"{where}: {before} => {after}"
            seen[key] = seen.get(key, 0) + 1
            number = f" ({seen[key]})" if seen[key] > 1 else ""
            change = f"{before} => {after}{number}"
            found.append(Mutant(file, node.lineno, where, change, replaced(tree, parent, field, place, new)))
    return found


def short(node: ast.AST) -> str:
    """Return a node's source on one line, abridged."""
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 70 else text[:67] + "..."


def places(tree: ast.Module) -> Iterator[tuple[str, ast.AST, str, int | None, ast.AST]]:
    """Yield every node that may be changed: its function, its parent, the field and the place in it."""

    def visit(node: ast.AST, where: str) -> Iterator[tuple[str, ast.AST, str, int | None, ast.AST]]:
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns", "decorator_list", "type_params", "bases"):
                continue
            entries = value if isinstance(value, list) else [value]
            for k, child in enumerate(entries):
                if not isinstance(child, ast.AST) or skipped(child):
                    continue
                name = getattr(child, "name", None)
                inside = f"{where}.{name}".lstrip(".") if is_definition(child) and name else where
                yield inside or "module", node, field, k if isinstance(value, list) else None, child
                yield from visit(child, inside)

    yield from visit(tree, "")


def is_definition(node: ast.AST) -> bool:
    """Return whether a node is a function or a class."""
    return isinstance(node, ast.FunctionDef | ast.ClassDef)


def skipped(node: ast.AST) -> bool:
    """Return whether a node is left alone, with all it contains: texts, imports, overloads, type checking."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return True
    if isinstance(node, ast.FunctionDef) and "overload" in map(ast.unparse, node.decorator_list):
        return True
    return isinstance(node, ast.JoinedStr | ast.Import | ast.ImportFrom | ast.Global)


def changes(node: ast.AST, parent: ast.AST) -> Iterator[ast.AST]:
    """Yield what a node may be replaced by."""
    if isinstance(node, ast.Compare):
        for k, operator in enumerate(node.ops):
            new = copy.deepcopy(node)
            new.ops[k] = COMPARISONS[type(operator)]()
            yield new
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        yield ast.BinOp(node.left, ARITHMETIC[type(node.op)](), node.right)
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield ast.Constant(not node.value)
        elif isinstance(node.value, int | float):
            yield ast.Constant(node.value + 1)
    elif isinstance(node, ast.If | ast.IfExp):
        for value in (True, False):
            new = copy.copy(node)
            new.test = ast.Constant(value)
            yield new
    elif isinstance(node, ast.Raise | ast.AugAssign) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    ):
        yield ast.Pass()
    elif isinstance(node, ast.Return) and node.value is not None and not is_none(node.value):
        yield ast.Return(ast.Constant(None))


def is_none(node: ast.AST) -> bool:
    """Return whether a node is `None`."""
    return isinstance(node, ast.Constant) and node.value is None


def replaced(tree: ast.Module, parent: ast.AST, field: str, place: int | None, new: ast.AST) -> str:
    """Return the source of the module with one node replaced, and leave the tree as it was."""
    holder = getattr(parent, field)
    if place is None:
        setattr(parent, field, new)
        source = ast.unparse(ast.fix_missing_locations(tree))
        setattr(parent, field, holder)
    else:
        old, holder[place] = holder[place], new
        source = ast.unparse(ast.fix_missing_locations(tree))
        holder[place] = old
    return source + "\n"
