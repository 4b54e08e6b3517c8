"""Small changes of the code that a test should notice: a comparison, a number, a text, a condition.

Each is one replacement in the text of a module. Left out is what no test can notice or what is not behavior:
annotations, docstrings, ``if TYPE_CHECKING``, the arguments of ``@dataclass`` and of ``field``, ``__slots__``.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

COMPARED: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
}
COMPUTED: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "//"),
    ast.FloorDiv: ("//", "*"),
    ast.Div: ("/", "*"),
    ast.Mod: ("%", "+"),
}
NOT_BEHAVIOR = {"dataclass", "field", "TypeVar", "Literal", "cast"}
NOT_BEHAVIOR_NAMES = {"__slots__", "__all__", "TYPE_CHECKING"}


@dataclass(frozen=True)
class Mutant:
    """One change of one module.

    Attributes:
        path: of the module, below the root of the clone.
        line, last_line: what it changes, from 1 on.
        statement: the line on which the statement around it begins.
        start, end: offsets in the UTF-8 text.
        new: the text instead.
        in_function: it changes the body of a function, not what an import runs.
    """

    path: str
    line: int
    last_line: int
    statement: int
    start: int
    end: int
    new: str
    in_function: bool

    def applied(self, source: bytes) -> bytes:
        return source[: self.start] + self.new.encode() + source[self.end :]

    def described(self, source: bytes) -> str:
        old = " ".join(source[self.start : self.end].decode().split())
        return f"{self.path}:{self.line}: {old}  ->  {' '.join(self.new.split())}"


def mutants_of(path: str, source: bytes) -> list[Mutant]:
    """Return all mutants of a module, in the order of its text.

    >>> [m.applied(b"x = a < 1").decode() for m in mutants_of("m.py", b"x = a < 1")]
    ['x = a <= 1', 'x = a < 2']
    """
    finder = _Finder(path, source)
    finder.visit(ast.parse(source))
    return sorted(finder.found, key=lambda mutant: (mutant.start, mutant.end, mutant.new))


class _Finder(ast.NodeVisitor):
    def __init__(self, path: str, source: bytes) -> None:
        self.found: list[Mutant] = []
        self._path = path
        self._source = source
        self._functions = 0
        self._statement = 0
        self._lines = [0]
        for line in source.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))

    def visit(self, node: ast.AST) -> None:
        if not isinstance(node, ast.stmt):
            super().visit(node)
            return
        outer, self._statement = self._statement, node.lineno
        super().visit(node)
        self._statement = outer

    # What is left out.

    def visit_If(self, node: ast.If) -> None:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return
        self._negate(node.test)
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for outer in (
            *node.decorator_list,
            *node.args.defaults,
            *filter(None, node.args.kw_defaults),
        ):
            self.visit(outer)
        self._functions += 1
        for statement in _without_docstring(node.body):
            self.visit(statement)
        self._functions -= 1

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for outer in (*node.decorator_list, *node.keywords):
            self.visit(outer)
        for statement in _without_docstring(node.body):
            self.visit(statement)

    def visit_Module(self, node: ast.Module) -> None:
        for statement in _without_docstring(node.body):
            self.visit(statement)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        names = {target.id for target in node.targets if isinstance(target, ast.Name)}
        if not names & NOT_BEHAVIOR_NAMES:
            self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        pass

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        pass

    def visit_Assert(self, node: ast.Assert) -> None:
        pass  # an assertion is for the type checker

    def visit_Call(self, node: ast.Call) -> None:
        if getattr(node.func, "id", None) not in NOT_BEHAVIOR:
            self.generic_visit(node)

    # What is changed.

    def visit_Compare(self, node: ast.Compare) -> None:
        before = node.left
        for operator, after in zip(node.ops, node.comparators, strict=True):
            old, new = COMPARED[type(operator)]
            self._replace_between(before, after, old, new)
            before = after
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if type(node.op) in COMPUTED and not _is_text(node.left) and not _is_text(node.right):
            self._replace_between(node.left, node.right, *COMPUTED[type(node.op)])
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for before, after in zip(node.values, node.values[1:], strict=False):
            self._replace_between(before, after, old, new)
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            self._replace(node, self._text(node.operand))
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._negate(node.test)
        self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        if not isinstance(node.test, ast.Constant):
            self._replace(node.test, "False")
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            self._negate(test)
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, bool):
            self._replace(node, str(not value))
        elif isinstance(value, int):
            self._replace(node, str(value + 1))
        elif isinstance(value, str):
            self._replace(node, f"({self._text(node)} 'XX')")

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        # Not what is inside: before Python 3.12 it has no true positions.
        self._replace(node, f"({self._text(node)} 'XX')")

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is not None and not _is_none(node.value):
            self._replace(node.value, "None")
            self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return  # an attribute's docstring
        if self._functions:
            self._replace(node, "pass" if isinstance(node.value, ast.Call) else "...")
        self.generic_visit(node)

    def visit_Break(self, node: ast.Break) -> None:
        self._replace(node, "continue")

    def visit_Continue(self, node: ast.Continue) -> None:
        self._replace(node, "break")

    def visit_Dict(self, node: ast.Dict) -> None:
        if len(node.keys) > 1:
            for key, value in zip(node.keys, node.values, strict=True):
                if key is not None:
                    self._drop(key, value)
        self.generic_visit(node)

    def visit_Set(self, node: ast.Set) -> None:
        for element in node.elts if len(node.elts) > 1 else ():
            self._drop(element, element)
        self.generic_visit(node)

    def visit_Tuple(self, node: ast.Tuple) -> None:
        if isinstance(node.ctx, ast.Load) and len(node.elts) > 2:
            for element in node.elts:
                self._drop(element, element)
        self.generic_visit(node)

    def visit_List(self, node: ast.List) -> None:
        if len(node.elts) > 2:
            for element in node.elts:
                self._drop(element, element)
        self.generic_visit(node)

    # How.

    def _negate(self, test: ast.expr) -> None:
        if not (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)):
            self._replace(test, f"not ({self._text(test)})")

    def _drop(self, first: ast.expr, last: ast.expr) -> None:
        start, end = self._offset(first), self._end(last)
        rest = self._source[end:]
        comma = rest.lstrip()
        if comma.startswith(b","):
            end += len(rest) - len(comma) + 1
            self._add(start, end, "", first.lineno, last.end_lineno or last.lineno)

    def _replace(self, node: ast.expr | ast.stmt, new: str) -> None:
        last = node.end_lineno or node.lineno
        self._add(self._offset(node), self._end(node), new, node.lineno, last)

    def _replace_between(self, before: ast.expr, after: ast.expr, old: str, new: str) -> None:
        """Replace an operator, which stands between two operands, perhaps with brackets and spaces."""
        start, end = self._end(before), self._offset(after)
        between = self._source[start:end].decode()
        code = "".join(line.partition("#")[0] for line in between.splitlines(keepends=True))
        at = code.find(old.split(maxsplit=1)[0])
        if at < 0 or code != between:
            return
        last_word = old.rsplit(maxsplit=1)[-1]
        stop = between.index(last_word, at) + len(last_word)
        self._add(start + at, start + stop, new, before.lineno, after.end_lineno or after.lineno)

    def _add(self, start: int, end: int, new: str, line: int, last_line: int) -> None:
        in_function = self._functions > 0
        self.found.append(
            Mutant(self._path, line, last_line, self._statement, start, end, new, in_function)
        )

    def _text(self, node: ast.expr | ast.stmt) -> str:
        return self._source[self._offset(node) : self._end(node)].decode()

    def _offset(self, node: ast.expr | ast.stmt) -> int:
        return self._lines[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.expr | ast.stmt) -> int:
        return self._lines[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)


def is_valid(mutant: Mutant, source: bytes) -> bool:
    """Return True if Python can compile the mutant."""
    try:
        compile(mutant.applied(source), mutant.path, "exec")
    except SyntaxError:
        return False
    return True


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0] if body else None
    has_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return body[1:] if has_docstring else body


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
