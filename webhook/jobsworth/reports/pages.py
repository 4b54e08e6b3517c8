"""Self-contained HTML pages, which load nothing: templates of Jinja2, with all values escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

from jobsworth.printable import printable
from jobsworth.reports.page_blocks import Block

if TYPE_CHECKING:
    from jinja2 import Environment


def rendered(template: str, **values: Any) -> str:
    """Return a page from a template in the folder ``templates``."""
    return _environment().get_template(template).render(values)


def static_page(
    title: str,
    heading: str,
    introduction: Sequence[Block],
    sections: Iterable[tuple[str, Sequence[Block]]],
    command: str,
) -> str:
    """Return a page without scripts.

    Args:
        title, heading: of the page.
        introduction: what stands below the heading.
        sections: the heading of each and its content; one without content is left out.
        command: the command that made the page, such as ``jobsworth simulate``.
    """
    return rendered(
        "static.html",
        title=title,
        heading=heading,
        introduction=introduction,
        sections=[(name, blocks) for name, blocks in sections if blocks],
        command=command,
    )


def page_text(text: str) -> str:
    """Return text of unknown origin for XML: it controls neither markup, a terminal nor its direction."""
    return escape(printable(text))


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("jobsworth.reports", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalized,
    )
    environment.filters["share"] = _share
    return environment


def _finalized(value: Any) -> Any:
    """Return a value of a template in which nothing controls a terminal; Jinja2 escapes it afterwards."""
    return printable(value) if type(value) is str else value


def _share(value: float, most: float) -> str:
    return f"{min(100.0, value / most * 100) if most else 0:.2f}%"
