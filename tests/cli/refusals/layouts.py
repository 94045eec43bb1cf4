"""Bad tables of the layouts with intervals, events or people, bad rules and bad tables of people."""

# ruff: noqa: E501 - a case is a line

from __future__ import annotations

from tests.cli.refusals import Case, parquet

_INTERVALS = "id,variable,state,start,end\n"
_EPISODES = "id,variable,start,end\n"
_ROWS = "id,start,stop,event,A\n"
_PERSON = "id,start,end,relapse,sex\n"
_LOG = "id,time,event\n1,0,a\n1,1,b\n2,0,b\n2,3,a\n"
_VALUES = "id,time,event,value\n1,0,a,1\n1,1,b,\n"
_PEOPLE = "id,start,end,sex,death\n1,0,9,f,0\n2,0,8,m,1\n"


def table(layout, message, text, options=""):
    """Return the case of a CSV file."""
    return Case(f"convert d.csv x.arrow --layout {layout} {options}", f"d.csv: {message}", {"d.csv": text})


def rules(message, text, name="r.toml", log=_LOG):
    """Return the case of a file of rules."""
    return Case(
        f"convert d.csv x.arrow --layout event-log --rules {name}",
        f"{name}: {message}",
        {"d.csv": log, name: text},
    )


def people(message, text, options="--static sex --terminal death", log=_LOG):
    """Return the case of a table of people, which the message names first."""
    files = {"d.csv": log, "p.csv": text}
    return Case(f"convert d.csv x.arrow --layout event-log --people p.csv {options}", message, files)


