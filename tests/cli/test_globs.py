"""File patterns of a configuration."""

from __future__ import annotations

import pytest

from jobsworth.files.configuration.path_patterns import matches


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("a.yaml", "a.yaml", True),
        ("a.yaml", "b/c/a.yaml", True),
        ("a.yaml", "b/a.yaml.orig", False),
        ("*.yaml", "b/a.yaml", True),
        ("vendor", "vendor/a/b.yaml", True),
        ("vendor/", "b/vendor/a.yaml", True),
        ("vendor", "vendored/a.yaml", False),
        ("./vendor", "vendor/a.yaml", True),
        ("/vendor", "vendor/a.yaml", True),
        ("/vendor", "b/vendor/a.yaml", False),
        ("b/vendor", "b/vendor/a.yaml", True),
        ("b/vendor", "a/b/vendor/a.yaml", False),
        ("b/*.yaml", "b/a.yaml", True),
        ("b/*.yaml", "b/c/a.yaml", False),
        ("b/**/*.yaml", "b/a.yaml", True),
        ("b/**/*.yaml", "b/c/d/a.yaml", True),
        ("**/c", "a/b/c/d.yaml", True),
        ("b/**", "b/a.yaml", True),
        ("b/**", "c/a.yaml", False),
        ("**", "a/b.yaml", True),
        ("[ab]?/x.yaml", "b1/x.yaml", True),
        ("A.yaml", "a.yaml", False),
        ("../other/a.yaml", "../other/a.yaml", True),
    ],
)
def test_a_pattern_means_files(pattern: str, path: str, expected: bool) -> None:
    assert matches(pattern, path) is expected
