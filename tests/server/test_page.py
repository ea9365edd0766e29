"""The page, driven in a real browser: paste, click, explain, correct, rule, export, reload."""

from __future__ import annotations

import json
import os
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chromium import chromium, wait_for
from command import call
from holdfast.corpora import read_documents
from holdfast.document import Document, Mention, Span, TypeScore
from serving import Server

TEXT = "😀 A heart attack after lithium carbonate; TNF rose. He was well."


class Page:
    """What a person sees and does."""

    def __init__(self, browser: Any, address: str, downloads: Path) -> None:
        self.browser, self.address, self.downloads = browser, address, downloads

    def open(self) -> None:
        self.browser.get(self.address)
        wait_for(lambda: self.script("return document.body.dataset.ready"))

    def script(self, code: str, *arguments: Any) -> Any:
        return self.browser.execute_script(code, *arguments)

    def find(self, selector: str) -> Any:
        return wait_for(lambda: self.browser.find_element("css selector", selector))

    def all(self, selector: str) -> list[Any]:
        return list(self.browser.find_elements("css selector", selector))

    def click(self, selector: str, text: str | None = None) -> None:
        def clicked() -> bool:
            for element in self.all(selector):
                if element.is_displayed() and (text is None or text in element.text):
                    element.click()
                    return True
            return False

        wait_for(clicked)

    def keys(self, *keys: str) -> None:
        self.browser.switch_to.active_element.send_keys(*keys)

    def annotate(self, text: str, button: str = "Annotate") -> None:
        self.find("#draft").clear()
        self.find("#draft").send_keys("x")  # the browser's driver types no emoji: paste instead
        self.script(
            "const d = document.querySelector('#draft'); d.value = arguments[0];"
            "d.dispatchEvent(new Event('input', {bubbles: true}))",
            text,
        )
        self.click("#start button", button)
        wait_for(lambda: self.find("#work").is_displayed())

    @property
    def marks(self) -> list[str]:
        return [mark.text for mark in self.all("#text mark:not(.off)")]

    @property
    def card(self) -> str:
        return str(self.find("#card").text)

    def select(self, words: str) -> None:
        wait_for(lambda: self.all("#text mark"))
        for mark in self.all("#text mark"):
            if mark.text == words:
                mark.click()
                wait_for(lambda: words in self.card)
                return
        raise AssertionError(f"no mention {words!r} among {self.marks}")

    def double_click(self, word: str) -> None:
        """Double-click the first place of a word, as a person selects it."""
        from selenium.webdriver import ActionChains

        place = self.script(
            "const walk = document.createTreeWalker(document.querySelector('#text'), 4);"
            "while (walk.nextNode()) { const at = walk.currentNode.data.indexOf(arguments[0]);"
            " if (at >= 0) { const r = document.createRange(); r.setStart(walk.currentNode, at);"
            " r.setEnd(walk.currentNode, at + arguments[0].length);"
            " const b = r.getBoundingClientRect(), t = document.querySelector('#text')"
            ".getBoundingClientRect();"
            " return [b.x + b.width / 2 - t.x - t.width / 2,"
            " b.y + b.height / 2 - t.y - t.height / 2] } }",
            word,
        )
        text = self.find("#text")
        x, y = (round(value) for value in place)
        ActionChains(self.browser).move_to_element_with_offset(text, x, y).double_click().perform()

    def downloaded(self, name: str) -> Path:
        path = self.downloads / name
        wait_for(lambda: path.exists() and not list(self.downloads.glob("*.crdownload")))
        return path

    def documents(self) -> list[Document]:
        """What the page would export, from the browser's own store."""
        found = self.browser.execute_async_script(
            "const done = arguments[0];"
            "import('/core/state.js').then(async (m) => { await m.kept();"
            " done(JSON.stringify(m.state.documents.map(m.plain))) })"
        )
        return [Document.from_json(data) for data in json.loads(found)]


