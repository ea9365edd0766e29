"""Probes a model: queries about triples that were seen and that were held out, answers, recall."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor

from holdfast.encoders.tokens import TokenReader
from holdfast.errors import UsageError
from holdfast.evaluate.kebiolm.probing import Answered, score_probing
from holdfast.evaluate.report import Report
from holdfast.kb.store import KnowledgeBase
from holdfast.progress import Progress
from holdfast.systems.kebiolm.knowledge.queries import ClozeQuery, draw_queries, is_within
from holdfast.systems.kebiolm.knowledge.triples import SplitTriples
from holdfast.systems.kebiolm.knowledge.vectors import KnowledgeVectors
from holdfast.systems.kebiolm.training.pretraining.saved import Knowledge
from holdfast.systems.kebiolm.training.probing.decode import Filled, MaskedSequence, decode
from holdfast.text.tokens import key_of
from holdfast.training.precision import Precision, computed_in

SEEN: Final = "seen"
HELD_OUT: Final = "held_out"


@dataclass(frozen=True, slots=True)
class KnowledgeProbeConfig:
    """How the model is asked."""

    most: int = 200  # queries of a relation, of seen and of held-out triples each
    masks: int = 10  # tokens of an answer at most
    beam: int = 5
    seed: int = 0
    relations: tuple[str, ...] = ()  # those that are asked about; all by default
    precision: Precision = "float32"  # bfloat16: faster where the processor has it


class MaskFiller:
    """Log-probabilities of masked tokens, by the whole network."""

    def __init__(self, knowledge: Knowledge) -> None:
        mask = knowledge.tokenizer.token_to_id("[MASK]")
        if mask is None:
            raise UsageError("the model's tokenizer has no [MASK], so it cannot be probed")
        self.reader = TokenReader.of(knowledge.tokenizer)
        self.mask = mask
        self._model = knowledge.model.eval()

    def __call__(
        self, sequences: Sequence[Sequence[int]], places: Sequence[Sequence[int]]
    ) -> Sequence[Tensor]:
        lengths = torch.tensor([len(own) for own in sequences])
        begins = torch.cumsum(lengths, 0) - lengths
        tokens = torch.tensor([token for own in sequences for token in own])
        with torch.inference_mode():
            states = self._model(tokens, lengths).tokens
            asked = torch.tensor(
                [
                    int(begin) + place
                    for begin, own in zip(begins, places, strict=True)
                    for place in own
                ]
            )
            rows = self._model.vocabulary_logits(states[asked]).log_softmax(dim=1)
        return rows.split([len(own) for own in places])

    def gaps(self, query: ClozeQuery, masks: int) -> list[MaskedSequence]:
        """The query with one to so many masks."""
        before = self.reader.read(query.before).ids.tolist()
        after = self.reader.read(query.after).ids.tolist()
        return [
            MaskedSequence(
                (*before, *[self.mask] * count, *after),
                tuple(range(len(before), len(before) + count)),
            )
            for count in range(1, masks + 1)
        ]


def answer(
    query: ClozeQuery, filler: MaskFiller, knowledge: Knowledge, config: KnowledgeProbeConfig
) -> list[str]:
    """What the model fills in, of any length, the most probable per token first."""
    gaps = filler.gaps(query, config.masks)
    found = decode(gaps, filler, beam=config.beam)
    filled = list[tuple[float, str]]()
    for gap, own in zip(gaps, found, strict=True):
        for one in own:
            filled.append((one.score / len(gap.places), _words(one, gap, knowledge)))
    return list(dict.fromkeys(text for _, text in sorted(filled, reverse=True)))


def _words(filled: Filled, gap: MaskedSequence, knowledge: Knowledge) -> str:
    ids = [filled.tokens[place] for place in gap.places]
    pieces = [knowledge.tokenizer.id_to_token(id) or "" for id in ids]
    return " ".join(pieces).replace(" ##", "").removeprefix("##")


def queries_to_ask(
    split: SplitTriples, kb: KnowledgeBase, config: KnowledgeProbeConfig
) -> Iterator[tuple[str, ClozeQuery]]:
    """Queries about seen triples, then about held-out ones; each is answered by its own part."""
    held_out = replace(split.dev, rows=np.concatenate([split.dev.rows, split.test.rows]))
    for part, triples in ((SEEN, split.train), (HELD_OUT, held_out)):
        for query in draw_queries(triples, [triples], kb, most=config.most, seed=config.seed):
            if not config.relations or query.relation in config.relations:
                yield part, query


def ask_all(
    vectors: KnowledgeVectors,
    knowledge: Knowledge,
    kb: KnowledgeBase,
    config: KnowledgeProbeConfig,
    *,
    work: Path,
    progress: Progress,
) -> list[Answered]:
    """Ask every query once; answers are kept in a file, so that a stopped run goes on."""
    asked = list(queries_to_ask(vectors.split, kb, config))
    filler = MaskFiller(knowledge)
    known = dict(_read(work))
    found = list[Answered]()
    work.parent.mkdir(parents=True, exist_ok=True)
    with work.open("a", encoding="utf-8") as stream:
        for number, (part, query) in enumerate(asked):
            key = f"{part}\t{query.relation}\t{query.text}"
            if key not in known:
                known[key] = answer(query, filler, knowledge, config)
                stream.write(json.dumps([key, known[key]]) + "\n")
                stream.flush()
            found.append(_judged(part, query, known[key], kb))
            progress("asking", (number + 1) / len(asked))
    return found


def _read(work: Path) -> Iterator[tuple[str, list[str]]]:
    """The answers of an earlier run; a line that was cut off is asked again."""
    if not work.exists():
        return
    for line in work.read_text(encoding="utf-8").splitlines():
        try:
            key, answers = json.loads(line)
        except ValueError:
            continue
        yield key, answers


def _judged(part: str, query: ClozeQuery, answers: Sequence[str], kb: KnowledgeBase) -> Answered:
    """Right if an answer of any length is a name of any entity that fits."""
    rows = [row for row in map(kb.row_of, query.answers) if row is not None]
    names = [name for row in rows for name in kb.names_of(row)]
    keys = set(map(key_of, names))
    return Answered(
        part=part,
        relation=query.relation,
        query=query.text,
        is_within=is_within(query, (kb.label_at(row) for row in rows)),
        is_right=any(key_of(said) in keys for said in answers if key_of(said)),
        gold=kb.label_at(rows[0]),
        said=tuple(answers[:5]),
    )


def probe_knowledge(
    vectors: KnowledgeVectors,
    knowledge: Knowledge,
    kb: KnowledgeBase,
    config: KnowledgeProbeConfig,
    *,
    work: Path,
    progress: Progress,
) -> dict[str, Any]:
    """The reports of seen and of held-out triples, and a table of examples."""
    with computed_in(config.precision):
        answered = ask_all(vectors, knowledge, kb, config, work=work, progress=progress)
    reports: dict[str, Report] = {
        part: score_probing([one for one in answered if one.part == part])
        for part in (SEEN, HELD_OUT)
        if any(one.part == part for one in answered)
    }
    return {
        "config": asdict(config),
        "kb": kb.name,
        "kb_digest": kb.manifest.digest,
        "vectors_digest": vectors.digest,
        "parts": {
            part: {**report.to_json(), "right": _marks(answered, part)}
            for part, report in reports.items()
        },
        "examples": _examples(answered),
    }


def _marks(answered: Iterable[Answered], part: str) -> str:
    """A 1 for each query of the part that is answered rightly, a 0 for each other, in their order.

    Two models that were asked the same are compared query by query.
    """
    return "".join("01"[one.is_right] for one in answered if one.part == part)


def _examples(answered: Iterable[Answered]) -> list[dict[str, Any]]:
    """One query of each relation, a right one where there is any."""
    chosen = dict[str, Answered]()
    for one in answered:
        if one.relation not in chosen or (one.is_right and not chosen[one.relation].is_right):
            chosen[one.relation] = one
    return [
        {"query": one.query, "gold": one.gold, "said": list(one.said), "is_right": one.is_right}
        for one in chosen.values()
    ]
