"""A real Chromium that tests drive as a person does; tests skip, with the reason, where none is."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

SECONDS: Final = 120  # after which what does not happen has failed
_BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "chrome")


@contextmanager
def chromium(downloads: Path, *, width: int = 1280, height: int = 900) -> Iterator[Any]:
    """A headless browser that keeps downloads in a folder."""
    webdriver = pytest.importorskip(
        "selenium.webdriver", reason="needs selenium, of the extra `browser`; make test-page"
    )
    binary = next(filter(None, map(shutil.which, _BROWSERS)), None)
    driver = shutil.which("chromedriver")
    if binary is None or driver is None:
        pytest.skip("the page is tested where Chromium and its chromedriver are installed")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for argument in (
        "--headless=new",
        "--no-first-run",
        "--disable-gpu",
        "--disable-dev-shm-usage",
    ):
        options.add_argument(argument)
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # Chromium refuses to run as root otherwise
    options.add_argument(f"--window-size={width},{height}")
    options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(driver)
    browser = webdriver.Chrome(options=options, service=service)
    browser.set_script_timeout(SECONDS)
    try:
        yield browser
    finally:
        browser.quit()


def wait_for(is_so: Any) -> Any:
    """Ask again and again until the answer is true; that answer. Elements may come and go."""
    deadline = time.monotonic() + SECONDS
    pause = threading.Event()
    last: object = None
    while time.monotonic() < deadline:
        try:
            if last := is_so():
                return last
        except Exception as error:  # what a person would wait for is not there yet
            last = error
        pause.wait(0.05)
    raise AssertionError(f"it took too long: {last!r}")
