"""One publish and nothing else."""
