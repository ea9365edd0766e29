"""A job on a Ray cluster of several node processes, one of which is killed in the middle.

    python tests/ray_cluster_job.py FOLDER

FOLDER has `kb`, `docs.jsonl` and the model of `deadly_steps`, and gets `out`. A document that says
"await" blocks its worker until the node that it is on is killed.
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from typing import Any

os.environ.setdefault("RAY_raylet_start_wait_time_s", "300")  # a busy machine starts nodes slowly

import ray
from ray.cluster_utils import Cluster

import deadly_steps
from holdfast.batch.run import BatchRequest, run_annotate
from holdfast.batch.settings import Linking

TESTS = Path(__file__).parent
NODES = 3


def main(folder: Path) -> None:
    deadly_steps.register()
    cluster = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False}
    )
    nodes = [cluster.add_node(num_cpus=1) for _ in range(NODES)]
    path = os.pathsep.join([str(TESTS), *filter(None, sys.path)])
    ray.init(
        address=cluster.address,
        log_to_driver=False,
        runtime_env={
            "env_vars": {"PYTHONPATH": path},
            "worker_process_setup_hook": "deadly_steps.register",
        },
    )
    request = BatchRequest(
        inputs=(str(folder / "docs.jsonl"),),
        out=str(folder / "out"),
        format="jsonl",
        linking=Linking(kb=str(folder / "kb"), model=str(folder / "models/deadly-model")),
        documents_per_shard=4,
        engine="ray",
    )
    killer = threading.Thread(target=kill_node, args=(cluster, nodes, folder), daemon=True)
    killer.start()
    try:
        run_annotate(request)
    finally:
        ray.shutdown()
        cluster.shutdown()


def kill_node(cluster: Cluster, nodes: list[Any], folder: Path) -> None:
    """Kill the node whose name comes through the pipe."""
    where = (folder / "models/deadly-step/where").read_text("utf-8")  # blocks until it is told
    (doomed,) = [node for node in nodes if node.node_id == where]
    cluster.remove_node(doomed, allow_graceful=False)
    print(f"killed {where}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
