"""Templates as quicker Python: what Jinja asks at every step of every page, and is known here, is left out.

What is shown is the same, letter for letter.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemBytecodeCache, Template, nodes
from jinja2.bccache import Bucket
from jinja2.compiler import CodeGenerator, Frame, MacroRef
from jinja2.environment import TemplateModule
from jinja2.runtime import Context, Macro
from jinja2.utils import missing
from markupsafe import Markup, escape

try:
    from markupsafe._speedups import _escape_inner as escaped
except ImportError:  # another version of it, or one without compiled parts
    escaped = escape

DICT_METHODS = frozenset(dir(dict))
CALLER, NOBODY = {"caller": None}.keys(), dict[str, None]().keys()
OBJECTS = frozenset({"t", "table", "say"})
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


class QuickMacro(Macro):
    """A macro that looks at its arguments only if they are not just those that it takes."""

    def __init__(self, *settings: Any) -> None:
        super().__init__(*settings)
        self._is_plain = not (self.catch_kwargs or self.catch_varargs or self.explicit_caller)

    def __call__(self, *args: Any, **kwargs: Any) -> str:
        absent = self._argument_count - len(args)
        if absent < 0 or not self._is_plain or kwargs.keys() != (CALLER if self.caller else NOBODY):
            return super().__call__(*args, **kwargs)
        if kwargs:
            return str.__new__(Markup, self._func(*args, *[missing] * absent, kwargs["caller"]))
        return str.__new__(Markup, self._func(*args, *[missing] * absent) if absent else self._func(*args))


class Code(CodeGenerator):
    """Writes templates as Python."""

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:  # noqa: N802
        self.writeline(f"from {__name__} import QuickMacro, shown")
        super().visit_Template(node, frame)

    def visit_Output(self, node: nodes.Output, frame: Frame) -> None:  # noqa: N802
        """Shows nothing where Jinja would make something undefined, and ask it: `{{ " mine" if t.mine }}`."""
        for child in node.nodes:
            if isinstance(child, nodes.CondExpr) and child.expr2 is None:
                child.expr2 = nodes.Const("")
        super().visit_Output(node, frame)

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        self.write("shown(")

    def macro_def(self, macro_ref: MacroRef, frame: Frame) -> None:
        self.write("Quick")
        super().macro_def(macro_ref, frame)

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:  # noqa: N802
        """Asks a part of a thing as Python does, where it cannot be a key of a dict."""
        name, of = node.attr, node.node
        is_known = isinstance(of, nodes.Name) and of.name in OBJECTS
        if name[0] != "_" and (is_known or name in DICT_METHODS):
            self.visit(of, frame)
            self.write(f".{name}")
        else:
            super().visit_Getattr(node, frame)

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:  # noqa: N802
        """Calls as Python does: nothing here asks for the context, so nothing has to be looked up first."""
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
