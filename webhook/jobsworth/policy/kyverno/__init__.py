"""Policies of Kyverno as JobPolicies: what they demand of Jobs, and of the Pods of Jobs."""
