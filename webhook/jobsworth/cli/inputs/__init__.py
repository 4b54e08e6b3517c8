"""Inputs of commands: changed files, mixed repositories, policies and baselines."""
