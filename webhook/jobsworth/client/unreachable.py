"""Why a cluster does not answer, or says no: in a line that says what would be right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class ClusterError(Exception):
    """Why a cluster cannot be asked; the message is for the user."""


class Refused(ClusterError):
    """An error that the API server answers with.

    Attributes:
        code: the HTTP status, such as 403.
        reason: the API's reason, such as ``Expired``.
        resume: of an expired list the token with which the rest of it can be read.
    """

    def __init__(self, message: str, code: int, reason: str = "", resume: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.resume = resume


def refusal(code: int, status: Any, url: str, name: str) -> Refused:
    """What an answer means whose status is not 200.

    Args:
        code: the HTTP status.
        status: the body, of kind ``Status`` in most cases.
        url: the server's address.
        name: which configuration led there.
    """
    said = str(status.get("message") or status.get("reason") or f"status {code}")
    meta = status.get("metadata")
    resume = str((meta if isinstance(meta, dict) else {}).get("continue") or "")
    explain = _REFUSALS.get(code, _answered)
    return Refused(explain(said, url, name), code, str(status.get("reason") or ""), resume)


def _unauthorised(said: str, url: str, name: str) -> str:
    return (
        f"{url} does not accept the credentials of {name} (401 {said}): they may have expired; "
        "log in again, or choose another context with --context"
    )


def _forbidden(said: str, url: str, name: str) -> str:
    if '"system:anonymous"' in said:
        return f"{name} has no credentials, and {url} wants some (403 {said})"
    return f"{name} may not do this (403 {said}): the verb list on jobs and cronjobs is needed"


def _answered(said: str, url: str, name: str) -> str:
    return f"{url} answers: {said}"


_REFUSALS: dict[int, Callable[[str, str, str], str]] = {401: _unauthorised, 403: _forbidden}


def unreachable(error: Exception, url: str, name: str, timeout: float) -> ClusterError:
    """Why there is no answer at all.

    Args:
        error: what the HTTP library or the system says.
        url: the server's address.
        name: which configuration led there.
        timeout: how many seconds were waited.
    """
    said = str(error)
    kinds = {type(each).__name__ for each in _chain(error)}
    texts = " ".join(map(str, _chain(error)))
    if "CERTIFICATE_VERIFY_FAILED" in texts:
        detail = texts.partition("certificate verify failed: ")[2].partition(" (_ssl")[0]
        return ClusterError(
            f"the certificate of {url} is not trusted ({detail or 'certificate verify failed'}): "
            f"the certificate-authority of {name} must be the one that signed it"
        )
    if "ProxyError" in kinds:
        return ClusterError(
            f"the proxy on the way to {url} fails: {said}; see HTTPS_PROXY, NO_PROXY"
        )
    if "SSLError" in kinds or "SSLV3_ALERT" in texts:
        return ClusterError(
            f"no TLS connection to {url}: {_inner(error)}; is the address of {name} right?"
        )
    if "ReadTimeoutError" in kinds:
        return ClusterError(
            f"{url} did not answer within {timeout:g} s: give it longer with --request-timeout"
        )
    if "ConnectTimeoutError" in kinds:
        return ClusterError(
            f"no connection to {url} within {min(timeout, 10.0):g} s: is the network (VPN) up, and "
            f"the address of {name} right?"
        )
    if "NameResolutionError" in kinds or "gaierror" in kinds:
        return ClusterError(f"the host of {url} is not known: is the address of {name} right?")
    if "ConnectionRefusedError" in kinds or "Connection refused" in texts:
        return ClusterError(
            f"{url} refuses connections: does the cluster run, and is the address of {name} right?"
        )
    return ClusterError(f"{url} cannot be asked: {_inner(error)}")


def _chain(error: BaseException | None) -> list[BaseException]:
    """An error and what caused it, however the library holds it."""
    found: list[BaseException] = []
    while isinstance(error, BaseException) and error not in found:
        found.append(error)
        reason = getattr(error, "reason", None) or getattr(error, "original_error", None)
        error = (
            reason if isinstance(reason, BaseException) else error.__cause__ or error.__context__
        )
    return found


def _inner(error: Exception) -> str:
    said = " ".join(str(_chain(error)[-1]).split())
    return said or type(error).__name__
