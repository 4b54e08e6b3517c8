"""Explanations of failure policies: the consequences of each way in which a Pod of a Job can fail.

No decision is made here. ``failure_outcome`` runs the Job controller's planner on a failed Pod and reports
its decision; the other modules choose the Pods and put the results in order.
"""
