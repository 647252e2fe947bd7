"""One run of a training among canaries: the honest, of half the noise, and what is refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dp_audit as dpa
from audit.verify import verify
from synthesizers.errors import InputError, ProtocolError

COINS = 1200


def canaries() -> list[int]:
    return list(range(COINS))


def noisy(scale: float, law: str = "laplace") -> Callable[[list[int], Any], Any]:
    def train(records: list[int], rng: Any) -> Any:
        sums = np.zeros(COINS)
        sums[records] = 1
        return sums + getattr(rng, law)(0, scale, COINS)

    return train


def score(output: Any, canary: int) -> float:
    return float(output[canary])


def ask(train: Any, claim: str = "epsilon=1", **asked: Any) -> Any:
    given = {
        "neighbours": "add-remove",
        "one_run": True,
        "canaries": canaries,
        "score": score,
        "seed": 4,
        **asked,
    }
    return dpa.certify(train, claim, **given)


def test_an_honest_training_is_not_refuted_and_one_of_half_the_noise_is() -> None:
    honest, liar = ask(noisy(1.0)), ask(noisy(0.5))
    assert (honest.verdict, liar.verdict) == ("NOT REFUTED", "REFUTED")
    assert 0.5 < honest.certificate.evidence[0].bound.epsilon.lower <= 1
    assert "With all of them right the floor would be" in honest.certificate.evidence[0].finding


def test_under_replace_one_canaries_come_in_pairs() -> None:
    # Of one pair two counts move by 1: noise of scale 2 keeps ε = 1.
    honest = ask(noisy(2.0), neighbours="replace-one")
    liar = ask(noisy(0.5), neighbours="replace-one")
    assert (honest.verdict, liar.verdict) == ("NOT REFUTED", "REFUTED")
    assert honest.certificate.evidence[0].replay.canaries == COINS // 2


def test_no_claim_is_refuted_beyond_the_limit_and_few_canaries_say_so() -> None:
    few = ask(noisy(0.01), canaries=list(range(10)))
    assert few.verdict == "UNDECIDED"
    assert "no claim above epsilon=0" in few.certificate.evidence[0].finding


def test_an_approximate_claim_of_larger_delta_than_the_alarm_is_undecided() -> None:
    assert ask(noisy(0.1), "epsilon=1, delta=1e-5").verdict == "UNDECIDED"
    assert ask(noisy(0.1), "epsilon=1, delta=1e-5", alarm="1e-3").verdict == "REFUTED"


def test_a_training_that_shows_no_canary_is_undecided() -> None:
    found = ask(lambda records, rng: rng.laplace(0, 1, COINS))
    assert found.verdict == "UNDECIDED"
    assert "no better than chance" in found.certificate.evidence[0].finding


def test_several_runs_refute_what_one_does_not() -> None:
    one = ask(noisy(0.5, "normal"), "mu=1")
    more = ask(noisy(0.5, "normal"), "mu=1", runs=10)
    assert (one.verdict, more.verdict) == ("UNDECIDED", "REFUTED")
    assert len({run.made for run in more.certificate.evidence[0].replay.runs}) == 10


def test_the_same_seed_makes_the_same_certificate() -> None:
    first, again, other = ask(noisy(1.0)), ask(noisy(1.0)), ask(noisy(1.0), seed=5)
    assert first.certificate.evidence == again.certificate.evidence
    assert first.certificate.evidence != other.certificate.evidence


def test_canaries_are_made_up_over_a_domain() -> None:
    def remember(records: list[dict[str, Any]], rng: Any) -> list[dict[str, Any]]:
        return records

    found = ask(remember, canaries=60, score=None, cells="8x20", claim="epsilon=1")
    assert found.verdict == "REFUTED"
    with pytest.raises(InputError, match="4 cells, and 60 canaries"):
        ask(remember, canaries=60, score=None, cells=4)
    with pytest.raises(InputError, match="records of a domain"):
        ask(remember, canaries=60, score=None)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"canaries": None}, "one run needs canaries"),
        ({"canaries": "toy:canaries"}, "objects, too"),
        ({"canaries": [1, 2, 3], "neighbours": "replace-one"}, "come in pairs"),
        ({"unit": "person", "max_records": 2}, "a canary is one record"),
        ({"guesses": 1201}, "from 1 to that of coins, 1200"),
        ({"runs": 101}, "1 to 100 times"),
        ({"pair": ([], [1])}, "one run does not read --pair"),
        ({"until_decided": True, "rows": 4}, "--rows, --until-decided"),
        ({"released": "transcript"}, "--released transcript"),
        ({"detect": "1/2"}, "--detect is a leak beyond the claim"),
        ({"one_run": False}, "go with --one-run"),
        ({"one_run": False, "canaries": None, "score": None, "guesses": 3}, "go with --one-run"),
        ({"split": "split.json"}, "every record is a canary"),
    ],
)
def test_what_makes_no_sense_is_refused(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        ask(noisy(1.0), **asked)


def test_a_training_that_fails_says_where() -> None:
    def fail(records: list[int], rng: Any) -> Any:
        raise ValueError("no such solver")

    with pytest.raises(ProtocolError, match="gave no scores"):
        ask(fail)
    with pytest.raises(InputError, match="canaries are a list of records; found int"):
        ask(noisy(1.0), canaries=lambda: 3)


MODULE = """
import numpy as np

