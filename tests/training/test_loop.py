"""The one training loop: what it learns, how it goes on, and what several processes give."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import numpy as np  # noqa: E402

from holdfast.errors import UsageError  # noqa: E402
from holdfast.training.history import read_history  # noqa: E402
from holdfast.training.loop import (  # noqa: E402
    BEST,
    LoopConfig,
    Loss,
    best_entry,
    learning_rate,
    split_config,
    train,
)
from training.loop_task import CONFIG, LineTask, silent  # noqa: E402


def _weights(task: LineTask) -> list[float]:
    return [*task.model.weight.flatten().tolist(), *task.model.bias.tolist()]


def test_a_line_is_learned_and_told(tmp_path: Path) -> None:
    task, lines = LineTask(), list[str]()
    history = train(task, CONFIG, folder=tmp_path, report=lines.append)
    assert _weights(task) == pytest.approx([2.0, -1.0, 0.5], abs=0.05)
    assert history[-1]["loss"] < history[0]["loss"] / 10
    assert [entry["step"] for entry in history] == list(range(10, 201, 10))
    assert read_history(tmp_path) == list(history)
    assert "<svg" in (tmp_path / "history.svg").read_text("utf-8")
    assert lines[0].startswith("step 10 of 200  loss ")
    assert lines[0].endswith("left")


def test_a_slow_run_says_how_long_it_takes_between_reports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.training.run.SILENCE", 0.0)
    lines = list[str]()
    config = replace(CONFIG, report_every=0)
    history = train(LineTask(), config, folder=tmp_path, report=lines.append)
    assert [entry["step"] for entry in history] == [200]
    assert [line.split("  ")[0] for line in lines[:2]] == ["step 1 of 200", "step 2 of 200"]
    assert all(line.endswith(" left") for line in lines)


def test_a_run_that_was_stopped_goes_on_exactly(tmp_path: Path) -> None:
    whole = LineTask(dropout=0.5)
    train(whole, CONFIG, folder=tmp_path / "whole", report=silent)
    first = LineTask(dropout=0.5, fails_at=123)
    with pytest.raises(RuntimeError, match="the power went"):
        train(first, CONFIG, folder=tmp_path / "cut", report=silent)
    lines = list[str]()
    again = LineTask(dropout=0.5)
    history = train(again, CONFIG, folder=tmp_path / "cut", report=lines.append)
    assert lines[0] == "going on from step 120"
    assert _weights(again) == _weights(whole)
    assert [e["step"] for e in history] == list(range(10, 201, 10))
    assert history == tuple(
        {**e, "seconds": pytest.approx(e["seconds"], abs=60)}
        for e in read_history(tmp_path / "whole")
    )


def test_what_a_task_keeps_beside_its_model_is_kept_too(tmp_path: Path) -> None:
    first = LineTask(fails_at=123)
    with pytest.raises(RuntimeError):
        train(first, CONFIG, folder=tmp_path, report=silent)
    again = LineTask()
    train(again, CONFIG, folder=tmp_path, report=silent)
    assert int(again.steps_seen) == 201  # before the first, and after each


def test_the_best_weights_on_dev_are_kept(tmp_path: Path) -> None:
    scores = iter([0.1, 0.9, 0.3, 0.9, 0.2])
    seen = list[list[float]]()

    class Judged(LineTask):
        selected_by = "f1"

        def evaluate(self) -> Mapping[str, float]:
            seen.append(_weights(self))
            return {"f1": next(scores)}

    task = Judged()
    config = replace(CONFIG, evaluate_every=40, report_every=0)
    history = train(task, config, folder=tmp_path, report=silent)
    assert _weights(task) == seen[3]  # of equal ones the later
    assert best_entry(history, "f1")["step"] == 160
    assert (tmp_path / BEST).exists()


def test_evaluation_sees_a_model_that_evaluates_and_may_come_before_the_first_step(
    tmp_path: Path,
) -> None:
    modes = list[bool]()

    class Judged(LineTask):
        def evaluate(self) -> Mapping[str, float]:
            modes.append(self.model.training)
            return {"f1": 0.5}

    config = replace(CONFIG, steps=4, evaluate_every=2, evaluate_first=True, report_every=0)
    history = train(Judged(), config, folder=tmp_path, report=silent)
    assert modes == [False] * 3
    assert [entry["step"] for entry in history] == [0, 2, 4]
    assert "loss" not in history[0]


def test_accumulated_parts_give_what_the_whole_batch_gives(tmp_path: Path) -> None:
    whole, parts = LineTask(), LineTask()
    train(whole, CONFIG, folder=tmp_path / "whole", report=silent)
    config = replace(CONFIG, accumulate=3)  # 8 examples: parts of 3, 3 and 2
    train(parts, config, folder=tmp_path / "parts", report=silent)
    assert _weights(parts) == pytest.approx(_weights(whole), abs=1e-5)


def test_two_processes_give_what_one_gives_with_twice_the_batch(tmp_path: Path) -> None:
    alone = LineTask()
    train(alone, replace(CONFIG, batch=16), folder=tmp_path / "alone", report=silent)
    script = Path(__file__).with_name("loop_task.py")
    launch = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2"]
    launch += ["--rdzv-backend=c10d", "--rdzv-endpoint=localhost:0"]
    # Processes that die on a loaded machine are started again and go on from the checkpoint.
    launch += ["--max-restarts=2", str(script)]
    done = subprocess.run(
        [*launch, str(tmp_path / "two")],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads((tmp_path / "two" / "weights.json").read_text("utf-8"))
    assert found == pytest.approx(_weights(alone), abs=1e-5)
    steps = [entry["step"] for entry in read_history(tmp_path / "two")]
    assert steps == list(range(10, 201, 10))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_the_step_and_leaves_a_checkpoint(tmp_path: Path, number: int) -> None:
    class Interrupted(LineTask):
        def refresh(self, done: int) -> None:
            super().refresh(done)
            if done == 6:
                os.kill(os.getpid(), number)

    handler = signal.getsignal(number)
    with pytest.raises(KeyboardInterrupt):
        train(Interrupted(), CONFIG, folder=tmp_path, report=silent)
    assert signal.getsignal(number) is handler
    lines, again, whole = list[str](), LineTask(), LineTask()
    train(again, CONFIG, folder=tmp_path, report=lines.append)
    assert lines[0] == "going on from step 6"
    train(whole, CONFIG, folder=tmp_path / "whole", report=silent)
    assert _weights(again) == _weights(whole)


def test_a_trainers_settings_are_split_by_the_names_of_the_loops() -> None:
    @dataclass(frozen=True)
    class Own:
        steps: int = 7
        seed: int = 3
        head_rate: float = 0.5

    loop, own = split_config(Own())
    assert loop == LoopConfig(steps=7, seed=3)
    assert own == {"head_rate": 0.5}


def test_another_run_is_not_gone_on_from(tmp_path: Path) -> None:
    train(LineTask(), replace(CONFIG, steps=3), folder=tmp_path, report=silent)
    with pytest.raises(UsageError, match=r"other settings \(batch, start\)"):
        train(
            LineTask(),
            replace(CONFIG, batch=4),
            folder=tmp_path,
            about={"start": "other"},
            report=silent,
        )


def test_rates_rise_then_fall_to_zero() -> None:
    rates = [learning_rate(step, 100, warm_up=0.1) for step in range(101)]
    assert rates[0] == pytest.approx(0.1)
    assert rates[9] == max(rates) == 1.0
    assert rates[100] == 0.0
    assert np.all(np.diff(rates[:10]) > 0)
    assert np.all(np.diff(rates[10:]) < 0)
    assert learning_rate(0, 1, warm_up=0.0) == 1.0


def test_groups_have_their_own_rates_and_clipping_bounds_a_step(tmp_path: Path) -> None:
    frozen = LineTask(bias_rate=0.0)
    before = frozen.model.bias.item()
    train(frozen, CONFIG, folder=tmp_path / "a", report=silent)
    assert frozen.model.bias.item() == before
    norms = list[float]()

    class Watched(LineTask):
        def refresh(self, done: int) -> None:
            super().refresh(done)
            found = [p.grad.norm() for p in self.model.parameters() if p.grad is not None]
            norms.extend([float(torch.stack(found).norm())] if found else [])

    train(Watched(), replace(CONFIG, clip=0.01), folder=tmp_path / "b", report=silent)
    assert norms
    assert max(norms) <= 0.0101


def test_a_step_without_anything_to_learn_changes_nothing(tmp_path: Path) -> None:
    class Empty(LineTask):
        def loss(self, _examples: Sequence[Any]) -> Loss:
            return Loss(torch.zeros(()), 0.0)

    task = Empty()
    before = _weights(task)
    history = train(task, replace(CONFIG, steps=10), folder=tmp_path, report=silent)
    assert _weights(task) == before
    assert history[-1]["loss"] == 0.0
