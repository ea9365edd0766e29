"""Networks on onnxruntime, all opened in the same way."""

from __future__ import annotations

from pathlib import Path

import onnxruntime


def open_session(
    path: Path, *, threads: int | None = None, arena: bool | None = None
) -> onnxruntime.InferenceSession:
    """The network of an ONNX file, on the processor. `threads`; None: as many as there are cores.

    `arena`: whether memory is kept from one run to the next. By default it is not kept with one
    thread: who asks for that runs many processes, and each would keep what its longest text took.

    A broken file raises bare exceptions of many types: who knows what it is for says what to do.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or 0
    options.enable_cpu_mem_arena = threads != 1 if arena is None else arena
    # Threads that wait for the next batch must leave the cores to others.
    options.add_session_config_entry("session.force_spinning_stop", "1")
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