def canaries():
    return list(range(300))

def train(records, rng, scale=1.0):
    sums = np.zeros(300)
    sums[records] = 1
    return sums + rng.laplace(0, scale, 300)

def score(output, canary):
    return output[canary]
"""


def test_a_named_training_runs_apart_and_its_certificate_is_re_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "toy.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    found = ask("toy:train", canaries="toy:canaries", score="toy:score", parameters={"scale": 0.4})
    assert found.verdict == "REFUTED"
    assert found.certificate.subject["sources_sha256"]
    command = found.certificate.reproduce
    assert "--one-run --canaries toy:canaries --score toy:score" in command
    checks = {check.statement: check.status.value for check in verify(found.to_json()).checks}
    assert checks["the command to make it again"] == "confirmed"
    assert checks["one run"] == "confirmed"
    with pytest.raises(InputError, match="no attribute"):
        ask("toy:train", canaries="toy:absent", score="toy:score")
    with pytest.raises(InputError, match="is audited by --split"):
        ask("command:./train", canaries="toy:canaries", score="toy:score")
    with pytest.raises(InputError, match="is module:function"):
        ask("toy:train", canaries="many", score="toy:score")


def test_a_copying_release_is_refuted_and_an_honest_one_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    from audit.subjects.splits import write_split

    rng = np.random.default_rng(1)
    lines = [f"{rng.integers(18, 90)},{rng.integers(10**6)},{k % 7}\n" for k in range(500)]
    head = "age,income,city\n"
    Path("table.csv").write_text(head + "".join(lines))
    write_split("table.csv", "s", "12")
    training = Path("s/training.csv").read_text().splitlines(keepends=True)[1:]
    Path("copy.csv").write_text(head + "".join(training))
    ages = np.array([int(line.partition(",")[0]) for line in training])
    counts = np.bincount(ages // 10, minlength=10) + rng.laplace(0, 1, 10).round()
    made = [
        f"{10 * k + rng.integers(10)},{rng.integers(10**6)},{rng.integers(7)}\n"
        for k, count in enumerate(counts)
        for _ in range(max(int(count), 0))
    ]
    Path("honest.csv").write_text(head + "".join(made))
    found = {
        name: dpa.certify(
            f"outputs:{name}.csv", "epsilon=1", neighbours="add-remove", split="s/split.json"
        )
        for name in ("copy", "honest")
    }
    assert found["copy"].verdict == "REFUTED"
    assert found["honest"].verdict in ("NOT REFUTED", "UNDECIDED")
    text = found["copy"].json_text()
    assert not any(line.strip() in text for line in lines)
    assert (
        '"seed": ""' in text
        and '"made"' not in text
        and "00000000000000000000000000000012" not in text
    )
    assert verify(found["copy"].to_json()).exit_code == 0
    Path("copy.csv").write_text(head + "".join(training[1:]))
    assert verify(found["copy"].to_json()).exit_code == 3
    with pytest.raises(InputError, match="leave out --set and --python"):
        dpa.certify(
            "outputs:copy.csv",
            "epsilon=1",
            neighbours="add-remove",
            split="s/split.json",
            parameters={"rows": 3},
        )
    assert "nobody who trained has seen the holdout" in " ".join(
        str(found["copy"]).replace("│", "").split()
    )
    with pytest.raises(InputError, match="and not under replace-one"):
        dpa.certify("outputs:copy.csv", "epsilon=1", neighbours="replace-one", split="s/split.json")
