"""Measuring: the protocols of docs/evaluation.md, intervals, calibration, mistakes."""

from holdfast.evaluate.calibration import auroc, brier_score, expected_calibration_error
from holdfast.evaluate.gold_mentions import (
    LenientCase,
    RankedCase,
    StrictCase,
    score_lenient,
    score_ranked,
    score_strict,
)
from holdfast.evaluate.intervals import Estimate
from holdfast.evaluate.mistakes import Mistake, find_mistakes
from holdfast.evaluate.protocols import PROTOCOLS, score_documents
from holdfast.evaluate.report import Report

__all__ = [
    "PROTOCOLS",
    "Estimate",
    "LenientCase",
    "Mistake",
    "RankedCase",
    "Report",
    "StrictCase",
    "auroc",
    "brier_score",
    "expected_calibration_error",
    "find_mistakes",
    "score_documents",
    "score_lenient",
    "score_ranked",
    "score_strict",
]
