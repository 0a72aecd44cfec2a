"""What is asked, and of what: a plan, and a study that binds it to a table."""

from elcs.study.plan import Plan
from elcs.study.study import Study

__all__ = ["Plan", "Study"]
