"""Tables say when hints are given; bots have levels"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tables", sa.Column("hints", sa.String(length=8), nullable=False, server_default="bots"))
    for column in ("level", "stand_in"):
        op.execute(f"update seats set {column} = 'casual' where {column} = 'simple'")
