"""Results of matches, and the deals and puzzles of days"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tables", sa.Column("day", sa.String(length=10), nullable=True))
    op.create_table(
        "results",
        sa.Column("table_id", sa.String(length=16), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.String(length=32), nullable=True),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("score", sa.Integer(), nullable=True),
        sa.Column("mu", sa.Float(), nullable=True),
        sa.Column("sigma", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"]),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"]),
        sa.PrimaryKeyConstraint("table_id", "seat"),
    )
    op.create_index("ix_results_person_id", "results", ["person_id"])
    op.create_table(
        "deals",
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("seed", sa.String(length=200), nullable=False),
        sa.PrimaryKeyConstraint("day", "game"),
    )
    op.create_table(
        "attempts",
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("person_id", sa.String(length=32), nullable=False),
        sa.Column("table_id", sa.String(length=16), nullable=False),
        sa.Column("score", sa.Integer(), nullable=True),
        sa.Column("rank", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("day", "game", "person_id"),
    )
    op.create_index("ix_attempts_table_id", "attempts", ["table_id"])
    op.create_table(
        "puzzles",
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("player", sa.String(length=20), nullable=False),
        sa.Column("estimates", sa.JSON(), nullable=False),
        sa.Column("reason", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("day"),
    )
    op.create_table(
        "tries",
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("person_id", sa.String(length=32), nullable=False),
        sa.Column("move", sa.String(length=200), nullable=False),
        sa.Column("found", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("day", "person_id"),
    )
