"""Learners that misbehave, each as the lines that differ from a correct one, and what is reported.

A case has the body of `learn_node` (or lines of the class, or of the module), and a part of the reason.
"""

from __future__ import annotations

from typing import NamedTuple

TEMPLATE = """\
import os, signal, subprocess, sys, time
from collections import namedtuple
from dataclasses import dataclass, field, replace
from decimal import Decimal
import numpy as np
from ctbnlab import Evidence, InputError, NodeResult, Skip, TwoStage

{module}

def answer(statistics, **changes):
    target = statistics.target
    evidence = tuple(Evidence(j, False, "none") for j in range(len(statistics.variables)) if j != target)
    return replace(NodeResult(target, (), evidence), **changes)

def entry(statistics, **changes):
    other = 1 if statistics.target == 0 else 0
    return answer(statistics, evidence=(replace(Evidence(other, False, "none"), **changes),))

@dataclass(frozen=True)
class Mine({base}):
    alpha: float = 0.1
{members}

    def {method}(self, statistics, knowledge):
        {body}
"""


class Case(NamedTuple):
    """A learner that fails; the reason is that of one node, or of all if it comes from elsewhere."""

    reason: str
    body: str = "return answer(statistics)"
    members: str = ""
    module: str = ""
    base: str = ""
    method: str = "learn_node"
    at_load: bool = False  # refused while it is loaded: exit status 2
    per_node: bool = True  # the reason begins with the node's name

    @property
    def source(self) -> str:
        """The text of the learner's file."""
        return TEMPLATE.format(**self._asdict())


def _returns(what: str, reason: str) -> Case:
    return Case(reason, f"return answer(statistics, {what})")


def _entry(what: str, reason: str) -> Case:
    return Case(reason, f"return entry(statistics, {what})")


def _loads(module: str, reason: str) -> Case:
    return Case(reason, module=module, at_load=True, per_node=False)


def _constructs(body: str, reason: str) -> Case:
    members = f"    def __post_init__(self):\n        {body}\n"
    return Case(reason, members=members, at_load=True, per_node=False)


