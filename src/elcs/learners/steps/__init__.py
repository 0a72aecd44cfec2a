"""Steps that several learners share."""
