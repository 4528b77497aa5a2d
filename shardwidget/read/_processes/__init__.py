"""Programs of several processes: what all of them do together, and who is missing."""
