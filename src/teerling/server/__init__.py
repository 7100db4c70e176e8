"""The web table: lobby, tables, live pages, storage, and the interface for programs."""
