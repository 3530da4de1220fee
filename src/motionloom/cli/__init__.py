"""The command line: each command parses, calls one library function, and writes."""

import gc
import os

BLAS_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def main() -> None:
    """Run the `motionloom` command.

    Linear algebra runs on one thread, unless the environment states another number: our matrices are small, so more
    threads take longer, and sums are rounded in the same order on every machine.
    """
    for name in BLAS_THREADS:
        os.environ.setdefault(name, "1")  # before NumPy is imported
    try:
        from motionloom.cli.app import app

        app()
    except KeyboardInterrupt:  # while it was still being imported
        raise SystemExit(130) from None
    finally:
        gc.freeze()  # else Python searches for cycles once more at its exit: 0.2 s after learning textons