@pytest.fixture(scope="module")
def driven(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    downloads = tmp_path_factory.mktemp("downloads")
    with chromium(downloads) as browser:
        yield Page(browser, f"http://127.0.0.1:{server.port}/", downloads)


@pytest.fixture
def page(driven: Page) -> Page:
    """The page as somebody meets it who was never there."""
    driven.open()
    driven.browser.execute_async_script(
        "const done = arguments[0]; import('/core/store.js').then((m) => m.forget()).then(done)"
    )
    for path in driven.downloads.iterdir():
        path.unlink()
    driven.browser.get_log("browser")
    driven.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    driven.browser.set_window_size(1280, 900)
    driven.open()
    return driven


@pytest.fixture(autouse=True)
def _home_of_the_service(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_HOME", str(home))


def test_paste_click_and_explain(page: Page) -> None:
    page.annotate(TEXT)
    wait_for(lambda: page.marks == ["heart attack", "lithium carbonate", "TNF"])
    assert page.find("#text").get_attribute("textContent") == TEXT
    page.select("heart attack")
    wait_for(lambda: "Death of heart muscle" in page.card)
    for shown in ("MESH:D002", "Myocardial Infarction", "Heart Diseases", "MONDO:0002", "synonym"):
        assert shown in page.card
    assert page.find(".answer a.id").get_attribute("href").startswith("https://meshb.nlm.nih.gov")
    page.click("details.why summary")
    wait_for(lambda: "Without the text around it" in page.card)


def test_a_candidate_none_and_a_search_correct_a_link_and_undo_takes_it_back(page: Page) -> None:
    page.annotate(TEXT)
    page.select("heart attack")
    before = page.documents()
    page.click("#card button", "None of these")
    wait_for(lambda: page.documents()[0].mentions[0].is_nil)
    page.find("#card .picker input").send_keys("haemorr")
    wait_for(lambda: page.all("#card .found li"))
    page.keys("\ue015", "\ue007")  # arrow down, enter
    wait_for(lambda: page.documents()[0].mentions[0].ids == ("MESH:D004",))
    assert page.documents()[0].mentions[0].candidates[0].evidence[0].detail == "chosen by hand"
    page.click("#undo-button")
    page.click("#undo-button")
    wait_for(lambda: page.documents() == before)
    page.click("#redo-button")
    wait_for(lambda: page.documents()[0].mentions[0].is_nil)


def test_a_mention_is_added_moved_grown_and_removed(page: Page) -> None:
    page.annotate(TEXT, button="Start blank")
    assert page.marks == []
    page.double_click("attack")
    page.click("#selection-bar button", "Add")
    wait_for(lambda: page.marks == ["attack"])
    page.click('#card [aria-label^="A word more at the start"]')
    wait_for(lambda: page.marks == ["heart attack"])
    wait_for(lambda: page.documents()[0].mentions[0].ids == ("MESH:D002",))
    assert page.documents()[0].mentions[0].spans == (Span(4, 16),)
    page.click("#card button", "Remove")
    wait_for(lambda: page.marks == [])
    page.click("#undo-button")
    wait_for(lambda: page.marks == ["heart attack"])


def test_a_correction_becomes_a_rule_that_link_takes(page: Page) -> None:
    page.annotate(TEXT)
    page.select("heart attack")
    page.find("#card .picker input").send_keys("MESH:D004")
    wait_for(lambda: page.all("#card .found li"))
    page.keys("\ue007")
    page.click("#toast button", "Pin it everywhere")
    page.select("TNF")
    page.click("#card button", "Remove")
    page.click("#toast button", "Block it everywhere")
    wait_for(lambda: page.find("#rules-count").text == "2")
    page.click("#rules-button")
    page.click("dialog button", "Download rules.toml")
    rules = page.downloaded("rules.toml")
    done = call("link", TEXT, "--kb", "small", "--rules", rules, "--json")
    assert done.returncode == 0, done.stderr
    links = {m["text"]: m["ids"] for m in json.loads(done.stdout)["mentions"]}
    assert links == {"heart attack": ["MESH:D004"], "lithium carbonate": ["MESH:C001"]}


@pytest.mark.parametrize(
    ("format", "name"),
    [
        ("json", "holdfast.json"),
        ("jsonl", "holdfast.jsonl"),
        ("bioc-json", "holdfast.bioc.json"),
        ("bioc-xml", "holdfast.bioc.xml"),
        ("brat", "holdfast.brat.zip"),
        ("mentions", "holdfast.mentions.tsv"),
    ],
)
def test_what_is_exported_is_what_was_corrected(
    page: Page, tmp_path: Path, format: str, name: str
) -> None:
    page.annotate(TEXT)
    page.select("TNF")
    page.keys("0")
    wait_for(lambda: page.documents()[0].mentions[2].is_nil)
    page.click("#export-button")
    page.click(f'[data-format="{format}"]')
    path = page.downloaded(name)
    if path.suffix == ".zip":
        zipfile.ZipFile(path).extractall(tmp_path)
        path = tmp_path / "holdfast.ann"
    (document,) = read_documents(path, format=format)
    expected = page.documents()[0]
    assert document.text == TEXT or format == "mentions", "a table of mentions has no text"
    assert [(m.spans, m.ids) for m in document.mentions] == [
        (m.spans, m.ids) for m in expected.mentions
    ]


def test_a_format_that_cannot_hold_something_says_so_before_it_is_left_out(page: Page) -> None:
    page.annotate(TEXT)
    page.click("#export-button")
    page.click('[data-format="iob"]')
    wait_for(lambda: "entity ids" in page.find("dialog").text)
    page.click("dialog button", "Export without it")
    page.downloaded("holdfast.iob")


NESTED = Document(
    "9",
    "breast and ovarian cancer\nin 😀 TNF-alpha receptor",
    mentions=(
        Mention((Span(0, 6), Span(19, 25)), type="Disease", ids=("MESH:D004",)),
        Mention((Span(11, 25),), type="Disease", ids=("MESH:D001",)),
        Mention((Span(31, 49),), type="Gene", ids=("HGNC:1",)),
        Mention(
            (Span(31, 34),),
            type="Chemical",
            ids=("MESH:C001",),
            types=(TypeScore("tumor necrosis factors", 0.75),),
        ),
    ),
)


def test_a_file_with_nested_and_interrupted_mentions_is_shown_whole(
    page: Page, tmp_path: Path
) -> None:
    path = tmp_path / "nested.jsonl"
    path.write_text(json.dumps(NESTED.to_json()) + "\n", encoding="utf-8")
    page.find("#file").send_keys(str(path))
    wait_for(lambda: len(page.all("#text mark")) == 5)
    assert page.find("#text").get_attribute("textContent") == NESTED.text
    assert page.documents() == [NESTED]
    inner = page.find("#text mark mark")
    inner.click()
    first = page.find("#card h2").text
    inner.click()
    wait_for(lambda: page.find("#card h2").text != first)
    page.select("TNF")
    assert "tumor necrosis factors" in page.find("#card .kinds").text
    parts = page.all("#text mark[data-split]")
    assert [part.text for part in parts] == ["breast", "cancer"]
    parts[0].click()
    wait_for(lambda: len(page.all("#text mark.selected")) == 2)


def test_a_pasted_pubtator_file_is_opened_with_its_documents_and_mentions(page: Page) -> None:
    pasted = "7|t|Heart attack\n7|a|after TNF\n7\t0\t12\tHeart attack\tDisease\tMESH:D001\n\n"
    page.annotate(pasted + "8|t|Bleeding\n8|a|stopped\n")
    wait_for(lambda: page.marks == ["Heart attack"])
    first, second = page.documents()
    assert (first.id, first.mentions[0].ids) == ("7", ("MESH:D001",))
    assert (second.id, second.mentions) == ("8", ())
    page.click('[aria-label="Next document"]')
    wait_for(lambda: page.marks == [])
    page.click("#documents button", "Annotate")
    wait_for(lambda: page.marks == ["Bleeding"])


def test_keys_go_from_mention_to_mention_and_filters_hide(page: Page) -> None:
    page.annotate(TEXT)
    wait_for(lambda: len(page.marks) == 3)
    seen = []
    for _ in range(4):
        page.keys("n")
        seen.append(page.find("#card h2").text)
    assert seen == ["“heart attack”", "“lithium carbonate”", "“TNF”", "“heart attack”"]
    page.keys("p")
    assert page.find("#card h2").text == "“TNF”"
    page.click('#filters [data-name="types:Chemical"]')
    wait_for(lambda: page.marks == ["heart attack", "TNF"])
    page.click('#filters [data-name="vocabularies:HGNC"]')
    wait_for(lambda: page.marks == ["heart attack"])
    page.find("#text").click()
    page.keys("n")
    page.keys("n")
    assert page.find("#card h2").text == "“heart attack”"


def test_nothing_is_lost_on_reload_and_all_is_forgotten_on_demand(page: Page) -> None:
    page.annotate(TEXT)
    page.select("TNF")
    page.keys("0")
    page.click("#open-button")
    page.script(
        "const d = document.querySelector('#draft'); d.value = 'a draft';"
        "d.dispatchEvent(new Event('input'))"
    )
    wait_for(
        lambda: (
            page.browser.execute_async_script(
                "import('/core/state.js')"
                ".then((m) => m.kept().then(() => arguments[0](m.state.draft)))"
            )
            == "a draft"
        )
    )
    before = page.documents()
    page.open()
    assert page.documents() == before
    assert page.find("#draft").get_attribute("value") == "a draft"
    page.click("#undo-button")
    wait_for(lambda: page.documents()[0].mentions[2].ids == ("HGNC:1",))
    page.click("#menu summary")
    page.click("#forget-button")
    page.click("dialog button", "Forget everything")
    wait_for(lambda: page.script("return document.body.dataset.ready") and not page.documents())
    page.open()
    assert page.documents() == []
    kept = page.browser.execute_async_script(
        "import('/core/store.js').then((m) => m.readAll()).then((all) => arguments[0](all.size))"
    )
    assert kept <= 1, "nothing but an empty session"
    assert page.script("return localStorage.length") == 0


def test_the_browser_of_concepts_walks_the_hierarchy(page: Page) -> None:
    page.click("#kb-button")
    wait_for(lambda: "MeSH" in page.find("dialog").text)
    page.find("dialog .picker input").send_keys("heart dis")
    wait_for(lambda: page.all("dialog .found li"))
    page.keys("\ue007")
    wait_for(lambda: "Myocardial Infarction" in page.find("dialog .hierarchy").text)
    page.click("dialog .hierarchy button.related", "Myocardial Infarction")
    wait_for(lambda: page.find("dialog .hierarchy strong").text == "Myocardial Infarction")
    assert "Heart Diseases" in page.find("dialog .hierarchy").text
    page.click("dialog button", "Back")
    wait_for(lambda: page.find("dialog .hierarchy strong").text == "Heart Diseases")


def test_the_page_asks_nobody_but_its_service_and_breaks_none_of_its_rules(page: Page) -> None:
    page.browser.get_log("performance")
    page.open()
    page.annotate(TEXT)
    page.select("heart attack")
    wait_for(lambda: "Death of heart muscle" in page.card)
    events = (
        json.loads(entry["message"])["message"] for entry in page.browser.get_log("performance")
    )
    asked = [
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    ]
    assert len(asked) > 10
    assert [url for url in asked if not url.startswith((page.address, "data:", "blob:"))] == []
    assert [entry for entry in page.browser.get_log("browser") if entry["level"] == "SEVERE"] == []


def resize(page: Page, width: int) -> None:
    """Give the page this width: a window of its own cannot be as narrow as a phone."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    page.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    assert page.script("return innerWidth") == width


@pytest.mark.parametrize("width", [360, 1280, 2560])
def test_nothing_sticks_out_at_any_width(page: Page, width: int) -> None:
    resize(page, width)
    page.annotate(TEXT)
    page.select("heart attack")
    wide = page.script(
        "return [...document.querySelectorAll('body *')].filter((e) => {"
        " const r = e.getBoundingClientRect();"
        " return r.width && r.right > innerWidth + 1"
        " && !e.closest('.filters, .visually-hidden, .skip')"
        "}).map((e) => e.outerHTML.slice(0, 80))"
    )
    assert wide == []
    assert page.script("return document.documentElement.scrollWidth <= innerWidth")


def test_a_large_document_is_shown_and_moved_through_without_long_pauses(
    page: Page, tmp_path: Path
) -> None:
    words = "heart attack after lithium carbonate and then some more words of no account. "
    line = words * 4
    text = (line.rstrip() + "\n") * 330
    starts = [m.start() for m in re.finditer("heart attack|lithium carbonate", text)][:2000]
    mentions = tuple(
        Mention.at(s, s + (12 if text[s] == "h" else 17), "Disease", ["MESH:D002"]) for s in starts
    )
    path = tmp_path / "large.jsonl"
    document = Document("large", text, mentions=mentions)
    path.write_text(json.dumps(document.to_json()) + "\n", encoding="utf-8")
    assert len(text.encode()) > 100_000
    assert len(mentions) == 2000
    page.find("#file").send_keys(str(path))
    wait_for(lambda: len(page.all("#text mark")) == 2000)
    slowest = page.browser.execute_async_script(
        "const done = arguments[0], text = document.querySelector('#text'), frames = [];"
        "let last = performance.now(); const step = (now) => { frames.push(now - last); last = now;"
        " text.scrollTop += 120;"
        " if (frames.length < 120) requestAnimationFrame(step);"
        " else { frames.sort((a, b) => a - b); done(frames[60]); } };"
        "requestAnimationFrame(step);"
    )
    assert slowest < 100, "half of the frames are quick, on a machine that is busy too"
    page.find("#text").click()
    page.keys("n")
    wait_for(lambda: page.find("#card h2").text == "“heart attack”")


PANELS = ("#rules-button", "#export-button", "#kb-button")


def axe() -> str:
    """The source of axe-core; `make axe` fetches it, or AXE names the file."""
    found = Path(os.environ.get("AXE", Path(__file__).parents[2] / "build/axe/axe.min.js"))
    if not found.exists():
        pytest.skip("axe-core is not here; `make axe` fetches it with npm")
    return found.read_text(encoding="utf-8")


def violations(page: Page) -> list[str]:
    answer = page.browser.execute_async_script(
        "const done = arguments[0]; axe.run().then((r) => done(JSON.stringify(r.violations)))"
    )
    return [
        f"{v['id']}: {node['target']} {node['failureSummary']}"
        for v in json.loads(answer)
        for node in v["nodes"]
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280, 2560])
def test_axe_finds_nothing_at_any_width_in_light_and_dark(
    page: Page, width: int, theme: str
) -> None:
    source = axe()
    resize(page, width)
    page.script("document.documentElement.dataset.theme = arguments[0]", theme)
    page.script(source)  # by the driver, which the page's policy does not bind
    assert violations(page) == []
    page.annotate(TEXT)
    wait_for(lambda: len(page.marks) == 3)
    assert violations(page) == []
    page.select("heart attack")
    wait_for(lambda: "Death of heart muscle" in page.card)
    page.click("details.why summary")
    wait_for(lambda: "Without the text around it" in page.card)
    assert violations(page) == []
    page.click("#menu summary")
    assert violations(page) == []
    page.click("#menu summary")
    for opened in PANELS:
        page.click(opened)
        page.find("dialog[open]")
        assert violations(page) == []
        page.click("dialog .close")
