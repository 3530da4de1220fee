"""The command line as `python -m motionloom`."""

import sys

if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # the current folder: modules beside a clip are not ours

    from motionloom.cli import main

    main()
