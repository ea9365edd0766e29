"""Make the pictures of docs/page.md: a service over the open knowledge base, in a real Chromium.

python docs/make_screenshots.py               # of the service's page
python docs/make_screenshots.py report.html   # of a page that `holdfast diagnose labels` wrote
"""

from __future__ import annotations

import base64
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from chromium import chromium, wait_for
from holdfast import artifacts
from serving import serving

FOLDER: Final = Path(__file__).parent / "page"
SIZES: Final = ((360, 780), (1280, 800), (2560, 1200))
KEPT: Final = {360: ("text", "card"), 1280: ("card", "browser"), 2560: ("card",)}
WIDEST: Final = 1280  # of a picture, in pixels: what is wider is scaled down
DIAGNOSIS: Final = (1024, 1520)
TEXT: Final = """\
Lithium carbonate toxicity in a newborn infant: a case report

A 28-year-old woman with bipolar disorder took lithium carbonate until delivery. Her newborn was \
cyanotic and lethargic, with hypotonia and a flat T wave. Serum lithium was 2.4 mmol/L; the \
symptoms resolved within ten days of hydration.

Interleukin-6 and TNF-alpha were normal in both. Breast and ovarian cancer ran in the family, and \
a sister carried BRCA1 c.68_69delAG. No toxicity was seen in mice or in HeLa cells that were given \
lithium chloride, and apoptosis of cardiomyocytes was not increased in the left ventricle."""


class Camera:
    """A browser of one size and theme."""

    def __init__(self, browser: Any, address: str, width: int, theme: str) -> None:
        self.browser, self.address, self.width, self.theme = browser, address, width, theme

    def find(self, selector: str) -> Any:
        return wait_for(lambda: self.browser.find_element("css selector", selector))

    def open(self) -> None:
        """The page as somebody meets it who was never there."""
        for forget in (True, False):
            self.browser.get(self.address)
            wait_for(lambda: self.browser.execute_script("return document.body.dataset.ready"))
            if forget:
                self.browser.execute_async_script(
                    "import('/core/store.js').then((m) => m.forget()).then(arguments[0])"
                )
        self.browser.execute_script(
            "document.documentElement.dataset.theme = arguments[0]", self.theme
        )

    def take(self, name: str) -> None:
        """Once nothing moves any more."""
        if name not in KEPT[self.width]:
            return
        time.sleep(0.5)
        height = self.browser.execute_script("return innerHeight")
        scale = min(1.0, WIDEST / self.width)
        clip = {"x": 0, "y": 0, "width": self.width, "height": height, "scale": scale}
        taken = self.browser.execute_cdp_cmd("Page.captureScreenshot", {"clip": clip})
        path = FOLDER / f"{name}-{self.width}-{self.theme}.png"
        path.write_bytes(base64.b64decode(taken["data"]))

    def take_all(self) -> None:
        self.open()
        self.browser.execute_script(
            "const d = document.querySelector('#draft'); d.value = arguments[0];"
            "d.dispatchEvent(new Event('input'))",
            TEXT,
        )
        self.find("#annotate-button").click()
        self.find("#text mark")
        self.take("text")
        marks = self.browser.find_elements("css selector", "#text mark")
        next(mark for mark in marks if "bipolar" in mark.text).click()
        self.find("#card .concept dl")
        self.take("card")
        self.find("#kb-button").click()
        self.find("dialog .picker input").send_keys("mood dis")
        self.find("dialog .found li")
        self.browser.switch_to.active_element.send_keys("\ue007")
        self.find("dialog .hierarchy strong")
        self.take("browser")


def take_diagnosis(report: Path) -> None:
    """The top of a diagnosis, with its most frequent type switched off."""
    with tempfile.TemporaryDirectory() as downloads, chromium(Path(downloads)) as browser:
        width, height = DIAGNOSIS
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.get(report.resolve().as_uri())
        wait_for(lambda: browser.find_element("css selector", "#switches input")).click()
        wait_for(lambda: "off" in browser.find_element("css selector", "#switched").text)
        taken = browser.execute_cdp_cmd("Page.captureScreenshot", {})
        (FOLDER / "diagnosis.png").write_bytes(base64.b64decode(taken["data"]))


def take_service() -> None:
    with (
        tempfile.TemporaryDirectory() as downloads,
        serving("--kb", "open", "--workers", "1", home=artifacts.home()) as server,
        chromium(Path(downloads)) as browser,
    ):
        for width, height in SIZES:
            size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
            browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
            for theme in ("light", "dark"):
                Camera(browser, f"http://127.0.0.1:{server.port}/", width, theme).take_all()


def main(reports: list[str]) -> None:
    FOLDER.mkdir(exist_ok=True)
    for report in reports:
        take_diagnosis(Path(report))
    if not reports:
        take_service()


if __name__ == "__main__":
    main(sys.argv[1:])
