"""Expected against actual runs: what became of the scheduled times of CronJobs, and which Jobs are stuck
or have failed.

Everything is derived from what an API server stores: Jobs, Pods, Events, statuses. What history limits, a TTL
or an edit have removed from it is reported as unknown.
"""
