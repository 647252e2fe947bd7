"""What follows from the finished pieces: verdicts, questions to send back, flags, costs."""
