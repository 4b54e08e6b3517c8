"""The planner in virtual time against simulated Pods: scenarios, runs and statistics."""
