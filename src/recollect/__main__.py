"""`python -m recollect`: the command line, where its script is not on the path."""

from recollect.doors.cli import main

main()
