"""Snapshots of tables, and personal links that can be renewed"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "snapshots",
        sa.Column("table_id", sa.String(length=16), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"]),
        sa.PrimaryKeyConstraint("table_id"),
    )
    op.add_column("people", sa.Column("renewed", sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("people", "renewed")
    op.drop_table("snapshots")
