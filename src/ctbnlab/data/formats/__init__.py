"""Readers and writers of trajectory files, one module per format.

    data = ctbnlab.read("data.csv")          # the format is detected from extension or content
    ctbnlab.write(data, "data.parquet")
    writing.convert("big.csv", "big.arrow")  # in chunks: the file may be larger than memory

Decides which format a file has, what its rows mean, and which rows are refused. `detect` finds the format,
`reading` and `writing` call the module of that format: `csv`, `parquet` and `pyctbn` read and write files;
`wide`, `long` and `pyagrum` know what the rows of a table mean; `dataframe` converts pandas DataFrames.
`assemble` turns rows into checked events for all of them. Imports `data` and below, `seeds` and `errors`.
"""
