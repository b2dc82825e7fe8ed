"""Pictures of positions and of counts, as SVG that needs nothing else."""
