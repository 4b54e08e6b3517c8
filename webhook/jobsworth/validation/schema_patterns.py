"""The formats of strings as regular expressions, for JSON Schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.api.formats import keys, names

if TYPE_CHECKING:
    from jobsworth.api.declare import Format

PATTERNS: dict[Format, tuple[str, int | None]] = {
    names.dns_label: (names.DNS_LABEL_PATTERN, names.DNS_LABEL_MAX_LENGTH),
    names.dns_subdomain: (names.DNS_SUBDOMAIN_PATTERN, names.DNS_SUBDOMAIN_MAX_LENGTH),
    names.dns_1035_label: (names.DNS_1035_LABEL_PATTERN, names.DNS_LABEL_MAX_LENGTH),
    names.label_value: (names.LABEL_VALUE_PATTERN, names.LABEL_VALUE_MAX_LENGTH),
    names.label_key: (f"({names.DNS_SUBDOMAIN_PATTERN}/)?{names.LABEL_KEY_PATTERN}", 317),
    keys.config_map_key: ("[-._a-zA-Z0-9]+", names.DNS_SUBDOMAIN_MAX_LENGTH),
    keys.port_name: ("[a-z0-9]([-a-z0-9]*[a-z0-9])?", 15),
    keys.relaxed_env_var_name: ("[ -<>-~]+", None),
}
"""The regular expression (unanchored) and the maximum length of each format."""
