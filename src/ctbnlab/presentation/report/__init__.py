"""The report: one HTML page about an experiment or about the user's own data, which works offline."""
