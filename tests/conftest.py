"""What every test shares: reproducible Hypothesis examples and the way to the shared data."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("explore", derandomize=False, deadline=None, max_examples=1000)
settings.load_profile("ci")

# Tests start some hundred Python processes; without bytecode each compiles our packages anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Threads of linear algebra on matrices of some columns wait for each other, and count as work: fits
# take three times the time of a processor, beside other tests more. Read as numpy is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A shell's background job is started with SIGINT ignored, and so are the commands that it starts:
# those that are sent Ctrl-C by a test would never end.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

_SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of the coded data sets beside the checkout; skips the test where it is absent."""
    if not _SHARED_DATA.is_dir():
        pytest.skip("needs the data sets in ../shared/data beside the checkout; none found there")
    return _SHARED_DATA


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None]:
    """The garbage collector passes over the tests themselves, which live until the end.

    Otherwise it visits all 20,000 of them again and again while they are collected and run.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With ``-m smoke``, files without a mark are not loaded: that would take longer than tests."""
    if config.option.markexpr != "smoke" or collection_path.suffix != ".py":
        return None
    return "pytest.mark.smoke" not in collection_path.read_text() or None
