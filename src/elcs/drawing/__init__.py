"""Pictures of a result: one layout, drawn by matplotlib or as part of a page of HTML."""
