"""Security contexts of Pods and containers: users, capabilities, profiles (``core/v1``).

Rules on a security context and the rest of its Pod are in :mod:`pod_security`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.declare import (
    Between,
    Boolean,
    Field,
    Int64,
    Later,
    ListOf,
    Pointer,
    String,
    Struct,
)
from jobsworth.api.field_errors import (
    BY_CHARACTERS,
    FieldError,
    duplicate,
    forbidden,
    invalid,
    named_string,
    not_supported,
    required,
    too_long,
)
from jobsworth.api.validation_request import Request
from kube_cel.formats.names import (
    DIGITS,
    LOWER,
    LOWER_ALPHANUMERIC,
    byte_length,
    only,
)

_WINDOWS_OPTIONS = Later("jobsworth.api.core.windows_security", "WindowsSecurityContextOptions")

UserOrGroup = Between(0, 2**31 - 1)
"""The range of Unix user and group IDs."""

PROFILE_TYPES = ("Localhost", "RuntimeDefault", "Unconfined")
PROC_MOUNTS = ("Default", "Unmasked")
SELINUX_CHANGE_POLICIES = ("MountOption", "Recursive")

DISALLOWED = "disallowed by cluster policy"
"""The detail for fields that require a server with ``--allow-privileged``."""
SYS_ADMIN_STAYS_SINCE = 37
"""The first minor version that lets an update keep CAP_SYS_ADMIN without privilege escalation."""
APP_ARMOR_PROFILE_MAX_LENGTH = 4095
"""PATH_MAX of Linux, minus one."""
SYSCTL_MAX_LENGTH = 253
WHITE_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""White space that the API server trims: as :meth:`str.strip`, except U+001C to U+001F."""

_SYSCTL_SEGMENT = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_SYSCTL_PATTERN = rf"^({_SYSCTL_SEGMENT}[\./])*{_SYSCTL_SEGMENT}$"
_SYSCTL_CHARACTERS = LOWER + DIGITS + "-_"


def sysctl_name(text: str) -> list[str]:
    """Validate the name of a kernel parameter; dots or slashes separate its segments."""
    segments = text.replace("/", ".").split(".")
    if byte_length(text) <= SYSCTL_MAX_LENGTH and all(map(_is_sysctl_segment, segments)):
        return []
    return [f"must have at most {SYSCTL_MAX_LENGTH} characters and match regex {_SYSCTL_PATTERN}"]


def _is_sysctl_segment(text: str) -> bool:
    return (
        text != ""
        and text[0] in LOWER_ALPHANUMERIC
        and text[-1] in LOWER_ALPHANUMERIC
        and only(text, _SYSCTL_CHARACTERS)
    )


def descending_path(text: str) -> list[str]:
    """Validate a relative path without ``..`` segments."""
    wrong = ["must be a relative path"] if text.startswith("/") else []
    if ".." in text.split("/"):
        wrong.append("must not contain '..'")
    return wrong


Capabilities = Struct(
    "Capabilities",
    "Linux capabilities to add or drop.",
    add=Field(ListOf(String)),
    drop=Field(ListOf(String)),
)

SELinuxOptions = Struct(
    "SELinuxOptions",
    "The SELinux context of processes and files.",
    user=Field(String),
    role=Field(String),
    type=Field(String),
    level=Field(String),
)

SeccompProfile = Struct(
    "SeccompProfile",
    "The seccomp profile, which filters system calls.",
    type=Field(
        String,
        always=True,
        required="type is required when seccompProfile is set",
        values=(*PROFILE_TYPES, "OCI"),
        values_since={"OCI": "1.38"},
    ),
    localhostProfile=Field(Pointer(String)),
    # While its gate is off the server keeps the field, and does not accept the type that goes with it.
    oci=Field(
        Pointer(Later("jobsworth.api.core.security_profiles", "SecurityProfileOCI")), since="1.38"
    ),
)