ENDED = "the learner ended the process with exit status"
FAILURES = {
    # ---- The process ----
    "sys.exit(0)": Case("SystemExit: 0", "sys.exit(0)"),
    "sys.exit(3)": Case("SystemExit: 3", "sys.exit(3)"),
    "sys.exit with text": Case("SystemExit: bye", "sys.exit('bye')"),
    "os._exit(0)": Case(f"{ENDED} 0", "os._exit(0)", per_node=False),
    "os._exit(3)": Case(f"{ENDED} 3", "os._exit(3)", per_node=False),
    "segmentation fault": Case("killed by SIGSEGV", "os.kill(os.getpid(), signal.SIGSEGV)", per_node=False),
    "abort": Case("killed by SIGABRT", "os.abort()", per_node=False),
    "bus error": Case("killed by SIGBUS", "os.kill(os.getpid(), signal.SIGBUS)", per_node=False),
    "alarm": Case(
        "killed by SIGALRM", "signal.setitimer(signal.ITIMER_REAL, 0.05); time.sleep(60)", per_node=False
    ),
    "KeyboardInterrupt": Case("KeyboardInterrupt", "raise KeyboardInterrupt"),
    "GeneratorExit": Case("GeneratorExit", "raise GeneratorExit"),
    "another kind of exception": Case(
        "Odd: what", "raise Odd('what')", module="class Odd(BaseException):\n    pass"
    ),
    "exception that cannot be shown": Case(
        "Odd", "raise Odd", module="class Odd(Exception):\n    def __str__(self): raise ValueError"
    ),
    "exception in two lines": Case("ValueError: one two", "raise ValueError('one\\ntwo')"),
    "exception with half a character": Case(r"ValueError: \ud800", "raise ValueError('\\ud800')"),
    "MemoryError": Case("out of memory", "raise MemoryError"),
    "too much memory": Case("out of memory", "return np.zeros(10**15)"),
    "recursion": Case("RecursionError", "return self.learn_node(statistics, knowledge)"),
    "InputError": Case("InputError: bad", "raise InputError('bad')"),
    "LoadError": Case(
        "bad", "raise LoadError('bad')", module="from ctbnlab.learning.plugins import LoadError"
    ),
    # ---- While it is loaded ----
    "error at import": _loads("1 / 0", "cannot be loaded (ZeroDivisionError: division by zero)"),
    "sys.exit(0) at import": _loads("sys.exit(0)", "cannot be loaded (SystemExit: 0)"),
    "sys.exit(3) at import": _loads("sys.exit(3)", "cannot be loaded (SystemExit: 3)"),
    "KeyboardInterrupt at import": _loads("raise KeyboardInterrupt", "cannot be loaded (KeyboardInterrupt)"),
    "another kind of exception at import": _loads(
        "class Odd(BaseException):\n    pass\nraise Odd", "cannot be loaded (Odd)"
    ),
    "MemoryError at import": _loads("raise MemoryError", "cannot be loaded (out of memory)"),
    "syntax error": _loads("def (", "cannot be loaded (SyntaxError: invalid syntax"),
    "os._exit(0) at import": Case(f"{ENDED} 0", module="os._exit(0)", per_node=False),
    "sys.exit(0) in the constructor": _constructs(
        "sys.exit(0)", "the class Mine cannot be called (SystemExit: 0)"
    ),
    "sys.exit(3) in the constructor": _constructs(
        "sys.exit(3)", "the class Mine cannot be called (SystemExit: 3)"
    ),
    "error in the constructor": _constructs(
        "raise ValueError('no')", "the class Mine cannot be called (ValueError: no)"
    ),
    "os._exit(0) in the constructor": _constructs("os._exit(0)", f"{ENDED} 0")._replace(at_load=False),
    "an option without a value": Case(
        "the class Mine cannot be called (TypeError",
        members="    needed: float = field(kw_only=True)\n",
        at_load=True,
        per_node=False,
    ),
    "an option that is not set": Case(
        "AttributeError", members="    unset: float = field(init=False)\n", per_node=False
    ),
    "a property that fails": Case(
        "its attribute table_memory cannot be read: ZeroDivisionError: division by zero",
        members="    @property\n    def table_memory(self): return 1 / 0\n",
        per_node=False,
    ),
    "a property that interrupts": Case(
        "the learner raised KeyboardInterrupt",
        members="    @property\n    def wants_pairs(self): raise KeyboardInterrupt\n",
        per_node=False,
    ),
    "a property that exits": Case(
        "SystemExit: 0",
        members="    @property\n    def wants_pairs(self): sys.exit(0)\n",
        per_node=False,
    ),
    "memory as text": Case(
        "its attribute table_memory must be a whole number, not '1 GB'",
        members="    table_memory = '1 GB'\n",
        per_node=False,
    ),
    # ---- The answer ----
    "nothing returned": Case("the learner returned NoneType, not a NodeResult", "pass"),
    "a generator": Case("the learner returned generator, not a NodeResult", "yield answer(statistics)"),
    "a tuple": Case(
        "the learner returned tuple, not a NodeResult", "return (statistics.target, (), (), {}, ())"
    ),
    "a look-alike": Case(
        "the learner returned Alike, not a NodeResult",
        "return Alike(statistics.target, (), (), {}, ())",
        module="Alike = namedtuple('Alike', 'target parents evidence counts notes')",
    ),
    "a subclass whose parents cannot be read": Case(
        "ZeroDivisionError",
        "return Sub(statistics.target, (), ())",
        module="class Sub(NodeResult):\n"
        "    def __getattribute__(self, name):\n"
        "        return 1 / 0 if name == 'parents' else object.__getattribute__(self, name)",
    ),
    "another target": _returns("target=statistics.target + 1", "the learner answered for node"),
    "a target of another type": _returns("target=float(statistics.target)", "the learner answered for node"),
    "parents None": _returns("parents=None", "the parents must be a tuple of whole numbers, not None"),
    "parents as floats": _returns("parents=(1.0,)", "the parents must be whole numbers, not (1.0,)"),
    "parents as bools": _returns("parents=(True,)", "the parents must be whole numbers, not (True,)"),
    "parents as names": _returns("parents=('A',)", "the parents must be whole numbers, not ('A',)"),
    "parents as text": _returns("parents='AB'", "the parents must be a tuple of whole numbers, not 'AB'"),
    "parents as an iterator": _returns(
        "parents=iter(())", "the parents must be a tuple of whole numbers, not <tuple_iterator object>"
    ),
    "parents as a set": _returns("parents={1}", "the parents must be a tuple of whole numbers, not {1}"),
    "parents in a matrix": _returns("parents=np.zeros((1, 1), int)", "the parents must be a tuple"),
    "parents out of order": _returns("parents=(2, 1)", "not distinct other variables in increasing order"),
    "parents twice": _returns("parents=(3, 3)", "not distinct other variables in increasing order"),
    "parents that do not exist": _returns("parents=(-1, 99)", "not distinct other variables in increasing"),
    "itself as a parent": _returns("parents=(statistics.target,)", "not distinct other variables"),
    "a required arc missing": Case(
        "X1: the parents () violate the required or forbidden arcs", per_node=False
    ),
    "a forbidden arc": Case(
        "X2: the parents (2,) violate the required or forbidden arcs",
        "n = statistics.target == 1\n"
        "        return answer(statistics, parents=knowledge.required or (2,) * n, evidence=())",
        per_node=False,
    ),
    "too many parents": Case(
        "X3: the parents (0, 1, 3) are more than the 2 allowed",
        "n = statistics.target == 2\n"
        "        return answer(statistics, parents=knowledge.required or (0, 1, 3) * n, evidence=())",
        per_node=False,
    ),
    "evidence None": _returns("evidence=None", "the evidence must be a tuple, not None"),
    "evidence as an iterator": _returns(
        "evidence=iter(())", "the evidence must be a tuple, not <tuple_iterator"
    ),
    "evidence as a dict": _returns("evidence={}", "the evidence must be a tuple, not {}"),
    "evidence of another type": _returns(
        "evidence=((1, False, 'none'),)", "the evidence contains (1, False, 'none'), not an Evidence"
    ),
    "evidence about no variable": _entry("candidate=99", "the candidate 99, which is not a variable"),
    "evidence about a negative number": _entry("candidate=-1", "the candidate -1, which is not a variable"),
    "evidence about a name": _entry("candidate='A'", "the candidate 'A', which is not a variable"),
    "evidence about a bool": _entry("candidate=True", "the candidate True, which is not a variable"),
    "evidence about itself": _entry("candidate=statistics.target", "about distinct other variables"),
    "evidence twice": Case(
        "the evidence must be about distinct other variables",
        "return answer(statistics, evidence=entry(statistics).evidence * 2)",
    ),
    "evidence kept without a parent": _entry("kept=True", "kept in the evidence differ from the parents"),
    "kept as text": _entry("kept='no'", "the evidence has kept='no', which is not true or false"),
    "why None": _entry("why=None", "the evidence: why must be text, not None"),
    "why with half a character": _entry("why='\\ud800'", "contains half of a Unicode surrogate pair"),
    "a p-value as text": _entry("p_value='nan'", "the evidence has p_value='nan', which is not a number"),
    "a decimal NaN": _entry("statistic=Decimal('NaN')", "the evidence has statistic=Decimal('NaN')"),
    "a complex infinity": _entry("gain=complex('inf')", "the evidence has gain=(inf+0j)"),
    "a gain as a bool": _entry("gain=True", "the evidence has gain=True, which is not a number"),
    "a gain as an array": _entry("gain=np.ones(2)", "the evidence has gain=array([1., 1.])"),
    "a separating set with a bad index": _entry("separating_set=(99,)", "the separating set (99,) contains"),
    "a separating set of names": _entry("separating_set=('A',)", "the separating set must be whole numbers"),
    "a separating set as a number": _entry("separating_set=1", "the separating set must be a tuple"),
    "counts None": _returns("counts=None", "the counts must be a mapping of names to whole numbers"),
    "counts as a list": _returns("counts=[('tests', 1)]", "the counts must be a mapping of names"),
    "counts as floats": _returns(
        "counts={'tests': 1.0}", "the count 'tests' must be a whole number, not 1.0"
    ),
    "counts without names": _returns("counts={1: 1}", "the counts: a name must be text, not 1"),
    "notes as text": _returns("notes='short'", "the notes must be a tuple of texts, not 'short'"),
    "notes None": _returns("notes=None", "the notes must be a tuple of texts, not None"),
    "a note of another type": _returns("notes=(1,)", "a note must be text, not 1"),
    # ---- Statistics, and two stages ----
    "writing to a table": Case(
        "ValueError: assignment destination is read-only", "statistics.table(()).values[:] = 0"
    ),
    "writing to the times of a pair": Case(
        "ValueError: assignment destination is read-only",
        "next(iter(statistics.pairs().values())).time[:] = 0",
    ),
    "prepare returns nothing": Case(
        "prepare returned NoneType, not a function", "pass", base="TwoStage", method="prepare"
    ),
    "prepare returns an answer": Case(
        "prepare returned NodeResult, not a function", base="TwoStage", method="prepare"
    ),
    "prepare exits": Case("SystemExit: 0", "sys.exit(0)", base="TwoStage", method="prepare"),
    "the second stage exits": Case(
        "SystemExit: 0", "return lambda: sys.exit(0)", base="TwoStage", method="prepare"
    ),
}

