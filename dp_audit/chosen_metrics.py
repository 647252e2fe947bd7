"""The metrics that `utility` is asked for, with their parameters, draws and seeds."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from audit.utility.catalogue import METRICS, metric_named
from audit.utility.draws import read_draws
from audit.utility.metric import FIXED, Metric
from audit.utility.parameters import plan_metric, read_plan
from audit.utility.suite import applicable
from dp_audit.arguments import whole_number
from synthesizers.domain import Domain
from synthesizers.errors import InputError


def choose_metrics(
    domain: Domain,
    rules: tuple[str, ...],
    names: Sequence[str] | None,
    compat: str | None,
    parameters: Mapping[str, Mapping[str, Any]],
    plan: str | Path | None,
    draws_file: str | Path | None,
    seed: int | None,
) -> tuple[tuple[Metric, ...], tuple[tuple[str, str], ...]]:
    """The metrics, and those that were not asked for by name and do not apply."""
    values = {} if plan is None else {name: dict(own) for name, own in read_plan(plan).items()}
    for name, own in parameters.items():
        values.setdefault(name, {}).update(own)
    draws = {} if draws_file is None else read_draws(draws_file)
    mentioned = dict.fromkeys((*values, *draws))
    asked = list(dict.fromkeys(names or METRICS))
    for name in (*asked, *mentioned):
        metric_named(name)
    stray = [name for name in mentioned if name not in asked]
    if stray:
        raise InputError(
            f"{stray[0]} has parameters or draws but is not among the metrics asked for"
        )
    if compat is not None:
        asked = _compatible(asked, compat, names or mentioned)
    mode = compat or FIXED

    # What a file or another metric states stands below what is stated of a metric itself.
    below: dict[str, dict[str, Any]] = {"validity": {"rules": list(rules)}} if rules else {}
    if "k-marginal" in values:
        below["subsample-equivalent"] = {"of": "k-marginal"}

    def build(name: str, mode: str = FIXED) -> Metric:
        kind = type(metric_named(name))
        return plan_metric(kind, {**below.get(name, {}), **values.get(name, {})}, build, mode)

    metrics = [build(name, mode) for name in asked]
    if seed is not None:
        seeds: dict[str, Any] = {"seed": whole_number(seed, "--seed")}
        metrics = [replace(m, **seeds) if hasattr(m, "seed") else m for m in metrics]
    metrics = [m.with_draws(draws[m.name]) if m.name in draws else m for m in metrics]
    for metric in metrics:
        # A rule that cannot be read is a fault of the file, and no reason to leave validity out.
        if names or metric.name in mentioned or (rules and metric.name == "validity"):
            _require(metric, domain)
    kept, refused = applicable(metrics, domain)
    if not kept:
        raise InputError(
            "none of the metrics can be taken of tables over this domain: "
            + "; ".join(f"{name}: {reason}" for name, reason in refused)
            + "; name the attributes with --set or a plan"
        )
    return kept, refused


def _require(metric: Metric, domain: Domain) -> None:
    """Raise ``InputError``, with the metric's name, unless it can be taken over the domain."""
    try:
        metric.check(domain)
    except InputError as error:
        text = str(error)
        if text.startswith(f"{metric.name}: "):
            raise
        raise type(error)(f"{metric.name}: {text}") from error


def _compatible(asked: Sequence[str], mode: str, mentioned: Collection[str]) -> list[str]:
    """The metrics that have the mode; those that were mentioned by name must have it."""
    modes = sorted({one for metric in METRICS.values() for one in metric.modes} - {FIXED})
    if mode not in modes:
        raise InputError(f"--compat must be one of {', '.join(modes)}, not {mode!r}")
    without = [name for name in asked if name in mentioned and mode not in METRICS[name].modes]
    if without:
        raise InputError(f"{without[0]} has no mode {mode!r}; leave it out, or choose another mode")
    return [name for name in asked if mode in METRICS[name].modes]
