"""What vulture takes for unused code, by the reason for which it is not."""

# ruff: noqa: F821, B018
# A library, or Python, calls the method or reads the attribute.
_.merge_slashes  # werkzeug
_.stdio  # an option without effect, which editors pass
_.ValueClass  # prometheus-client
_.unraisablehook  # sys
_.parameter  # click: a parameter of a callback
_.get_command  # click
pytest_assertrepr_compare  # pytest
_.connection_pool_maxsize  # the kubernetes package
_.keep_alive  # the kubernetes package
_.disabled  # logging
_.brace_single_entry_mapping_in_flow_sequence  # ruamel.yaml
_.object_hook  # json: read by its C scanner, likewise the next four
_.object_pairs_hook
_.parse_int
_.parse_constant
_.memo
_.descend_resolver  # PyYAML: called by its C parser, likewise the next one
_.ascend_resolver
_.ignore_aliases  # PyYAML
_.next_possible_simple_key  # PyYAML
_.protocol_version  # http.server, likewise the next three
_.do_GET
_.log_message
_.daemon_threads
_.send_400_response  # uvicorn, likewise the next two
_.capture_signals
_.should_exit
_.num_tickets  # ssl
_.handle_exit  # gunicorn and uvicorn, likewise the next two
_.sig
_.load_config

# Found by name: Later("module", "name") imports the type of a field, decoding a format, the command line
# a command.
_.PodFailurePolicy
_.QueueObject
_.SuccessPolicy
_.Affinity
_.Lifecycle
_.PodSchedulingGate
_.WorkloadReference
_.ContainerPort
_.WindowsSecurityContextOptions
_.rfc3339
_.rfc3339_micro
_.canonical_micro
_.GENERATE
_.MANAGE

# Named only in annotations that are text.
_.Type
_.WSGIEnvironment

# Formats of Kubernetes that are tested against its source, and that no field of a Job has.
_.ip
_.cidr
_.c_identifier
_.fully_qualified_name
_.fully_qualified_domain_name
_.wildcard_dns_subdomain

# Options of RE2.
_.log_errors
_.max_mem
_.never_capture

# Named in a setting of uvicorn, which calls its methods, or read by asyncio.
_.EventLoop
_.backlog
_.wait_closed
_.max_size

# Called by click.
_.format_options

# Read by tests: the keywords that the checker knows, the handlers of a reconciler.
_.KEYWORDS
_.event_handlers

# A column of a table that is written as a whole.
_.completion_index

# The enum machinery reads it.
_._value_

# The hook of Python for warnings, which cli/__init__.py sets.
_.showwarning

# Attributes that click reads.
_.context_class
_.formatter_class