# Unusual, but correct: learned like any other.
SUCCESSES = {
    "plain": Case(""),
    "parents as numpy integers": Case(
        "", "return answer(statistics, parents=(np.int32(1),) * (statistics.target == 0), evidence=())"
    ),
    "parents as an array": Case(
        "", "return answer(statistics, parents=np.arange(1, 1 + (statistics.target == 0)), evidence=[])"
    ),
    "parents as a list": _returns("parents=[], evidence=[], notes=[]", ""),
    "numpy everywhere": Case(
        "",
        "return replace(entry(statistics, candidate=np.uint8(statistics.target == 0), kept=np.bool_(False), "
        "why=np.str_('none'), p_value=np.float32('nan'), statistic=np.float64('inf'), "
        "degrees_of_freedom=np.int64(3), separating_set=[np.int64(0)]), target=np.int64(statistics.target), "
        "counts={'tests': np.int64(3)})",
    ),
    "a subclass": Case(
        "",
        "return Sub(statistics.target, (), ())",
        module="class Sub(NodeResult):\n    pass",
    ),
    "evidence of a subclass": Case(
        "",
        "return answer(statistics, evidence=(Sub(int(statistics.target == 0), False, 'none'),))",
        module="class Sub(Evidence):\n    pass",
    ),
    "another folder": Case("", "os.chdir('/'); return answer(statistics)"),
    "stdout closed": Case("", "sys.stdout.close(); return answer(statistics)"),
    "files closed": Case("", "os.closerange(0, 3); return answer(statistics)"),
    "streams replaced": Case(
        "", "sys.stdout = sys.stderr = open(os.devnull, 'w'); return answer(statistics)"
    ),
    "a thread that never ends": Case(
        "",
        module="import threading\nthreading.Thread(target=time.sleep, args=(600,)).start()",
    ),
    "a process that never ends": Case("", module="subprocess.Popen(['sleep', '600'])"),
    "an infinite option": Case("", members="    bound: float = float('inf')\n"),
    "an inherited option": Case(
        "", base="Base", module="@dataclass(frozen=True)\nclass Base:\n    beta: float = 1.0"
    ),
}
