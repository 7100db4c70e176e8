-- Schema 0002 as SQLite has it.
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL,
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
CREATE TABLE chat (
	id INTEGER NOT NULL,
	table_id VARCHAR(16) NOT NULL,
	at DATETIME NOT NULL,
	person_id VARCHAR(32) NOT NULL,
	name VARCHAR(40) NOT NULL,
	text TEXT NOT NULL,
	PRIMARY KEY (id),
	FOREIGN KEY(person_id) REFERENCES people (id),
	FOREIGN KEY(table_id) REFERENCES tables (id)
);
CREATE TABLE entries (
	table_id VARCHAR(16) NOT NULL,
	number INTEGER NOT NULL,
	at DATETIME NOT NULL,
	kind VARCHAR(12) NOT NULL,
	seat INTEGER,
	text VARCHAR(200) NOT NULL,
	PRIMARY KEY (table_id, number),
	FOREIGN KEY(table_id) REFERENCES tables (id)
);
CREATE TABLE people (
	id VARCHAR(32) NOT NULL,
	name VARCHAR(40) NOT NULL,
	created DATETIME NOT NULL,
	PRIMARY KEY (id)
);
CREATE TABLE seats (
	table_id VARCHAR(16) NOT NULL,
	seat INTEGER NOT NULL,
	kind VARCHAR(8) NOT NULL,
	name VARCHAR(40) NOT NULL,
	person_id VARCHAR(32),
	level VARCHAR(20),
	token VARCHAR(64),
	stand_in VARCHAR(20),
	PRIMARY KEY (table_id, seat),
	FOREIGN KEY(person_id) REFERENCES people (id),
	FOREIGN KEY(table_id) REFERENCES tables (id)
);
CREATE TABLE tables (
	id VARCHAR(16) NOT NULL,
	game VARCHAR(40) NOT NULL,
	rules INTEGER NOT NULL,
	players INTEGER NOT NULL,
	options JSON NOT NULL,
	seed VARCHAR(200) NOT NULL,
	public BOOLEAN NOT NULL,
	pace VARCHAR(8) NOT NULL,
	status VARCHAR(8) NOT NULL,
	ending VARCHAR(12),
	turn INTEGER,
	created DATETIME NOT NULL,
	changed DATETIME NOT NULL,
	rematch VARCHAR(16),
	hints VARCHAR(8) DEFAULT 'bots' NOT NULL,
	PRIMARY KEY (id)
);
CREATE INDEX ix_tables_listed ON tables (status, public, changed);
CREATE INDEX ix_chat_table_id ON chat (table_id);
CREATE INDEX ix_seats_person_id ON seats (person_id);
CREATE INDEX ix_seats_token ON seats (token);
