"""The command line as `python -m motionloom`."""

from motionloom.cli import main

if __name__ == "__main__":
    main()
