"""Ten policies with defaults for Pods, as platform teams ask for them; the last are several policies together."""

from __future__ import annotations

from typing import Any

from support.policy.policy_requests import document


def _env(when: str = "ifUnset", **values: str) -> dict[str, Any]:
    return {"value": [{"name": name, "value": text} for name, text in values.items()], "when": when}


POD_POLICIES: list[list[dict[str, Any]]] = [
    [
        document(
            defaults={
                "pod": {
                    "labels": {"team": {"value": "green"}},
                    "annotations": {
                        "karpenter.sh/do-not-disrupt": {"value": "true"},
                        "team": {"value": "green"},
                    },
                }
            }
        )
    ],
    [
        document(
            defaults={
                "pod": {
                    "nodeSelector": {
                        "team": {"value": "batch"},
                        "example.com/tier": {"value": "spot", "when": "always"},
                    },
                    "tolerations": {
                        "value": [
                            {"key": "gpu", "operator": "Exists", "effect": "NoSchedule"},
                            {"key": "spot", "operator": "Exists"},
                            {"key": "gpu", "value": "yes"},
                        ]
                    },
                }
            }
        )
    ],
    [
        document(
            defaults={
                "pod": {
                    "tolerations": {
                        "value": [
                            {
                                "key": "gpu",
                                "operator": "Exists",
                                "effect": "NoExecute",
                                "tolerationSeconds": 60,
                            }
                        ],
                        "when": "always",
                    },
                    "priorityClassName": {"value": "low"},
                }
            }
        )
    ],
    [
        document(
            defaults={
                "pod": {
                    "affinity": {
                        "value": {
                            "nodeAffinity": {
                                "requiredDuringSchedulingIgnoredDuringExecution": {
                                    "nodeSelectorTerms": [
                                        {
                                            "matchExpressions": [
                                                {
                                                    "key": "pool",
                                                    "operator": "In",
                                                    "values": ["batch"],
                                                }
                                            ]
                                        }
                                    ]
                                }
                            },
                            "podAntiAffinity": {
                                "preferredDuringSchedulingIgnoredDuringExecution": [
                                    {"weight": 7, "podAffinityTerm": {"topologyKey": "host"}}
                                ]
                            },
                        }
                    },
                    "schedulerName": {"value": "batch", "when": "always"},
                }
            }
        )
    ],
    [
        document(
            defaults={
                "pod": {
                    "securityContext": {
                        "value": {
                            "runAsNonRoot": True,
                            "runAsUser": 1000,
                            "seccompProfile": {"type": "RuntimeDefault"},
                        }
                    },
                    "containers": {
                        "*": {
                            "securityContext": {
                                "value": {
                                    "allowPrivilegeEscalation": False,
                                    "readOnlyRootFilesystem": True,
                                    "capabilities": {"drop": ["ALL"]},
                                }
                            }
                        }
                    },
                    "initContainers": {
                        "*": {
                            "securityContext": {
                                "value": {"capabilities": {"drop": ["ALL"], "add": ["CHOWN"]}}
                            }
                        }
                    },
                }
            }
        )
    ],
    [
        document(
            defaults={
                "pod": {
                    "containers": {
                        "*": {
                            "resources": {
                                "value": {
                                    "requests": {"cpu": "250m", "memory": "128Mi"},
                                    "limits": {"cpu": "750m", "memory": "512Mi"},
                                }
                            }
                        }
                    }
                }
            }
        )
    ],
    [
        document(
            defaults={
                "pod": {
                    "serviceAccountName": {"value": "jobs"},
                    "automountServiceAccountToken": {"value": False},
                    "terminationGracePeriodSeconds": {"value": 60, "when": "always"},
                    "containers": {
                        "*": {"env": _env(A="all", B="all")},
                        "main": {"env": _env(A="named", D="named")},
                        "l*": {"env": _env("always", B="pattern")},
                    },
                }
            }
        )
    ],
    [
        document(
            defaults={
                "labels": {"team": {"value": "green", "when": "always"}, "a/b": {"value": "c"}},
                "annotations": {"example.com/x_y": {"value": 'quoted "text"'}},
                "ttlSecondsAfterFinished": {"value": 3600},
                "activeDeadlineSeconds": {"value": 7200},
                "pod": {"annotations": {"team": {"value": "green", "when": "always"}}},
            }
        )
    ],
    [
        document(
            "one",
            priority=5,
            defaults={
                "pod": {
                    "nodeSelector": {"team": {"value": "first"}},
                    "labels": {"team": {"value": "first", "when": "always"}},
                }
            },
        ),
        document(
            "two",
            defaults={
                "pod": {
                    "nodeSelector": {"team": {"value": "second"}, "pool": {"value": "second"}},
                    "containers": {"*": {"env": _env(A="two")}},
                }
            },
        ),
    ],
    [
        document(
            "one",
            defaults={
                "pod": {
                    "containers": {
                        "*": {
                            "resources": {
                                "value": {"limits": {"memory": "2Gi"}},
                                "when": "always",
                            }
                        }
                    }
                }
            },
        ),
        document(
            "two",
            defaults={
                "pod": {
                    "containers": {
                        "main": {
                            "resources": {"value": {"requests": {"memory": "1Gi", "cpu": "1"}}},
                            "env": {
                                "value": [
                                    {
                                        "name": "NODE",
                                        "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}},
                                    }
                                ]
                            },
                        }
                    }
                }
            },
        ),
    ],
]
