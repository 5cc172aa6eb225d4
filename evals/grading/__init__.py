"""The graders: the final state, then calls, then whether the words are true, in the right language, with the right dates."""
