"""Templates as quicker Python: what Jinja asks at every step of every page, and is known here, is left out.

What is shown is the same, letter for letter.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from importlib import metadata
from keyword import iskeyword
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemBytecodeCache, Template, nodes
from jinja2.bccache import Bucket
from jinja2.compiler import CodeGenerator, Frame, MacroRef
from jinja2.environment import TemplateModule
from jinja2.runtime import Context
from jinja2.utils import missing
from markupsafe import Markup, escape

try:
    from markupsafe._speedups import _escape_inner as escaped
except ImportError:  # another version of it, or one without compiled parts
    escaped = escape

DICT_METHODS = frozenset(dir(dict))
OBJECTS = frozenset({"t", "table", "say", "event", "loop"})
"""What templates always call an object by: a page, a table's view, a speaker. They are no dicts."""


def shown(value: Any) -> Any:
    """What a template shows of a value: markup as it is, of everything else the text, escaped.

    >>> shown(Markup("<b>1</b>")), shown("<b>"), shown(3)
    (Markup('<b>1</b>'), '&lt;b&gt;', '3')
    """
    kind = type(value)
    if kind is Markup:
        return value
    if kind is str:
        return escaped(value)
    return str(value) if kind is int else escape(value)


def quick(macro: Any, takes: int) -> Callable[..., Markup]:
    """A macro as the plain function that it is: what it is not given is missing."""
    macro.__defaults__ = (missing,) * takes
    return macro  # type: ignore[no-any-return]


class QuickLoop:
    """Where a loop is; templates ask for nothing else of it."""

    __slots__ = ("_values", "first", "index", "index0", "last")

    def __init__(self, values: Iterable[Any], _: Any) -> None:
        self._values = tuple(values)

    def __iter__(self) -> Iterator[tuple[Any, "QuickLoop"]]:
        self.index0, self.index, self.first = 0, 1, True
        length = len(self._values)
        for value in self._values:
            self.last = self.index == length
            yield value, self
            self.index0, self.first = self.index, False
            self.index += 1


