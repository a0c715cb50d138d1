"""Other people's rubric formats and score logs, in and out."""
