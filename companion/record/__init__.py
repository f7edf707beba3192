"""The record of a table: what is kept on the disk, and what becomes of it when the disk fails."""
