"""Reviews of matches"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "reviews",
        sa.Column("table_id", sa.String(length=16), nullable=False),
        sa.Column("complete", sa.Boolean(), nullable=False),
        sa.Column("kept", sa.LargeBinary(), nullable=False),
        sa.Column("insights", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"]),
        sa.PrimaryKeyConstraint("table_id"),
    )
