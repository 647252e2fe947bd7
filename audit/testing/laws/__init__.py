"""Laws: what every noise, query, law of tables, selection, program, metric and auditor must keep.

They run on anybody's class: ::

    from audit.testing.laws import parametrize_with_laws


    @parametrize_with_laws([MyNoise(scale=2), MyProgram(epsilon=1)])
    def test_laws(law):
        law()
"""

from audit.testing.laws.law import Law, LawBroken
from audit.testing.laws.parametrized import Trial, laws_of, parametrize_with_laws

__all__ = ["Law", "LawBroken", "Trial", "laws_of", "parametrize_with_laws"]
