"""Run a command line in a Python that has nothing that only POSIX has, as on Windows.

Started as a script, in a process of its own: ``python without_posix.py validate job.yaml``.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType

POSIX_MODULES = frozenset(
    ("crypt", "curses", "fcntl", "grp", "nis", "pty", "pwd", "readline", "resource", "spwd", "syslog", "termios", "tty")
)  # fmt: skip
"""The standard library's modules that Python on Windows does not have."""

POSIX_NAMES = {
    "os": (
        "O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "WNOHANG", "chown", "fchmod", "fchown", "fork",
        "forkpty", "getegid", "geteuid", "getgid", "getgroups", "getloadavg", "getpgid", "getuid", "getxattr",
        "killpg", "lchown", "listxattr", "mkfifo", "openpty", "posix_spawn", "pread", "pwrite", "register_at_fork",
        "sched_getaffinity", "setsid", "setuid", "setxattr", "statvfs", "sysconf", "uname", "wait", "waitid",
    ),
    "select": ("epoll", "kqueue", "poll"),
    "signal": (
        "SIGALRM", "SIGCHLD", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGUSR1", "SIGUSR2", "alarm", "pause",
        "pthread_sigmask", "setitimer", "sigwait",
    ),
    "socket": ("AF_UNIX", "SO_REUSEPORT"),
    "time": ("tzset",),
}  # fmt: skip
"""The names that modules of the standard library lack on Windows."""

PORTABLE = (
    "asyncio", "concurrent.futures.process", "multiprocessing.context", "multiprocessing.popen_fork",
    "multiprocessing.util", "platform", "selectors", "shutil", "socketserver", "subprocess", "tempfile", "uuid",
)  # fmt: skip
"""Modules that Windows has, but whose implementation for POSIX uses what is hidden below: imported before."""


class HiddenModules:
    """An import hook for which the modules of POSIX do not exist."""

    def find_spec(self, name: str, path: object = None, target: ModuleType | None = None) -> None:
        if name in POSIX_MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def hide() -> None:
    """Hide the modules and names of POSIX from every later import."""
    for name in PORTABLE:
        import_module(name)
    for name in POSIX_MODULES:
        sys.modules.pop(name, None)
    for module, names in POSIX_NAMES.items():
        for name in names:
            vars(import_module(module)).pop(name, None)
    sys.meta_path.insert(0, HiddenModules())


if __name__ == "__main__":
    hide()
    from jobsworth.cli import run

    sys.exit(run(sys.argv[1:]))
