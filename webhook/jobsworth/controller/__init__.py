"""The decisions of the Job controller: pure functions from a Job, its Pods and the time to a plan."""
