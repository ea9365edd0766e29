"""What `holdfast kb build` has built, and what the owner of the files should know of it."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from holdfast.detect.unfindable import print_unfindable, unfindable_names
from holdfast.io.show.kb import print_kb
from holdfast.kb.build_report import Finding
from holdfast.kb.describe import describe
from holdfast.kb.store import KnowledgeBase
from holdfast.text.safe import json_safe, one_line


def print_built(kb: KnowledgeBase, findings: Sequence[Finding], *, as_json: bool) -> None:
    """Print the knowledge base; on standard error, the findings and the names not found in texts.

    As JSON, all of it is one object on standard output.
    """
    if as_json:
        built = {
            **describe(kb).to_json(),
            "findings": [finding.to_json() for finding in findings],
            "unfindable": [group.to_json() for group in unfindable_names(kb)],
        }
        print(json_safe(json.dumps(built, ensure_ascii=False)))
        return
    print_kb(kb)
    for finding in findings:
        print(one_line(f"{kb.name}: {finding.message}"), file=sys.stderr)
    print_unfindable(kb)
