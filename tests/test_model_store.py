"""Models beside the package: fetched from a folder or over https, and only as they are pinned."""

from __future__ import annotations

import functools
import http.server
import json
import shutil
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import holdfast
from command import call
from holdfast import artifacts, model_store, models
from holdfast.errors import ArtifactError, FetchError, UsageError
from small_kb import make_kb

TEXT = "A heart attack after lithium carbonate."


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of models like the checkout's: a linker, and a pipeline that has it as a part."""
    place = tmp_path / "models"
    linker, whole = place / "plain-linker", place / "plain"
    linker.mkdir(parents=True)
    (linker / "words.txt").write_text("some weights", encoding="utf-8")
    artifacts.write_manifest(linker, kind="name linker", version=1, config={})
    whole.mkdir()
    config = {"parts": ["dictionary-detector", "plain-linker"], "about": "plain"}
    artifacts.write_manifest(whole, kind=models.PIPELINE, version=1, config=config)
    pinned = {
        name: {
            "sha256": artifacts.sha256_of(place / name / artifacts.MANIFEST),
            "megabytes": 0.1,
            "about": f"the {name}",
            "needs": needs,
        }
        for name, needs in (("plain-linker", []), ("plain", ["plain-linker"]))
    }
    (tmp_path / "offered.json").write_text(json.dumps(pinned), encoding="utf-8")
    monkeypatch.setattr(model_store, "OFFERED", tmp_path / "offered.json")
    monkeypatch.setattr(model_store, "CHECKOUT", place)
    return place


def get(name: str, source: str = "") -> list[Path]:
    return model_store.get_model(name, source=source, progress=lambda _what, _done: None)


@pytest.fixture
def served(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a server on this machine whose certificate this process trusts."""
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not here to make a certificate with")
    request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    whose = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run(["openssl", *request, *whose, *files], capture_output=True, check=True)

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None: ...

    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(place))
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"https://localhost:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.usefixtures("place")
def test_a_model_comes_from_the_checkout_with_what_it_needs_and_links(tmp_path: Path) -> None:
    assert [folder.name for folder in get("plain")] == ["plain-linker", "plain"]
    kb = make_kb(tmp_path / "kb")
    expected = holdfast.load(kb, model="names")(TEXT)
    assert expected.mentions
    assert holdfast.load(kb, model="plain")(TEXT) == expected


def test_a_model_that_is_not_here_yet_is_offered_in_the_error(place: Path, tmp_path: Path) -> None:
    kb = make_kb(tmp_path / "kb")
    done = call("link", TEXT, "--kb", kb.folder, "--model", "plain")
    assert done.returncode == 2
    assert done.stderr == (
        "holdfast: the model 'plain' is not here yet; `holdfast models get plain`\n"
    )
    shutil.copytree(place / "plain", models.trained_models() / "plain")
    done = call("link", TEXT, "--kb", kb.folder, "--model", "plain")
    assert "has a part 'plain-linker', which is not here; `holdfast models get" in done.stderr


def test_over_https_a_model_is_the_same_and_other_ways_are_refused(served: str) -> None:
    for folder in get("plain", served):
        artifacts.verify(folder, models.manifest_of(folder))
    shutil.rmtree(models.trained_models() / "plain-linker")
    with pytest.raises(FetchError, match="cannot be fetched"):
        get("plain-linker", f"{served}nowhere")
    with pytest.raises(UsageError, match="over https or from a folder only"):
        get("plain-linker", served.replace("https", "http"))


@pytest.mark.parametrize("file", ["words.txt", "manifest.json"])
def test_what_is_not_as_pinned_never_reaches_the_home_folder(place: Path, file: str) -> None:
    path = place / "plain-linker" / file
    path.write_text(path.read_text("utf-8") + " ", encoding="utf-8")
    with pytest.raises(ArtifactError, match=r"pinned|damaged on its way"):
        get("plain")
    assert not (models.trained_models() / "plain-linker").exists()
    assert not (models.trained_models() / "plain").exists()


@pytest.mark.usefixtures("place")
def test_a_whole_model_stays_a_damaged_one_is_replaced_and_another_one_is_kept() -> None:
    folder = get("plain-linker")[0]
    before = (folder / "words.txt").stat().st_mtime_ns
    get("plain-linker")
    assert (folder / "words.txt").stat().st_mtime_ns == before
    (folder / "words.txt").write_text("other bytes", encoding="utf-8")
    get("plain-linker")
    assert (folder / "words.txt").read_text("utf-8") == "some weights"
    (folder / "words.txt").write_text("trained here", encoding="utf-8")
    artifacts.write_manifest(folder, kind="name linker", version=1, config={})
    with pytest.raises(UsageError, match="holds another model of this name"):
        get("plain-linker")
    assert (folder / "words.txt").read_text("utf-8") == "trained here"


@pytest.mark.usefixtures("place")
def test_unknown_names_and_missing_places_are_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match="no model 'magic' is offered; there is: plain-linker"):
        get("magic")
    with pytest.raises(FetchError, match="cannot be copied"):
        get("plain", str(tmp_path / "nowhere"))
    monkeypatch.setattr(model_store, "CHECKOUT", tmp_path / "gone")
    with pytest.raises(UsageError, match="no checkout of Holdfast is here"):
        get("plain")


def test_the_command_lists_what_is_offered_until_it_is_fetched(place: Path) -> None:
    listed = json.loads(call("models", "--json").stdout)
    assert [model["name"] for model in listed["offered"]] == ["plain-linker", "plain"]
    assert "`holdfast models get plain`" in call("models").stdout
    done = call("models", "get", "plain", "--from", place)
    assert done.returncode == 0, done.stderr
    assert "plain is in " in done.stdout
    listed = json.loads(call("models", "--json").stdout)
    assert listed["offered"] == []
    assert "plain" in [model["name"] for model in listed["models"]]


def test_what_the_package_offers_is_what_the_checkout_holds() -> None:
    for model in model_store.offered().values():
        folder = model_store.CHECKOUT / model.name
        assert artifacts.sha256_of(folder / artifacts.MANIFEST) == model.sha256
        artifacts.verify(folder, models.manifest_of(folder))
        assert model.megabytes <= 28
