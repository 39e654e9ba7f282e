"""Recollect in other people's frameworks, and other people's searches in Recollect. Each part is loaded on use."""
