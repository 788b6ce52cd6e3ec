"""How a batch is split over threads."""

from skstruct.kernels._threads import chunks, run_chunks

__all__ = ["chunks", "run_chunks"]
