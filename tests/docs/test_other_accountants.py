"""The page on other accountants: its figures by ours, and by theirs where they are installed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from audit.cli.main import main

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "move-from-another-accountant.md").read_text(encoding="utf-8")
ROWS = re.findall(
    r"^\| `([^`]+)` \| (1e-\d) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+|none) \|$", PAGE, re.M
)
GAUSSIAN, LAPLACE, DISCRETE, SAMPLED = ROWS


def account(expression: str, delta: str, folder: Path) -> tuple[float, float]:
    """Both ends of ε by the command."""
    file = folder / "account.json"
    words = [expression, "--neighbours", "add-remove", "--delta", delta, "--json", str(file)]
    assert main(["account", *words, "--quiet"]) == 0
    ends = json.loads(file.read_text(encoding="utf-8"))["epsilon"]
    return float(ends["lower"]), float(ends["upper"])


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_both_ends_are_the_figure_of_the_page(row: tuple[str, ...], tmp_path: Path) -> None:
    for end in account(row[0], row[1], tmp_path):
        assert f"{end:.7g}" == row[2]


def test_the_conversion_of_rho_is_the_figure_of_the_page(tmp_path: Path) -> None:
    _, upper = account("zcdp(rho=0.125)", "1e-6", tmp_path)
    assert f"ε = {upper:.7g}" in PAGE


def test_renyi_divergences_give_the_figure_of_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    main(["account", SAMPLED[0], "--neighbours", "add-remove", "--delta", SAMPLED[1], "--quiet"])
    shown = re.search(r"Rényi DP at the best order +ε ≤ ([\d.]+)", capsys.readouterr().out)
    assert shown is not None
    assert f"{float(shown[1]):.7g}" in PAGE


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_dp_accounting_gives_its_figure(row: tuple[str, ...]) -> None:
    event = pytest.importorskip("dp_accounting.dp_event")
    pld = pytest.importorskip("dp_accounting.pld")
    events = {
        GAUSSIAN: lambda: event.GaussianDpEvent(2.0),
        LAPLACE: lambda: event.SelfComposedDpEvent(event.LaplaceDpEvent(10.0), 10),
        DISCRETE: lambda: event.DiscreteLaplaceDpEvent(0.1, 1),
        SAMPLED: lambda: _sampled(event),
    }
    theirs = pld.PLDAccountant().compose(events[row]()).get_epsilon(float(row[1]))
    assert f"{theirs:.7g}" == row[3]


@pytest.mark.slow
def test_dp_accounting_gives_its_figure_by_renyi_divergences() -> None:
    event = pytest.importorskip("dp_accounting.dp_event")
    rdp = pytest.importorskip("dp_accounting.rdp")
    theirs = rdp.RdpAccountant().compose(_sampled(event)).get_epsilon(1e-5)
    assert f"{theirs:.7g}" in PAGE


def _sampled(event: Any) -> Any:
    step = event.PoissonSampledDpEvent(0.01, event.GaussianDpEvent(1.0))
    return event.SelfComposedDpEvent(step, 1000)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("row", [GAUSSIAN, LAPLACE, SAMPLED], ids=lambda row: row[0])
def test_autodp_gives_its_figure(row: tuple[str, ...]) -> None:
    zoo = pytest.importorskip("autodp.mechanism_zoo")
    transformers = pytest.importorskip("autodp.transformer_zoo")
    sampled = {"prob": 0.01, "sigma": 1.0, "coeff": 1000}
    mechanisms: dict[tuple[str, ...], Callable[[], Any]] = {
        GAUSSIAN: lambda: zoo.ExactGaussianMechanism(2.0),
        LAPLACE: lambda: transformers.Composition()([zoo.LaplaceMechanism(10.0)], [10]),
        SAMPLED: lambda: zoo.SubsampleGaussianMechanism(sampled),
    }
    assert f"{mechanisms[row]().get_approxDP(float(row[1])):.7g}" == row[4]


@pytest.mark.slow
def test_prv_accountant_gives_its_figures() -> None:
    peer = pytest.importorskip("prv_accountant")
    step = peer.PoissonSubsampledGaussianMechanism(noise_multiplier=1.0, sampling_probability=0.01)
    total = peer.PRVAccountant(
        [step], max_self_compositions=[1000], eps_error=0.01, delta_error=1e-10
    )
    lower, estimate, upper = total.compute_epsilon(delta=1e-5, num_self_compositions=[1000])
    assert f"{lower:.6f} … {upper:.6f}" in PAGE
    assert f"estimate of {estimate:.6f}" in PAGE


@pytest.mark.slow
def test_opendp_gives_its_figures() -> None:
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.l2_distance(T=float)
    noise = dp.m.make_gaussian(*space, 2.0)
    approximate = dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(noise), 1e-6)
    assert f"ρ = {noise.map(1.0):.7g}" in PAGE
    assert f"ε = {approximate.map(1.0)[0]:.7g}" in PAGE
