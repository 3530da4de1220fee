"""The command line: each command parses, calls one library function, and writes."""


def main() -> None:
    """Run the `motionloom` command."""
    try:
        from motionloom.cli.app import app

        app()
    except KeyboardInterrupt:  # while it was still being imported
        raise SystemExit(130) from None
