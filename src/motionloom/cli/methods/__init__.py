"""Commands of single methods: `NAME.py` contains the commands that the table of methods lists for the method NAME."""
