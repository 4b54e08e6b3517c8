"""The Job controller's planner on virtual or recorded time: explanations, simulations, diagnoses.

A run has two forms. A :class:`~jobsworth.runs.recorded.recording.Recording` is what is known of a Job at a
time, whether a cluster, a file or a simulation has it: diagnoses, comparisons, health and waits read it. A
:class:`~jobsworth.runs.run_record.RunRecord` is what happened over time: timelines, charts and statistics
show it. :mod:`jobsworth.runs.why.run_forms` turns one into the other.
"""
