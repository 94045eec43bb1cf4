"""Constants of counting that were found by measuring, each with the benchmark that found it.

None of them changes a result: they decide where a table comes from, never what it holds. To tune one, run
its benchmark on both values in one run. Sizes that are compiled into the kernels (events per chunk or
block, cells of a table that fits the L2 cache) are at the head of `_select.pxd` and `_joint.pyx`.
"""

# Bytes for the tables of one node, unless the caller or the learner asks for another number.
# benchmarks/learners.py: more did not speed up CTPC or CTSS on 20 to 100 variables.
MEMORY = 48 << 20

# Shared pairs: cells of a group of variables that one addition serves. 27 are three ternary, four binary or
# two quaternary variables; larger groups leave the L1 cache, smaller ones need more additions.
# benchmarks/learners.py, 100 variables.
PAIR_GROUP_CELLS = 27
# The same if that makes no more than MAX_WORD_GROUPS groups, whose states then fit one machine word.
# benchmarks/learners.py, 20 variables.
PAIR_GROUP_CELLS_IN_WORD = 128
MAX_WORD_GROUPS = 8
# Fewer targets than this scan on their own: at four a shared scan broke even for 20 to 100 variables.
# benchmarks/sufficient_statistics.py.
MIN_TARGETS_SHARING_PAIRS = 4

# Extensions: cells of a group of candidates that are counted together beside the same parents, and the bytes
# of a table above which every candidate gets its own columns.
# benchmarks/learners.py, hill climbing.
EXTENSION_GROUP_CELLS = 16
EXTENSION_TABLE_BYTES = 8 << 20

# A joint table is worth at most this many numbers per event: summing a larger one costs more than counting
# the events again. benchmarks/learners.py, 20 variables of two to four states.
JOINT_NUMBERS_PER_EVENT = 2
MIN_JOINT_BYTES = 1 << 16
# Up to this many numbers a marginal is summed from the joint table at once; above, one variable at a time.
# benchmarks/revisions.py, 20 quaternary variables: a tenth of the time of CTPC.
MAX_DIRECT_SUM = 1 << 12
# A sparse joint table is worth at most one row per this many events, for the same reason.
EVENTS_PER_SPARSE_ROW = 16
MIN_SPARSE_ROWS = 1 << 10

# Shared joint tables: a target that asks for more tables than this counts them when they are needed.
# benchmarks/learners.py, exhaustive CTSS.
MAX_SHARED_TABLES = 64
# Targets with few variables in common are still counted together up to this many cells. (With 4096, 20 binary
# variables take a sixth less time and 100 a tenth less, but quaternary ones a fifth more.)
# benchmarks/learners.py, 20 variables.
SHARED_COVER_CELLS = 64
# Bytes of tables that are filled in one scan: they and the events they share fit the L2 cache.
# benchmarks/learners.py, 20 to 200 variables.
SHARED_SCAN_BYTES = 3 << 19
# Nodes that are under way together keep the tables of their single candidates: this many of them take a few
# MB. benchmarks/learners.py, memory beyond the data at 100 and 200 variables.
TABLES_UNDER_WAY = 8192
