"""Name resolution inside a Pod (``core/v1``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.declare import Field, ListOf, Pointer, String, Struct
from jobsworth.api.field_errors import FieldError, invalid, required
from jobsworth.api.validation_request import Request
from kube_cel.formats.names import (
    byte_length,
    dns_subdomain,
    dns_subdomain_with_underscore,
)

# The limits of the resolver in libc.
MAX_NAMESERVERS = 3
MAX_SEARCHES = 32
MAX_SEARCHES_LENGTH = 2048
MAX_SEARCHES_OF_OLD = 6
MAX_SEARCHES_LENGTH_OF_OLD = 256
"""The limit of older resolvers, and of Kubernetes before 1.26."""

HostAlias = Struct(
    "HostAlias",
    "A line of the Pod's /etc/hosts.",
    ip=Field(String, always=True),
    hostnames=Field(ListOf(String), format=dns_subdomain),
)

PodDNSConfigOption = Struct(
    "PodDNSConfigOption",
    "An option of the resolver, as in resolv.conf.",
    name=Field(String),
    value=Field(Pointer(String)),
)

PodDNSConfig = Struct(
    "PodDNSConfig",
    "Name servers, search domains and options, merged with those of dnsPolicy.",
    nameservers=Field(ListOf(String)),
    searches=Field(ListOf(String)),
    options=Field(ListOf(PodDNSConfigOption)),
)


@HostAlias.rule
def _address(alias: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    yield from _check_address(alias.get("ip", ""), f"{path}.ip", request)


@PodDNSConfig.rule
def _limits_of_the_resolver(
    config: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    servers, at = config.get("nameservers", ()), f"{path}.nameservers"
    if len(servers) > MAX_NAMESERVERS:
        yield invalid(at, servers, f"must not have more than {MAX_NAMESERVERS} nameservers")
    for index, server in enumerate(servers):
        yield from _check_address(server, f"{at}[{index}]", request)
    for index, option in enumerate(config.get("options", ())):
        if "name" not in option:
            yield required(f"{path}.options[{index}]", "must not be empty")


@PodDNSConfig.rule
def _search_domains(config: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    domains, at = config.get("searches", ()), f"{path}.searches"
    if not domains:
        return
    most, longest = MAX_SEARCHES, MAX_SEARCHES_LENGTH
    if request.server.minor < 26:
        most, longest = MAX_SEARCHES_OF_OLD, MAX_SEARCHES_LENGTH_OF_OLD
    if len(domains) > most:
        yield invalid(at, domains, f"must not have more than {most} search paths")
    if byte_length(" ".join(domains)) > longest:
        yield invalid(
            at,
            domains,
            f"must not have more than {longest} characters (including spaces) in the search list",
        )
    relaxed = _searches_are_relaxed(request)
    format_ = dns_subdomain_with_underscore if relaxed else dns_subdomain
    for index, domain in enumerate(domains):
        if relaxed and domain == ".":
            continue
        name = domain.removesuffix(".")
        for detail in format_(name):
            yield invalid(f"{at}[{index}]", name, detail)


def _searches_are_relaxed(request: Request) -> bool:
    """Return True if underscores and a single dot are valid, now or in the stored Pod (KEP-4427)."""
    if request.enabled("RelaxedDNSSearchValidation"):
        return True
    stored = (request.old_pod or {}).get("dnsConfig", {}).get("searches", ())
    return request.server.minor >= 32 and any(domain == "." or "_" in domain for domain in stored)


def _check_address(address: str, path: str, request: Request) -> Iterator[FieldError]:
    from jobsworth.api.formats.addresses import ip_for_legacy_field

    for detail in ip_for_legacy_field(address, strict=request.enabled("StrictIPCIDRValidation")):
        yield invalid(path, address, detail)
