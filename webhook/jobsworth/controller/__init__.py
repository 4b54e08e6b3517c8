"""What a Job controller decides: pure functions from a Job, its Pods and the time to a plan."""
