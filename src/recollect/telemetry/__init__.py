"""What the verbs did, for whoever runs them: spans, metrics and logs, made from what observers are told."""
