"""A self-contained HTML page without scripts, which loads nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.whatif.timelines.html_charts import chart_style
from jobsworth.whatif.timelines.timeline_page import page_style, page_text

if TYPE_CHECKING:
    from collections.abc import Iterable

_CONTENT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def static_page(
    title: str, header: str, sections: Iterable[tuple[str, str]], command: str, style: str = ""
) -> str:
    """Return the page.

    Args:
        title: as text.
        header: the content of the header, as HTML.
        sections: the heading of each, as text, and its content as HTML; one without content is left out.
        command: the command that made the page, such as ``jobsworth simulate``.
        style: rules of CSS beside those of all pages.
    """
    main = "".join(
        f"<section>\n<h2>{page_text(heading)}</h2>\n{content}</section>\n"
        for heading, content in sections
        if content
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="{_CONTENT_POLICY}">
<link rel="icon" href="data:,">
<title>{page_text(title)}</title>
<style>
{page_style()}{chart_style()}{style}</style>
</head>
<body>
<header>
{header}</header>
<main>
{main}</main>
<footer>Made by {command}. This page contains all its data and loads nothing.</footer>
</body>
</html>"""