AppArmorProfile = Struct(
    "AppArmorProfile",
    "The AppArmor profile that confines the processes.",
    type=Field(
        String,
        always=True,
        since="1.30",
        required="type is required when appArmorProfile is set",
        enum=PROFILE_TYPES,
    ),
    localhostProfile=Field(Pointer(String), since="1.30"),
)

SecurityContext = Struct(
    "SecurityContext",
    "Security settings of a container; they override those of the Pod.",
    capabilities=Field(Pointer(Capabilities)),
    privileged=Field(Pointer(Boolean)),
    seLinuxOptions=Field(Pointer(SELinuxOptions)),
    windowsOptions=Field(Pointer(_WINDOWS_OPTIONS)),
    runAsUser=Field(Pointer(Int64), bounds=UserOrGroup),
    runAsGroup=Field(Pointer(Int64), bounds=UserOrGroup),
    runAsNonRoot=Field(Pointer(Boolean)),
    readOnlyRootFilesystem=Field(Pointer(Boolean)),
    allowPrivilegeEscalation=Field(Pointer(Boolean)),
    procMount=Field(Pointer(String), enum=PROC_MOUNTS, value_gate="ProcMountType"),
    seccompProfile=Field(Pointer(SeccompProfile)),
    appArmorProfile=Field(Pointer(AppArmorProfile), since="1.30", gate="AppArmorFields"),
)

Sysctl = Struct(
    "Sysctl",
    "A kernel parameter of the Pod's namespaces.",
    name=Field(String, always=True, required=True, format=sysctl_name),
    value=Field(String, always=True),
)

PodSecurityContext = Struct(
    "PodSecurityContext",
    "Security settings of all containers; those of a container override them.",
    seLinuxOptions=Field(Pointer(SELinuxOptions)),
    windowsOptions=Field(Pointer(_WINDOWS_OPTIONS)),
    runAsUser=Field(Pointer(Int64), bounds=UserOrGroup),
    runAsGroup=Field(Pointer(Int64), bounds=UserOrGroup),
    runAsNonRoot=Field(Pointer(Boolean)),
    supplementalGroups=Field(ListOf(Int64), bounds=UserOrGroup, keep_empty=True),
    supplementalGroupsPolicy=Field(
        Pointer(String),
        since="1.31",
        gate="SupplementalGroupsPolicy",
        enum=("Merge", "Strict"),
    ),
    fsGroup=Field(Pointer(Int64), bounds=UserOrGroup),
    sysctls=Field(ListOf(Sysctl)),
    fsGroupChangePolicy=Field(Pointer(String), enum=("Always", "OnRootMismatch")),
    seccompProfile=Field(Pointer(SeccompProfile)),
    appArmorProfile=Field(Pointer(AppArmorProfile), since="1.30", gate="AppArmorFields"),
    seLinuxChangePolicy=Field(
        Pointer(String),
        since="1.32",
        gate="SELinuxChangePolicy",
        values=SELINUX_CHANGE_POLICIES,
    ),
)


def seccomp_profile(holder: dict[str, Any]) -> dict[str, Any]:
    """Return the seccomp profile of a Pod or a container; empty if it has none."""
    profile: dict[str, Any] = holder.get("securityContext", {}).get("seccompProfile", {})
    return profile


def oci_profiles_are_admitted(request: Request) -> bool:
    """Return True if profiles of a registry may be used, or if the stored Pod has such a profile."""
    return request.server.minor >= 38 and (
        request.enabled("SecurityProfileOCI") or request.once(_stored_has_oci_profiles)
    )


def _stored_has_oci_profiles(request: Request) -> bool:
    pod = request.old_pod or {}
    fields = ("initContainers", "containers", "ephemeralContainers")
    holders = [pod, *(container for field in fields for container in pod.get(field, ()))]
    return any(seccomp_profile(holder).get("type") == "OCI" for holder in holders)


