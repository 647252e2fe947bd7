"""How much an audit may do, where, and what it has already enumerated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction

from audit.channels.enumerate import Enumerated, Progress
from audit.parallel import Map, here
from audit.statements.claim import Claim
from audit.statements.looks import look_share
from audit.subjects.pair import Pair
from audit.subjects.subject import ProgramSubject
from synthesizers.curator import Setting
from synthesizers.errors import InputError
from synthesizers.events import Event
from synthesizers.plain import is_integer

ALARM = 1e-6
"""The largest probability that an honest subject is accused (that of REFUTED)."""


Watch = Callable[[int, int, float], None]
"""Told how many runs are made, of how many, and the floor so far."""

Tell = Callable[[str], None]
"""Told a line that whoever waits should read: what an attack will do, a run that failed."""


def heed_nobody(line: str) -> None:
    """Nobody waits."""


@dataclass(frozen=True)
class Attack:
    """How a box is attacked.

    ``runs``: a database, learning included. ``error``: of the floor, one minus its confidence.
    ``alarm``: the error that REFUTED may have. ``until_decided``: bet from the first run on, and
    stop once the claim is refuted. ``stop_early``: stop the runs that test the learned rule once
    they refute the claim, or those left are not expected to. ``pair``: that of the user; without
    it pairs are searched.
    ``detect``: how large a leak, in the claim's own parameter, the runs must be able to see; None
    for the usual one. ``beyond``: the causes of leaks that are known and left out of sight.
    ``min_records``: the fewest records of a searched database. ``data_is_public``: what runs say
    of their databases may be shown. ``look``: the number of the look at it, where looks are
    counted; ``error`` and ``alarm`` are then those that this look may have. ``candidates``: pairs
    that a search tries before all others, such as witnesses of other auditors; those that are no
    neighbours under the claim are left out. ``guesses``: of one run among canaries, how many coins
    are guessed; None for as many as see most.
    """

    runs: int
    seed: int
    error: Fraction
    alarm: Fraction
    until_decided: bool = False
    stop_early: bool = False
    pair: Pair | None = None
    detect: Fraction | None = None
    beyond: tuple[str, ...] = ()
    min_records: int = 0
    data_is_public: bool = False
    look: int | None = None
    candidates: tuple[Pair, ...] = ()
    guesses: int | None = None

    @property
    def mode(self) -> str:
        """How it ends, as a certificate names it."""
        if self.until_decided:
            return "anytime"
        return "curtailed" if self.stop_early else "batch"

    @property
    def runs_beside(self) -> int:
        """The most runs of each other auditor: a tenth of the attack's, on both databases."""
        return 2 * self.runs // 10

    def at_look(self, look: int | None) -> Attack:
        """The same, whose errors are for all looks, as one of them."""
        share = look_share(look)
        return replace(self, error=self.error * share, alarm=self.alarm * share, look=look)


@dataclass(eq=False)
class Enumeration:
    """The enumeration of an audit's own instance, once one of its auditors has made it."""

    about: tuple[ProgramSubject, Claim, Setting] | None = None
    enumerated: Enumerated | None = None


@dataclass(frozen=True)
class Effort:
    """How much an audit may do.

    ``rows``: the public number of rows that outputs and bounds use, where the
    claim's own number of records does not say it. ``jobs``: processes. ``attack``: how a black box
    is attacked, and a program beside its analysis; its runs are made by ``share``, ``watch`` is
    told of them, and ``tell`` before of what they will be; ``planned``: it was. ``trusted``: the
    user takes a program's word where nothing keeps it apart. ``auditors``: those that the user
    named; None for each that fits and is quick.

    Of auditors of properties: ``seed``, of what they draw; ``alarm``, the largest probability that
    an honest subject is accused; ``pairs``, the most that are looked at, and ``runs``, the most of
    one test, by default as many as each auditor thinks right. Raises InputError for numbers that
    are none of these.
    """

    rows: int | None = None
    jobs: int = 1
    attack: Attack | None = None
    share: Map = here
    watch: Watch | None = None
    tell: Tell = heed_nobody
    planned: bool = False
    trusted: bool = False
    auditors: tuple[str, ...] | None = None
    seed: int = 0
    alarm: float = ALARM
    pairs: int | None = None
    runs: int | None = None
    progress: Progress | None = None
    enumeration: Enumeration = field(default_factory=Enumeration, compare=False, repr=False)

    def __post_init__(self) -> None:
        for what, number in (("pairs", self.pairs), ("runs", self.runs)):
            if number is not None and (not is_integer(number) or number < 1):
                raise InputError(f"{what} must be a whole number of at least 1, found {number!r}")
        if not is_integer(self.seed) or self.seed < 0:
            raise InputError(f"the seed must be a whole number of at least 0, found {self.seed!r}")
        if not isinstance(self.alarm, int | float) or not 0 < self.alarm < 1:
            raise InputError(f"the alarm must lie strictly between 0 and 1, found {self.alarm!r}")

    def setting(self, claim: Claim) -> Setting:
        """The public setting of a program under a claim; raises InputError without its sizes."""
        rows = claim.records if self.rows is None else self.rows
        if claim.neighbours.records_public and claim.records is None:
            raise InputError("under replace-one the number of records is public: give --records N")
        if rows is None:
            raise InputError(
                "the number of records is private, so the program needs a public number of rows: "
                "give --records N (databases of 0 to N records) or --rows M"
            )
        public = claim.records if claim.neighbours.records_public else None
        return Setting(claim.require_domain(), claim.neighbours, public, rows)

    def ledgers(self, subject: ProgramSubject, claim: Claim) -> frozenset[tuple[Event, ...]] | None:
        """All ledgers of a program; None unless each of its transcripts was visited before."""
        about, enumerated = self.enumeration.about, self.enumeration.enumerated
        if about is None or enumerated is None or about[0] is not subject:
            return None
        same = about[1:] == (claim, self.setting(claim))
        return enumerated.ledgers if same and enumerated.complete else None

    def require_attack(self) -> Attack:
        """How a subject is attacked; raises InputError where nobody said it."""
        if self.attack is None:
            raise InputError("a black box can only be attacked: say how, with --runs N")
        return self.attack
