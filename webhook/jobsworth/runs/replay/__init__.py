"""Replays of Jobs: what happened to a recorded Job, by which rule, and what another failure policy would do.

A recording is the Job, its Pods and its Events, from a cluster or from files. Nothing is decided here, and
nothing is invented: ``planner_replay`` gives the recorded facts to the Job controller's planner in the order
of time, and what the recording does not show is reported as unknown.
"""
