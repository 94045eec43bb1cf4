"""Files on disk: atomic outputs, and JSON whose reader reports the place of every error.

Decides how bytes reach the disk and how a damaged file is reported. Imports `errors` only.
"""
