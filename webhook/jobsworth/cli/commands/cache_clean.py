"""``jobsworth cache clean``: delete the results of earlier runs."""

from __future__ import annotations

import sys

from jobsworth.cli.caching import cache_file
from jobsworth.cli.caching.result_cache import cache_folder
from jobsworth.cli.command import Command, InputError
from jobsworth.cli.options import Options
from jobsworth.printable import printable


class CacheCleanOptions(Options):
    """The options of ``jobsworth cache clean``: none."""


def run(options: CacheCleanOptions) -> int:
    """Delete the cache of the repository, or of the current folder.

    Raises:
        InputError: a file cannot be deleted.
    """
    folder = cache_folder()
    try:
        number = cache_file.remove(folder)
    except OSError as error:
        raise InputError(f"{error.filename}: {error.strerror}; delete {folder} yourself") from None
    print(f"deleted {printable(folder)}" if number else "nothing to delete", file=sys.stderr)
    return 0


COMMAND = Command(
    "clean",
    help="""Delete .jobsworth_cache of this repository, or of the current folder outside of one.

jobsworth validate keeps the results of runs over more than 64 files there, so that files that have not
changed are not evaluated again. Deleting it is never necessary: results of another version, of other options,
or of another user are not used.""",
    epilog="""\b
Examples:
  jobsworth cache clean
""",
    options=CacheCleanOptions,
    run=run,
)
