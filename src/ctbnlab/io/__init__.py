"""Files on disk: outputs appear whole or not at all, and JSON is read with the place of every fault.

Decides how bytes reach the disk and how a damaged file is reported. Imports `errors` only.
"""
