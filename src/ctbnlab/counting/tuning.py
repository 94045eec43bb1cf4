"""Constants of counting that were found by measuring, each with the benchmark that found it.

None of them changes a result: they decide where a table comes from, never what it holds. To tune one, run
its benchmark on both values in one run. Sizes that are compiled into the kernels (events per chunk or
block, cells of a table that fits the L2 cache) are at the head of `_select.pxd` and `_joint.pyx`.
"""

# Bytes for the tables of one node, unless the caller or the learner asks for another number.
# benchmarks/learners.py: more did not speed up CTPC or CTSS on 20 to 100 variables.
MEMORY = 48 << 20

# Shared pairs: cells of a group of variables that one addition serves. benchmarks/scaling.py.
PAIR_GROUP_CELLS = 128
# Bytes for shared pairs while they are counted, in multiples of the bytes for the tables of one node: enough
# to count 1,000 binary variables in one scan by default. benchmarks/scaling.py.
PAIRS_MEMORY = 4
# Events of a row that are kept before they are added up: fewer are not worth a scan, more are not faster.
# benchmarks/scaling.py.
MIN_PAIR_EVENTS = 16
MAX_PAIR_EVENTS = 512
# Bytes of cells to which events are added at once if there are few groups. benchmarks/learners.py, 20 to 60
# variables.
MAX_PAIR_CELL_BYTES = 4 << 20
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
# Nodes that are under way together keep what they found about single candidates: this many take some 30 MB.
# Fewer make more scans for joint tables, n² / this. benchmarks/scaling.py, 500 and 1,000 variables.
TABLES_UNDER_WAY = 1 << 17
