"""Whether the simulated user kept to its part: the validity figures of a run."""
