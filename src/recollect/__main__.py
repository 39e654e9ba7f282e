"""`python -m recollect`: the command line, where its script is not on the path."""

from recollect.doors.cli import main

if __name__ == "__main__":
    main()
