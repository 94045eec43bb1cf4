#!/bin/sh
# Example of a learner that is an external command, in awk: an arc Y -> X if the rate at which X leaves a state
# differs between two states of Y by more than `threshold` standard errors of its logarithm.
#   ctbnlab learn data.csv --command 'sh examples/command_learner.sh {data} {arcs} {threshold}' --option threshold=4
# $1: trajectories as wide CSV (trajectory,time,X1,X2,…; names without commas)   $2: list of arcs to write
set -eu
awk -F, -v threshold="${3:-4}" '
function abs(x) { return x < 0 ? -x : x }
NR == 1 { for (i = 3; i <= NF; i++) name[i] = $i; n = NF; print "from,to,score,kept"; next }
$1 == previous {                                    # the states from the row before lasted until now
    for (i = 3; i <= n; i++) for (j = 3; j <= n; j++) if (i != j) {
        key = i SUBSEP j SUBSEP state[i] SUBSEP state[j]
        spent[key] += $2 - since
        if ($i != state[i]) left[key]++
    }
}
{ previous = $1; since = $2; for (i = 3; i <= n; i++) { state[i] = $i; seen[i, $i] = 1 } }
END {
    for (pair in seen) { split(pair, part, SUBSEP); values[part[1]] = values[part[1]] part[2] "," }
    for (i = 3; i <= n; i++) for (j = 3; j <= n; j++) if (i != j) {
        largest = 0
        count = split(values[i], x, ",") - 1
        others = split(values[j], y, ",") - 1
        for (a = 1; a <= count; a++) for (b = 1; b <= others; b++) for (c = 1; c < b; c++) {
            one = i SUBSEP j SUBSEP x[a] SUBSEP y[b]
            two = i SUBSEP j SUBSEP x[a] SUBSEP y[c]
            if (left[one] > 0 && left[two] > 0) {
                z = log(left[one] / spent[one]) - log(left[two] / spent[two])
                z = abs(z / sqrt(1 / left[one] + 1 / left[two]))
                if (z > largest) largest = z
            }
        }
        print name[j] "," name[i] "," largest "," (largest > threshold ? "true" : "false")
    }
}' "$1" > "$2"
