"""Networks on onnxruntime, all opened in the same way."""

from __future__ import annotations

import os
from pathlib import Path

import onnxruntime


def open_session(path: Path, *, threads: int | None = None) -> onnxruntime.InferenceSession:
    """The network of an ONNX file, on the processor. `threads`; None: as many as there are cores.

    A broken file raises bare exceptions of many types: who knows what it is for says what to do.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or 0
    # Threads that wait for the next batch must leave the cores to others.
    options.add_session_config_entry("session.force_spinning_stop", "1")
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def cores() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
