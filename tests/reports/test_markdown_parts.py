"""Text of unknown origin in Markdown: shown as it is, without effects on GitHub or GitLab."""

from __future__ import annotations

import pytest

from jobsworth.reports.sections import bullets, escaped, table


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("rules[0] | <b>&amp;", "rules\\[0\\] \\| &lt;b\\>&amp;amp;"),
        ("@octocat", "@<!-- -->octocat"),
        ("mail jo@example.com", "mail jo@<!-- -->example.com"),
        ("see http://example.com", "see http:<!-- -->//example.com"),
        ("HTTPS://example.com", "HTTPS:<!-- -->//example.com"),
        ("www.example.com", "www.<!-- -->example.com"),
        ("WWW.example.com", "WWW.<!-- -->example.com"),
        ("mailto:jo and xmpp:jo", "mailto:<!-- -->jo and xmpp:<!-- -->jo"),
        ("fixes #12", "fixes \\#<!-- -->12"),
        ("owner/name#12", "owner/name\\#<!-- -->12"),
        ("gh-12", "gh-<!-- -->12"),
        ("!12", "!<!-- -->12"),
        ("a # b", "a \\# b"),
        ("\x1b[2J", "\\\\x1b\\[2J"),
    ],
)
def test_text_has_no_effect(text: str, markdown: str) -> None:
    assert escaped(text) == markdown


def test_every_cell_and_item_is_escaped() -> None:
    assert list(table(("@a",), [("@b",)])) == ["| @<!-- -->a |", "| --- |", "| @<!-- -->b |"]
    assert list(bullets(["@c"])) == ["- @<!-- -->c"]


def test_an_image_or_link_in_the_text_stays_text() -> None:
    assert escaped("![x](http://y)").startswith("!\\[x\\](http:<!-- -->//y)")
