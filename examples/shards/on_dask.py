"""A review whose pieces are made by the workers of a Dask cluster.

    pip install 'dp-audit[dask]'
    python examples/shards/on_dask.py examples/challenge --workers 4 --out challenge-review

This starts a cluster on this machine. A cluster of several machines is started by dask-jobqueue,
dask-kubernetes, or `dask scheduler` and `dask worker tcp://HOST:8786`; then the command alone does:
``dp-audit review examples/challenge --cluster tcp://HOST:8786``. All workers must see the folder of
the review under the same path, and have the same version of dp-audit.
"""

from __future__ import annotations

import argparse
import sys

import distributed

from dp_audit import review


def main() -> int:
    """Review a folder of submissions, and print how they stand."""
    options = argparse.ArgumentParser(description="Review submissions by a Dask cluster.")
    options.add_argument("path")
    options.add_argument("--out", required=True)
    options.add_argument("--stage", default="prescreen")
    options.add_argument("--seed", type=int)
    options.add_argument("--workers", type=int, default=2)
    chosen = options.parse_args()
    with distributed.LocalCluster(
        n_workers=chosen.workers, threads_per_worker=1, dashboard_address=":0"
    ) as cluster:
        result = review(
            chosen.path,
            out=chosen.out,
            stage=chosen.stage,
            seed=chosen.seed,
            cluster=cluster.scheduler_address,
        )
    print(result)
    return result.exit_code


# The workers are new processes, which read this file.
if __name__ == "__main__":
    sys.exit(main())
