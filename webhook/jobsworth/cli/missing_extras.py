"""The message for a package of an extra that is not installed."""

from __future__ import annotations

from jobsworth.installation import how_to_install


def missing_extra(what: str, extra: str, package: str | None = None) -> str:
    """Return the message: what requires which packages, and how to install them.

    Args:
        what: the feature, in the plural.
        extra: the name of the extra.
        package: the missing package, if known.
    """
    needs = f"the package {package}" if package else f"the packages of the extra {extra}"
    return f"{what} require {needs}: {how_to_install(extra)}"
