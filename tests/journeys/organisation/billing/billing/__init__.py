"""Payments and invoices."""