INTERVALS = {
    "intervals: no end": table("intervals", "no 'end' column; found: id, variable, state, start; name it with --end", "id,variable,state,start\n1,A,x,0\n"),
    "intervals: no start": table("intervals", "no 'start' column; found: id, variable, end; name it with --start", "id,variable,end\n1,A,0\n"),
    "intervals: no variable": table("intervals", "no 'variable' column; found: id, start, end", "id,start,end\n1,0,2\n"),
    "intervals: two ends": table("intervals", "two columns could be the end: 'end' and 'stop'; choose with --end", "id,variable,start,end,stop\n1,A,0,2,2\n"),
    "intervals: end before start": table("intervals", "line 3: the interval of trajectory '1' ends before it starts (1 < 2)", _INTERVALS + "1,A,x,0,2\n1,A,x,2,1\n"),
    "intervals: end before start, further on": table("intervals", "line 4: the interval of trajectory '2' ends before it starts", _INTERVALS + "1,A,x,0,2\n2,A,x,2,5\n2,B,x,2,1\n1,B,x,0,2\n"),
    "intervals: overlap": table("intervals", "line 3: variable 'A' of trajectory '1' is 'x' and 'y' at the same time", _INTERVALS + "1,A,x,0,2\n1,A,y,1,3\n"),
    "intervals: overlap with an open one": table("intervals", "line 3: variable 'A' of trajectory '1' is 'x' and 'y' at the same time", _INTERVALS + "1,A,x,0,\n1,A,y,9,12\n"),
    "intervals: variable is missing": table("intervals", "line 3: the variable is missing", _INTERVALS + "1,A,x,0,2\n1,,y,2,3\n"),
    "intervals: id is missing": table("intervals", "line 3: the trajectory label is missing", _INTERVALS + "1,A,x,0,2\n,A,y,2,3\n"),
    "intervals: state is missing": table("intervals", "line 3: the state of variable 'A' is missing", _INTERVALS + "1,A,x,0,2\n1,A,,2,3\n", "--missing error"),
    "intervals: time between is missing": table("intervals", "line 2: variable 'A' of trajectory '1' is unobserved from 2 on", _INTERVALS + "1,A,x,0,2\n1,A,y,5,7\n", "--missing error"),
    "intervals: start is missing": table("intervals", "line 3: the interval of trajectory '1' has no finite start", _EPISODES + "1,A,0,2\n1,A,,3\n"),
    "intervals: start is infinite": table("intervals", "line 2: the interval of trajectory '1' has no finite start", _EPISODES + "1,A,-inf,2\n"),
    "intervals: end is infinite": table("intervals", "line 2: the interval of trajectory '1' has no finite end", _EPISODES + "1,A,0,inf\n"),
    "intervals: no end of any": table("intervals", "line 3: trajectory '2' has no end; ", _EPISODES + "1,A,0,2\n2,A,1,\n2,B,3,\n"),
    "intervals: dates and numbers": table("intervals", "column 'start' has dates but 'end' has numbers; times must be of the same kind", _EPISODES + "1,A,2020-01-01,3\n"),
    "intervals: a date among numbers": table("intervals", "line 3: '2020-01-01' in column 'end' is not a number", _EPISODES + "1,A,0,3\n1,A,5,2020-01-01\n"),
    "intervals: no such variable": table("intervals", "no interval of variable 'C', which --variables names", _EPISODES + "1,A,0,3\n", "--variables A,C"),
    "intervals: measured": table("intervals", "column 'A' looks measured (1.5, …): cut it with --cut 'A:…'", _INTERVALS + "1,A,1.5,0,2\n"),
    "intervals: empty file": table("intervals", "the file is empty", ""),
    "intervals: header only": table("intervals", "the table has no rows", _INTERVALS),
    "intervals: header only, no states": table("intervals", "the table has no rows", _EPISODES),
    "intervals: nothing but missing states": table("intervals", "variable 'A' has no value in any row; leave it out with --variables", _INTERVALS + "1,A,,0,2\n"),
}  # fmt: skip
START_STOP = {
    "start/stop: no stop": table("start-stop", "no 'end' column; found: id, start, event, A; name it with --end", "id,start,event,A\n1,0,0,x\n"),
    "start/stop: overlap": table("start-stop", "line 3: a row of trajectory '1' overlaps another row", _ROWS + "1,0,2,0,x\n1,1,3,1,y\n"),
    "start/stop: stop before start": table("start-stop", "line 2: a row of trajectory '1' ends before it starts (0 < 2)", _ROWS + "1,2,0,0,x\n"),
    "start/stop: start is missing": table("start-stop", "line 3: a row of trajectory '1' has no finite start", _ROWS + "1,0,2,0,x\n1,,3,0,x\n"),
    "start/stop: stop is infinite": table("start-stop", "line 2: a row of trajectory '1' has no finite end", _ROWS + "1,0,inf,0,x\n"),
    "start/stop: no nothing": table("start-stop", "column 'event' must have one value that means that nothing happened, such as 0, no, FALSE or censored; found: '1', '2'", _ROWS + "1,0,2,1,x\n1,2,3,2,x\n"),
    "start/stop: two nothings": table("start-stop", "column 'event' must have one value that means that nothing happened, such as 0, no, FALSE or censored; found: '0', '1', 'no'", _ROWS + "1,0,2,0,x\n1,2,3,no,x\n1,3,4,1,x\n"),
    "start/stop: event is missing": table("start-stop", "line 3: the state of variable 'event' is missing", _ROWS + "1,0,2,0,x\n1,2,3,,x\n"),
    "start/stop: two states at once": table("start-stop", "line 3: variable 'A' of trajectory '1' has two states at one time, 'x' and 'y'", _ROWS + "1,0,0,0,x\n1,0,3,0,y\n"),
    "start/stop: no such variable": table("start-stop", "no column 'B', which --variables names; found: id, start, stop, event, A", _ROWS + "1,0,2,0,x\n", "--variables B"),
    "start/stop: no such event": table("start-stop", "no column 'status', which --event names; found: id, start, stop, event, A", _ROWS + "1,0,2,0,x\n", "--event status"),
    "start/stop: no variables": table("start-stop", "no variable columns besides 'start' and 'stop' and 'id'", "id,start,stop\n1,0,2\n"),
    "start/stop: header only": table("start-stop", "column 'event' has no value in any row", _ROWS),
    "start/stop: dates and numbers": table("start-stop", "column 'start' has dates but 'stop' has numbers", _ROWS + "1,2020-01-01,2,0,x\n"),
}  # fmt: skip
ONE_ROW = {
    "person: no end": table("person", "no 'end' column; found: id, start, relapse; name it with --end", "id,start,relapse\n1,0,2\n"),
    "person: no events": table("person", "no column tells when something happened; name one or more with --event", _PERSON + "1,0,9,,f\n"),
    "person: no such event": table("person", "no column 'death', which --event names; found: id, start, end, relapse, sex", _PERSON + "1,0,9,2,f\n", "--event death"),
    "person: twice": table("person", "line 4: a second row of '1': this layout has one row per person", _PERSON + "1,0,9,2,f\n2,0,9,2,m\n1,0,9,2,f\n", "--event relapse"),
    "person: end is missing": table("person", "line 3: trajectory '2' has no end; fill it in", _PERSON + "1,0,9,2,f\n2,0,,2,f\n", "--event relapse"),
    "person: start is missing": table("person", "line 2: trajectory '1' has no start; fill it in", _PERSON + "1,,9,2,f\n", "--event relapse"),
    "person: end before start": table("person", "line 2: trajectory '1' ends before it starts (1 < 3)\n", _PERSON + "1,3,1,2,f\n", "--event relapse"),
    "person: id is missing": table("person", "line 3: the trajectory label is missing", _PERSON + "1,0,9,2,f\n,0,9,2,f\n", "--event relapse"),
    "person: happened at no time": table("person", "line 3: 'rel' happened, but its time is missing", "id,end,rel,rel.s\n1,9,2,1\n2,9,,1\n3,9,,0\n"),
    "person: status of no nothing": table("person", "column 'rel.s' must have one value that means that nothing happened", "id,end,rel,rel.s\n1,9,2,1\n"),
    "person: dates without a start": table("person", "observation ends at a date, but starts nowhere; name a column with --start", "id,end,relapse\n1,2020-01-09,2020-01-05\n"),
    "person: dates and numbers": table("person", "column 'relapse' has dates but 'end' has numbers", _PERSON + "1,0,9,2020-01-01,f\n"),
    "person: an event that is no time": table("person", "line 2: 'f' in column 'sex' is not a number", _PERSON + "1,0,9,2,f\n", "--event sex"),
    "person: no such terminal column": table("person", "terminal: no variable 'death'; the data have relapse, sex", _PERSON + "1,0,9,2,f\n", "--event relapse --terminal death"),
    "person: no such variable": table("person", "no column 'bmi', which --variables names; found: id, start, end, relapse, sex", _PERSON + "1,0,9,2,f\n", "--event relapse --variables bmi"),
    "person: header only": table("person", "the table has no rows", _PERSON, "--event relapse"),
    "sequence: reversed": table("sequence", "--start m2 and --end m1 must name the first and the last column of a period, in the order of the table", "id,m1,m2\n1,x,y\n", "--start m2 --end m1"),
    "sequence: one period": table("sequence", "--start m1 and --end m1 must name the first and the last column of a period", "id,m1,m2\n1,x,y\n", "--start m1 --end m1"),
    "sequence: no periods": table("sequence", "name the first and the last column of a period with --start and --end", "id,m1,m2\n1,x,y\n"),
    "sequence: no such period": table("sequence", "no column 'm3', which --end names; found: id, m1, m2", "id,m1,m2\n1,x,y\n", "--start m1 --end m3"),
    "sequence: id among the periods": table("sequence", "--start m1 and --end m2 must name the first and the last column of a period", "m1,id,m2\nx,1,y\n", "--start m1 --end m2"),
    "sequence: a column of the variable's name": table("sequence", "a column is called 'state', as the variable of the sequences; rename it", "id,m1,m2,state\n1,x,y,z\n", "--start m1 --end m2"),
    "sequence: twice": table("sequence", "line 3: a second row of '1'", "id,m1,m2\n1,x,y\n1,x,y\n", "--start m1 --end m2"),
    "sequence: header only": table("sequence", "the table has no rows", "id,m1,m2\n", "--start m1 --end m2"),
    "period: single periods": table("period", "no trajectory has two periods, which would show how long one is; use --layout wide", "id,time,A\n1,0,x\n1,0,x\n2,1,y\n"),
    "period: time is missing": table("period", "line 3: the time is missing", "id,time,A\n1,0,x\n1,,x\n1,2,x\n"),
    "period: time is infinite": table("period", "line 3: the time inf is not finite", "id,time,A\n1,0,x\n1,inf,x\n1,2,x\n"),
    "period: header only": table("period", "the table has no rows", "id,time,A\n"),
}  # fmt: skip
LOGS = {
    "log: event is missing": table("event-log", "line 3: the event is missing", "id,time,event\n1,0,a\n1,1,\n"),
    "log: time is missing": table("event-log", "line 3: the time is missing", "id,time,event\n1,0,a\n1,,a\n"),
    "log: time is infinite": table("event-log", "line 2: the time is not finite", "id,time,event\n1,inf,a\n"),
    "log: id is missing": table("event-log", "line 3: the trajectory label is missing", "id,time,event\n1,0,a\nNA,1,a\n"),
    "log: no events": table("event-log", "no 'event' column; found: id, time, what; name it with --event", "id,time,what\n1,0,a\n"),
    "log: no times": table("event-log", "no 'time' column; found: id, when, event; name it with --time", "id,when,event\n1,0,a\n"),
    "log: too many kinds": table("event-log", "column 'event' has 101 kinds of events; choose some with --variables, or write a file of rules and name it with --rules", "id,time,event\n" + "".join(f"1,{k},e{k}\n" for k in range(101))),
    "log: no such event": table("event-log", "no event 'c' in column 'event', which --variables names", _LOG, "--variables a,c"),
    "log: states are declared": Case("convert d.csv x.arrow --layout event-log --states s.json", "d.csv: states are declared for 'a', but the rules give the states of an event log", {"d.csv": _LOG, "s.json": {"a": ["no", "yes"]}}),
    "log: header only": table("event-log", "the table has no rows", "id,time,event\n"),
    "log: header only, with rules": Case("convert d.csv x.arrow --rules r.toml", "d.csv: the table has no rows", {"d.csv": "id,time,event\n", "r.toml": "[variables.A]\never = 'a'\n"}),
    "log: no column of values": Case("convert d.csv x.arrow --rules r.toml", "d.csv: no column 'numeric_value' or 'value', which the rule of 'A' needs", {"d.csv": _LOG, "r.toml": "[variables.A]\nvalue = 'a'\ncut = [1]\n"}),
    "log: values that are no numbers": Case("convert d.csv x.arrow --rules r.toml", "d.csv: line 3: 'high' in column 'value' is not a number", {"d.csv": _VALUES.replace("b,", "b,high"), "r.toml": "[variables.A]\nvalue = 'a'\ncut = [1]\n"}),
    "log: no such rule": Case("convert d.csv x.arrow --rules r.toml --variables B", "d.csv: --variables names 'B', which the rules do not have", {"d.csv": _LOG, "r.toml": "[variables.A]\never = 'a'\n"}),
    "MEDS: no codes": Case("convert d.parquet x.arrow --layout meds", "d.parquet: no 'code' column, which MEDS data have; found: subject_id, time", {"d.parquet": parquet({"subject_id": [1, 1], "time": [0.0, 1.0]})}),
    "MEDS: no people": Case("convert d.csv x.arrow --layout meds", "d.csv: no 'subject_id' column, which MEDS data have; found: id, time, code", {"d.csv": "id,time,code\n1,0,a\n"}),
    "MEDS: code is missing": Case("convert d.csv x.arrow", "d.csv: line 3: the event is missing", {"d.csv": "subject_id,time,code\n1,,a\n1,1,\n"}),
    "MEDS: time is infinite": Case("convert d.csv x.arrow", "d.csv: line 2: the time is not finite", {"d.csv": "subject_id,time,code\n1,-inf,a\n"}),
    "MEDS: nothing but births": Case("convert d.csv x.arrow", "d.csv: column 'code' has births only", {"d.csv": "subject_id,time,code\n1,0,MEDS_BIRTH\n"}),
    "MEDS: header only": Case("convert d.csv x.arrow", "d.csv: the table has no rows", {"d.csv": "subject_id,time,code\n"}),
}  # fmt: skip
RULES = {
    "rules: do not exist": Case("convert d.csv x.arrow --rules none.toml", "none.toml: No such file", {"d.csv": _LOG}),
    "rules: a folder": Case("convert d.csv x.arrow --rules folder", "folder: ", {"d.csv": _LOG}),
    "rules: no TOML": rules("is not TOML: ", "[variables.A\n"),
    "rules: no JSON": rules("line 1, column 2: is not JSON", "{", "r.json"),
    "rules: binary": rules("is not UTF-8 text", b"\xff\xfe\x00\x01"),
    "rules: a table": rules("is not TOML: ", _LOG),
    "rules: a list": rules("must be a table of keys and values", [1], "r.json"),
    "rules: empty": rules("no variables; write a table [variables.NAME] for each", ""),
    "rules: unknown key": rules("unknown key 'variable'; known: observation, variables", "[variable.A]\never = 'a'\n"),
    "rules: unknown key of a variable": rules("variables.A: unknown key 'first'; known: ", "[variables.A]\nfirst = 'a'\n"),
    "rules: key of another kind": rules("variables.A: unknown key 'max'; known: ever", "[variables.A]\never = 'a'\nmax = 2\n"),
    "rules: two kinds": rules("variables.A: must have exactly one of the keys states, ever, count, within, value", "[variables.A]\never = 'a'\ncount = 'b'\n"),
    "rules: no kind": rules("variables.A: must have exactly one of the keys states, ever, count, within, value", "[variables.A]\n"),
    "rules: a variable is a text": rules("variables.A: must be a table of keys and values", "[variables]\nA = 'ever'\n"),
    "rules: events are a number": rules('variables.A: events must be a list of texts, as in ["fall", "E11*"]', "[variables.A]\never = 3\n"),
    "rules: an event is a number": rules("variables.A: events must be a list of texts", "[variables.A]\never = ['a', 3]\n"),
    "rules: an event is empty": rules("variables.A: events must be a list of texts", "[variables.A]\never = ['']\n"),
    "rules: no events": rules("variables.A: events must be a list of texts", "[variables.A]\never = []\n"),
    "rules: within is negative": rules("variables.A: within must be a positive number, in the unit of time", "[variables.A]\nwithin = -1\nevents = 'a'\n"),
    "rules: within no events": rules("variables.A: events must be a list of texts", "[variables.A]\nwithin = 1\n"),
    "rules: within is infinite": rules("variables.A: within must be a positive number", "[variables.A]\nwithin = inf\nevents = 'a'\n"),
    "rules: within more than a double": rules("variables.A: within must be a positive number", f"[variables.A]\nwithin = 1{'0' * 400}\nevents = 'a'\n"),
    "rules: a cut beyond a double": rules("variables.A: cut must be a list of increasing numbers", f"[variables.A]\nvalue = 'a'\ncut = [1{'0' * 400}]\n"),
    "rules: count to 0": rules("variables.A: max must be a whole number from 1 to ", "[variables.A]\ncount = 'a'\nmax = 0\n"),
    "rules: count to a thousand": rules("variables.A: max must be a whole number from 1 to ", "[variables.A]\ncount = 'a'\nmax = 1000\n"),
    "rules: cuts that decrease": rules("variables.A: cut must be a list of increasing numbers", "[variables.A]\nvalue = 'a'\ncut = [2, 1]\n"),
    "rules: no cuts": rules("variables.A: cut must be a list of increasing numbers", "[variables.A]\nvalue = 'a'\n"),
    "rules: a cut is true": rules("variables.A: cut must be a list of increasing numbers", "[variables.A]\nvalue = 'a'\ncut = [true]\n"),
    "rules: states are a list": rules("variables.A: states must be a table of states and their events", "[variables.A]\nstates = ['on']\n"),
    "rules: an event of a state is a number": rules("variables.A.states: events must be a list of texts", "[variables.A]\nstates = {on = 1}\n"),
    "rules: initial is a number": rules("variables.A: initial must be a text", "[variables.A]\ninitial = 1\nstates = {on = 'a'}\n"),
    "rules: an empty state": rules("variable 'A': a state label must be a non-empty string", "[variables.A]\nstates = {'' = 'a'}\n"),
    "rules: observation is a text": rules("observation: must be a table of keys and values", "observation = 'a'\n[variables.A]\never = 'a'\n"),
    "rules: unknown key of observation": rules("observation: unknown key 'stop'; known: end, start", "[variables.A]\never = 'a'\n[observation]\nstop = 'a'\n"),
    "rules: nested": rules("is nested too deeply", "a = " + "[" * 100_000),
    "rules: too large": rules("is too large for a file of rules", "#" * ((1 << 24) + 1)),
}  # fmt: skip
PEOPLE = {
    "people: do not exist": Case("convert d.csv x.arrow --people none.csv", "none.csv: No such file", {"d.csv": _LOG}),
    "people: no id": people("p.csv: no 'id' column; found: start, end, sex, death; name it with --id", "start,end,sex,death\n0,9,f,0\n"),
    "people: id is missing": people("p.csv: line 3: the trajectory label is missing", _PEOPLE.replace("\n2,", "\n,")),
    "people: rows differ": people("p.csv: line 4: 'end' of '1' differs from an earlier row", _PEOPLE + "1,0,8,f,0\n"),
    "people: rows differ in what is static": people("p.csv: line 4: 'sex' of '1' differs from an earlier row", _PEOPLE + "1,0,9,m,0\n"),
    "people: no nothing": people("p.csv: column 'death' must have one value that means that nothing happened", _PEOPLE.replace("f,0", "f,1")),
    "people: a date that is none": people("p.csv: line 3: 'never' in column 'end' is not a number", _PEOPLE.replace("8", "never")),
    "people: dates and numbers": people("p.csv: column 'start' has dates but 'end' has numbers", _PEOPLE.replace("1,0", "1,2020-01-01")),
    "people: a date of death, and numbers": people("p.csv: column 'death' has dates but 'start' has numbers", _PEOPLE.replace("f,0", "f,2020-01-01").replace("m,1", "m,")),
    "people: dates, and numbers in the log": people("d.csv: column 'time' has numbers, but starts and ends in p.csv are dates; times must be of the same kind", "id,start,end\n1,2020-01-01,2020-01-02\n", ""),
    "people: end before start": people("d.csv: line 4: trajectory '2' ends before it starts (-1 < 0)\n", _PEOPLE.replace("8", "-1")),
    "people: start is infinite": people("p.csv: line 2: the time inf in column 'start' is not finite", _PEOPLE.replace("1,0", "1,inf")),
    "people: nobody": people("p.csv: column 'death' has no value in any row", "id,start,end,sex,death\n"),
    "people: empty file": people("p.csv: the file is empty", ""),
    "people: no end of those without rows": people("d.csv: trajectory '3' has no start; name the columns of its start and end with --start and --end, or a number: --start 0", "id,sex\n3,f\n4,m\n", "--static sex"),
    "people: no such static column": people("d.csv: static: no variable 'age'; the data have a, b", _PEOPLE, "--static age"),
    "people: variable in both": people("d.csv: both tables have a variable 'a'; choose with --variables", "id,a\n1,x\n2,y\n", "--static a"),
    "people: a store": Case("convert d.csv x.arrow --people s.parquet", "s.parquet: ", {"d.csv": _LOG, "s.parquet": b"PAR1"}),
}  # fmt: skip
LAYOUTS = {
    "layout: unknown": Case("convert d.csv x.arrow --layout excel", "unknown format 'excel'; known formats: arrow, parquet, csv, xes, wide, long, intervals, start-stop, ", {"d.csv": _LOG}),
    "layout: contradiction": Case("convert d.csv x.arrow --from long --layout event-log", "the format 'long' contradicts the layout 'event-log'; give one of them", {"d.csv": _LOG}),
    "layout: of a JSON file": Case("convert d.json x.arrow --layout intervals", "d.json: a .json file cannot have the format intervals", {"d.json": []}),
    "layout: to write": Case("convert d.csv x.csv --to intervals", "x.csv: the format intervals can be read, not written; write another", {"d.csv": _LOG}),
    "layout: starts and ends": Case("convert d.csv x.arrow", "d.csv: the table has columns of starts and ends; name its layout: --layout start-stop (rows of survival analysis), person (one row per person), sequence", {"d.csv": "id,start,end,A\n1,0,2,x\n"}),
    "layout: long or wide": Case("convert d.csv x.arrow", "d.csv: with columns 'variable', 'state' and 'x' the table could be long or wide", {"d.csv": "id,time,variable,state,x\n1,0,A,x,1\n"}),
}  # fmt: skip
CASES = INTERVALS | START_STOP | ONE_ROW | LOGS | RULES | PEOPLE | LAYOUTS
