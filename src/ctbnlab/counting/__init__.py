"""Counting: sufficient statistics of any target and parent set, from as few scans of the events as possible.

Decides where a table comes from: a scan, a joint table, or a marginal. Learners see only the tables. Imports
`data` and below.
"""
