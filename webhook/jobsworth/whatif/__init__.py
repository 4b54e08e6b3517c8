"""The Job controller's planner on virtual or recorded time: explanations, simulations, replays, timelines."""
