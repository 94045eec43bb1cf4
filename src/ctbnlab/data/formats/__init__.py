"""Readers and writers of trajectory files, one module per format.

    data = ctbnlab.read("data.csv")          # the format is detected from extension or content
    ctbnlab.write(data, "data.parquet")
    writing.convert("big.csv", "big.arrow")  # in chunks: the file may be larger than memory

Decides which format a file has, what its values mean, and which rows are refused. `detect` finds the format,
`reading` and `writing` call the modules of that format: `csv`, `parquet`, `arrow_table`, `dataframe` and
`pyctbn` read and write tables; those in `layouts/` know what the rows of a table mean. `assemble` turns rows
into checked events for all of them. Imports `data` and below, `seeds` and `errors`.
"""