@SeccompProfile.rule
def _seccomp_profile_of_the_node(
    profile: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    name, at, kind = (
        profile.get("localhostProfile"),
        f"{path}.localhostProfile",
        profile.get("type"),
    )
    if kind and kind not in PROFILE_TYPES:
        admitted = oci_profiles_are_admitted(request)
        if kind != "OCI" or not admitted:
            known = (*PROFILE_TYPES, "OCI") if admitted else PROFILE_TYPES
            yield not_supported(f"{path}.type", kind, known, rule="type.enum")
    if kind != "Localhost":
        if name is not None:
            yield invalid(at, profile, "can only be set when seccomp type is Localhost")
    elif name is None:
        yield required(at, "must be set when seccomp type is Localhost")
    else:
        for detail in descending_path(name):
            yield invalid(at, name, detail)


@SeccompProfile.rule
def _seccomp_profile_of_a_registry(
    profile: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    is_oci, at = profile.get("type") == "OCI", f"{path}.oci"
    if "oci" in profile and not is_oci:
        yield invalid(at, "", 'may only be specified when `type` is "OCI"')
    elif is_oci and "oci" not in profile and request.server.minor >= 38:
        yield invalid(at, "", 'must be specified when `type` is "OCI"')


@AppArmorProfile.rule
def _app_armor_profile_of_the_node(
    profile: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    kind, name = profile.get("type"), profile.get("localhostProfile")
    at = f"{path}.localhostProfile"
    if kind == "Localhost":
        if not name:
            yield required(at, "must be set when AppArmor type is Localhost")
            return
        if name.strip(WHITE_SPACE) != name:
            yield invalid(at, name, "must not be padded with whitespace")
        if byte_length(name) > APP_ARMOR_PROFILE_MAX_LENGTH:
            yield too_long(at, APP_ARMOR_PROFILE_MAX_LENGTH, former=BY_CHARACTERS)
    elif kind in PROFILE_TYPES and name is not None:
        yield invalid(at, named_string(name), "can only be set when AppArmor type is Localhost")


@SecurityContext.defaulter
def _proc_mount_without_its_gate(context: dict[str, Any], request: Request) -> None:
    # Reset, not dropped: Kubernetes 1.12 defaulted the field, so stored objects have it.
    if "procMount" in context and not request.enabled("ProcMountType"):
        context["procMount"] = "Default"


@SecurityContext.rule
def _privileged_containers_are_allowed(
    context: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    if context.get("privileged") and not request.server.allow_privileged:
        yield forbidden(f"{path}.privileged", DISALLOWED)


def _adds_sys_admin(context: dict[str, Any]) -> bool:
    return "CAP_SYS_ADMIN" in context.get("capabilities", {}).get("add", ())


def _stored_adds_sys_admin(request: Request) -> bool:
    pod = request.old_pod or {}
    contexts = (
        container.get("securityContext", {})
        for field in ("initContainers", "containers")
        for container in pod.get(field, ())
    )
    return any(
        _adds_sys_admin(context) and not context.get("allowPrivilegeEscalation")
        for context in contexts
    )


@SecurityContext.rule
def _privileges_are_consistent(
    context: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    if context.get("allowPrivilegeEscalation") is not False:
        return
    if context.get("privileged"):
        yield invalid(
            path, context, "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"
        )
    if _adds_sys_admin(context) and not (
        request.server.minor >= SYS_ADMIN_STAYS_SINCE and request.once(_stored_adds_sys_admin)
    ):
        yield invalid(
            path,
            context,
            "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN",
        )


@PodSecurityContext.rule_about("sysctls")
def _sysctls_are_named_once(
    context: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    seen = set()
    for index, sysctl in enumerate(context["sysctls"]):
        name = sysctl.get("name", "")
        if name in seen and not sysctl_name(name):
            yield duplicate(f"{path}.sysctls[{index}].name", name)
        seen.add(name)
