"""Helpers that several tests share; nothing here is a test."""