class Code(CodeGenerator):
    """Writes templates as Python."""

    _macros: frozenset[str] = frozenset()
    """What macros of this template, and those that it imports, are called."""
    _modules: frozenset[str] = frozenset()
    """What it calls other templates by."""
    _asks = False
    """Whether it is asked if there is such a thing at all, or what there is instead."""
    _chosen: nodes.CondExpr | None = None
    """One of two things that is to be shown."""

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:  # noqa: N802
        imported = [name for each in node.find_all(nodes.FromImport) for name in each.names]
        called = [name if isinstance(name, str) else name[1] for name in imported]
        self._macros = frozenset([*called, *(macro.name for macro in node.find_all(nodes.Macro))])
        self._modules = frozenset(each.target for each in node.find_all(nodes.Import))
        self.writeline(f"from {__name__} import QuickLoop, quick, shown")
        super().visit_Template(node, frame)

    def write_commons(self) -> None:
        super().write_commons()
        self.writeline("LoopContext = QuickLoop")

    def visit_For(self, node: nodes.For, frame: Frame) -> None:  # noqa: N802
        if node.recursive:
            self.fail("a template does not call its loops", node.lineno)
        super().visit_For(node, frame)

    def visit_Output(self, node: nodes.Output, frame: Frame) -> None:  # noqa: N802
        """Shows what is put together part by part."""
        node.nodes = [part for child in node.nodes for part in _parts(child)]
        super().visit_Output(node, frame)

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        self._chosen = node if isinstance(node, nodes.CondExpr) else None
        self.write("shown(" if self._chosen is None else "(")

    def visit_CondExpr(self, node: nodes.CondExpr, frame: Frame) -> None:  # noqa: N802
        """Shows one of two things, or nothing where Jinja would make something undefined, and ask it."""
        if node is not self._chosen:
            super().visit_CondExpr(node, frame)
            return
        soft = frame.soft()
        self._show(node.expr1, soft)
        self.write(" if ")
        self.visit(node.test, soft)
        self.write(" else ")
        self._show(node.expr2 or nodes.Const(""), soft)

    def _show(self, node: nodes.Expr, frame: Frame) -> None:
        """Writes what is shown of a value."""
        parts = _parts(node)
        if len(parts) > 1:
            self.write("concat((")
            for part in parts:
                self._show(part, frame)
                self.write(", ")
            self.write("))")
        elif isinstance(node, nodes.Const):
            self.write(repr(str(escape(node.value))))
        else:
            self._output_child_pre(node, frame, None)
            self.visit(node, frame)
            self.write(")")

    def macro_def(self, macro_ref: MacroRef, frame: Frame) -> None:
        """Leaves only those macros as they are in Jinja that are called with something to call themselves."""
        ref = macro_ref
        takes_more = ref.accesses_caller or ref.accesses_kwargs or ref.accesses_varargs
        if takes_more or not isinstance(ref.node, nodes.Macro):
            super().macro_def(macro_ref, frame)
        else:
            self.write(f"quick(macro, {len(ref.node.args)})")

    def return_buffer_contents(self, frame: Frame, force_unescaped: bool = False) -> None:
        self.writeline(f"return str.__new__(Markup, concat({frame.buffer}))")

    def visit_Name(self, node: nodes.Name, frame: Frame) -> None:  # noqa: N802
        """Takes macros and other templates as they are: they are always there."""
        if node.ctx == "load" and not self._asks and node.name in self._macros | self._modules:
            self.write(frame.symbols.ref(node.name))
        else:
            super().visit_Name(node, frame)

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:  # noqa: N802
        """Asks a part of a thing as Python does."""
        name, of = node.attr, node.node
        is_object = isinstance(of, nodes.Name) and of.name in OBJECTS | self._modules
        if self._asks or name[0] == "_" or iskeyword(name):
            super().visit_Getattr(node, frame)
        elif is_object or name in DICT_METHODS:
            self.visit(of, frame)
            self.write(f".{name}")
        else:
            self.write(f"(o[{name!r}] if type(o := ")
            self.visit(of, frame)
            self.write(f") is dict and {name!r} in o else o.{name})")

    def visit_Getitem(self, node: nodes.Getitem, frame: Frame) -> None:  # noqa: N802
        """Takes an item as Python does."""
        if self._asks or isinstance(node.arg, nodes.Slice):
            super().visit_Getitem(node, frame)
        else:
            self.visit(node.node, frame)
            self.write("[")
            self.visit(node.arg, frame)
            self.write("]")

    def visit_Test(self, node: nodes.Test, frame: Frame) -> None:  # noqa: N802
        if node.name == "none":
            self.write("(")
            self.visit(node.node, frame)
            self.write(" is None)")
        else:
            self._ask(node.name == "defined", super().visit_Test, node, frame)

    def visit_Filter(self, node: nodes.Filter, frame: Frame) -> None:  # noqa: N802
        self._ask(node.name == "default", super().visit_Filter, node, frame)

    def _ask(self, asks: bool, visit: Callable[[Any, Frame], Any], node: nodes.Expr, frame: Frame) -> None:
        """Writes a test or a filter; if it asks whether there is such a thing, as Jinja does."""
        before, self._asks = self._asks, self._asks or asks
        visit(node, frame)
        self._asks = before

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:  # noqa: N802
        """Calls as Python does: nothing here asks for the context, so nothing has to be looked up first."""
        called = node.node.node if isinstance(node.node, nodes.Getattr) else node.node
        if node.kwargs and isinstance(called, nodes.Name) and called.name in self._macros | self._modules:
            self.fail("what a macro is given has places, not names", node.lineno)
        self.visit(node.node, frame)
        self.write("(")
        for arg in (*node.args, *node.kwargs):
            self.visit(arg, frame)
            self.write(", ")
        for stars, rest in (("*", node.dyn_args), ("**", node.dyn_kwargs)):
            if rest is not None:
                self.write(stars)
                self.visit(rest, frame)
                self.write(", ")
        self.write("caller=caller)" if forward_caller else ")")


