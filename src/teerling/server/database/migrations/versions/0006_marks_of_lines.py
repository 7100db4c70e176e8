"""Lines of chat have a mark, by which one that is sent once more is known again"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("chat", sa.Column("mark", sa.String(length=40), nullable=True))
    op.create_index("ix_chat_mark", "chat", ["table_id", "mark"], unique=True)


def downgrade() -> None:
    op.drop_index("ix_chat_mark", "chat")
    op.drop_column("chat", "mark")
