"""A run that was stopped goes on, and only as the same run."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from holdfast.errors import UsageError  # noqa: E402
from holdfast.training.checkpoint import TrainingState, resume, save_checkpoint  # noqa: E402

CONFIG = {"steps": 4, "rate": 0.1, "kinds": ("a", "b"), "start": "other"}


def silent(_: str) -> None:
    pass


def test_a_run_goes_on_longer_but_not_as_another(tmp_path: Path) -> None:
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.AdamW(model.parameters())
    save_checkpoint(
        tmp_path / "run", model, optimizer, progress=TrainingState(step=4), config=CONFIG
    )
    longer = {**CONFIG, "steps": 8, "threads": 2}
    found = resume(tmp_path / "run", model, optimizer, config=longer, report=silent)
    assert found.progress.step == 4
    changed = {**CONFIG, "rate": 0.2, "start": ""}
    with pytest.raises(UsageError, match=r"other settings \(rate, start\); delete it"):
        resume(tmp_path / "run", model, optimizer, config=changed, report=silent)
    fewer = {key: CONFIG[key] for key in CONFIG if key != "start"}
    with pytest.raises(UsageError, match=r"other settings \(start\)"):
        resume(tmp_path / "run", model, optimizer, config=fewer, report=silent)
    with pytest.raises(UsageError, match="a longer run than is asked for"):
        resume(tmp_path / "run", model, optimizer, config={**CONFIG, "steps": 3}, report=silent)
    with pytest.raises(UsageError, match=r"other settings \(dropout\)"):
        resume(tmp_path / "run", model, optimizer, config={**CONFIG, "dropout": 0}, report=silent)
    nothing = resume(tmp_path / "no", model, optimizer, config=CONFIG, report=silent)
    assert nothing.progress == TrainingState()
