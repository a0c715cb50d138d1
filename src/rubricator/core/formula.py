"""A stored formula: plain arithmetic over sub-scores and weights, parsed once and never run as code."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Self

from rubricator.errors import InputError

_OPERATORS: Final[dict[type[ast.operator], Callable[[float, float], float]]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
}
_FUNCTIONS: Final[dict[str, Callable[[list[float]], float]]] = {
    "min": min,
    "max": max,
    "mean": lambda values: math.fsum(values) / len(values),
}
_WEIGHT: Final = "weight_"


@dataclass(frozen=True, slots=True)
class Formula:
    """An expression such as `0.7 * (weight_hook * hook + depth) / 3 + 0.3 * min(hook, depth)`.

    A criterion's id, `-` written as `_`, stands for its sub-score, and with `weight_` before it for its weight. There
    are numbers, `+ - * /`, brackets, `min`, `max` and `mean`; nothing else is understood.
    """

    text: str
    _root: ast.expr

    @classmethod
    def parse(cls, text: str) -> Self:
        """The formula that `text` writes. Raises InputError for anything but the arithmetic above."""
        try:
            root = ast.parse(text, mode="eval").body
            _check(root)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise InputError(
                f"The formula {text[:80]!r} can't be read: {error}.",
                hint="Use numbers, criterion ids with `_` for `-`, + - * / ( ), min, max and mean.",
            ) from None
        return cls(text, root)

    @property
    def names(self) -> frozenset[str]:
        """The names of sub-scores and weights that stand in it."""
        functions = {id(node.func) for node in ast.walk(self._root) if isinstance(node, ast.Call)}
        return frozenset(
            node.id for node in ast.walk(self._root) if isinstance(node, ast.Name) and id(node) not in functions
        )

    def value(self, scores: Mapping[str, float], weights: Mapping[str, float]) -> float | None:
        """The formula's value; None where a name has no sub-score or weight, or where it divides by nothing."""
        names = {key.replace("-", "_"): value for key, value in scores.items()}
        names |= {_WEIGHT + key.replace("-", "_"): value for key, value in weights.items()}
        try:
            result = _value(self._root, names)
        except (KeyError, ZeroDivisionError, OverflowError):
            return None
        return result if math.isfinite(result) else None


def _check(node: ast.expr) -> None:
    match node:
        case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
            pass
        case ast.Name():
            pass
        case ast.UnaryOp(op=ast.USub() | ast.UAdd()):
            _check(node.operand)
        case ast.BinOp() if type(node.op) in _OPERATORS:
            _check(node.left)
            _check(node.right)
        case ast.Call(func=ast.Name(id=name), keywords=[]) if name in _FUNCTIONS and node.args:
            for argument in node.args:
                _check(argument)
        case _:
            raise ValueError(f"{ast.unparse(node)[:40]!r} is not allowed")


def _value(node: ast.expr, names: Mapping[str, float]) -> float:
    match node:
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.Name(id=name):
            return names[name]
        case ast.UnaryOp():
            value = _value(node.operand, names)
            return -value if isinstance(node.op, ast.USub) else value
        case ast.BinOp():
            return _OPERATORS[type(node.op)](_value(node.left, names), _value(node.right, names))
        case ast.Call(func=ast.Name(id=name)):
            return _FUNCTIONS[name]([_value(argument, names) for argument in node.args])
    raise ValueError(f"{ast.dump(node)} passed the check")  # pragma: no cover - _check lets nothing else through