def _parts(node: nodes.Expr) -> list[nodes.Expr]:
    """What is put together to be shown."""
    return (
        [part for each in node.nodes for part in _parts(each)] if isinstance(node, nodes.Concat) else [node]
    )


class KeptTemplates(FileSystemBytecodeCache):
    """Templates as Python has compiled them, in a folder: the next server that starts has them at once."""

    def __init__(self, folder: Path) -> None:
        super().__init__(str(folder))
        self._folder = folder
        # What was compiled by another version of what compiles, or one of another name, is compiled anew.
        own_text = Path(__file__).read_text(encoding="utf-8")
        self._compiler = f"{__name__} {metadata.version('jinja2')} {own_text}"

    def get_source_checksum(self, source: str) -> str:
        return super().get_source_checksum(self._compiler + source)

    def load_bytecode(self, bucket: Bucket) -> None:
        try:
            super().load_bytecode(bucket)
        except Exception:
            # A file that was spoiled is as good as none.
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        # Where nothing can be written, every start compiles anew.
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            super().dump_bytecode(bucket)


class QuickTemplate(Template):
    """A template whose macros are made once: all templates are given the same, whichever imports it."""

    def _get_default_module(self, ctx: Context | None = None) -> TemplateModule:
        if self._module is None:
            self._module = self.make_module()
        return self._module


def _at_once(of: Callable[..., Any]) -> Callable[..., Any]:
    """A filter as it is where nothing is asynchronous."""
    return getattr(of, "__wrapped__", of) if hasattr(of, "jinja_async_variant") else of


class Templates(Environment):
    """Jinja, with what boards do most made quick: showing values, calling macros, and keys of dicts."""

    code_generator_class = Code
    template_class = QuickTemplate

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        # Nothing here is asynchronous, so no filter has to ask whether it is.
        self.filters = {name: _at_once(each) for name, each in self.filters.items()}
        self.filters |= {"list": list, "format": lambda text, *values: text % values}
        # What is chosen by is not looked for at every value.
        self.filters |= {
            "select": lambda values, *test: self._chosen(values, "", *test)[0],
            "reject": lambda values, *test: self._chosen(values, "", *test)[1],
            "selectattr": lambda values, name, *test: self._chosen(values, name, *test)[0],
            "rejectattr": lambda values, name, *test: self._chosen(values, name, *test)[1],
        }
        self._read: dict[str, Template] = {}
        """Those that were asked for by their name; a board imports several every time."""

    def get_template(self, name: str | Template, parent: str | None = None, globals: Any = None) -> Template:
        if not isinstance(name, str):
            return super().get_template(name, parent, globals)
        found = self._read.get(name)
        if found is None:
            found = self._read[name] = super().get_template(name, parent, globals)
        return found

    def _chosen(
        self, values: Iterable[Any], name: str, test: str = "", *than: Any
    ) -> tuple[list[Any], list[Any]]:
        """Those that pass a test, by a part or as they are, and all others; without one, what is true."""
        passed: list[Any] = []
        others: list[Any] = []
        tests: dict[str, Any] = self.tests
        passes = tests[test] if test else bool
        steps = name.split(".") if name else ()
        for each in values:
            part = each
            for step in steps:
                part = self.getattr(part, step)
            (passed if passes(part, *than) else others).append(each)
        return passed, others

    def getattr(self, obj: Any, attribute: str) -> Any:
        if type(obj) is dict and attribute in obj:
            return obj[attribute]
        try:
            if attribute[0] != "_":
                return getattr(obj, attribute)
        except AttributeError:
            return super().getattr(obj, attribute)
        return self.undefined(f"a template cannot ask for {attribute}", name=attribute)
