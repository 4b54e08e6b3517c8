"""Shell: the files of a run: their settings, context, evaluation and fixes."""
