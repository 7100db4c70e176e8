-- Schema 0005 as PostgreSQL has it.
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL,
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
CREATE TABLE attempts (
	day VARCHAR(10) NOT NULL,
	game VARCHAR(40) NOT NULL,
	person_id VARCHAR(32) NOT NULL,
	table_id VARCHAR(16) NOT NULL,
	score INTEGER,
	rank INTEGER,
	PRIMARY KEY (day, game, person_id)
);
CREATE INDEX ix_attempts_table_id ON attempts (table_id);
CREATE TABLE deals (
	day VARCHAR(10) NOT NULL,
	game VARCHAR(40) NOT NULL,
	seed VARCHAR(200) NOT NULL,
	PRIMARY KEY (day, game)
);
CREATE TABLE people (
	id VARCHAR(32) NOT NULL,
	name VARCHAR(40) NOT NULL,
	created TIMESTAMP WITH TIME ZONE NOT NULL,
	renewed INTEGER NOT NULL DEFAULT '0',
	PRIMARY KEY (id)
);
CREATE TABLE puzzles (
	day VARCHAR(10) NOT NULL,
	game VARCHAR(40) NOT NULL,
	text TEXT NOT NULL,
	player VARCHAR(20) NOT NULL,
	estimates JSON NOT NULL,
	reason JSON NOT NULL,
	PRIMARY KEY (day)
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
	hints VARCHAR(8) DEFAULT 'bots' NOT NULL,
	status VARCHAR(8) NOT NULL,
	ending VARCHAR(12),
	turn INTEGER,
	created TIMESTAMP WITH TIME ZONE NOT NULL,
	changed TIMESTAMP WITH TIME ZONE NOT NULL,
	rematch VARCHAR(16),
	day VARCHAR(10),
	PRIMARY KEY (id)
);
CREATE INDEX ix_tables_listed ON tables (status, public, changed);
CREATE TABLE tries (
	day VARCHAR(10) NOT NULL,
	person_id VARCHAR(32) NOT NULL,
	move VARCHAR(200) NOT NULL,
	found BOOLEAN NOT NULL,
	PRIMARY KEY (day, person_id)
);
CREATE TABLE chat (
	id SERIAL NOT NULL,
	table_id VARCHAR(16) NOT NULL,
	at TIMESTAMP WITH TIME ZONE NOT NULL,
	person_id VARCHAR(32) NOT NULL,
	name VARCHAR(40) NOT NULL,
	text TEXT NOT NULL,
	PRIMARY KEY (id),
	FOREIGN KEY(table_id) REFERENCES tables (id),
	FOREIGN KEY(person_id) REFERENCES people (id)
);
CREATE INDEX ix_chat_table_id ON chat (table_id);
CREATE TABLE entries (
	table_id VARCHAR(16) NOT NULL,
	number INTEGER NOT NULL,
	at TIMESTAMP WITH TIME ZONE NOT NULL,
	kind VARCHAR(12) NOT NULL,
	seat INTEGER,
	text VARCHAR(200) NOT NULL,
	PRIMARY KEY (table_id, number),
	FOREIGN KEY(table_id) REFERENCES tables (id)
);
CREATE TABLE results (
	table_id VARCHAR(16) NOT NULL,
	seat INTEGER NOT NULL,
	person_id VARCHAR(32),
	game VARCHAR(40) NOT NULL,
	at TIMESTAMP WITH TIME ZONE NOT NULL,
	rank INTEGER NOT NULL,
	score INTEGER,
	mu FLOAT,
	sigma FLOAT,
	PRIMARY KEY (table_id, seat),
	FOREIGN KEY(table_id) REFERENCES tables (id),
	FOREIGN KEY(person_id) REFERENCES people (id)
);
CREATE INDEX ix_results_person_id ON results (person_id);
CREATE TABLE reviews (
	table_id VARCHAR(16) NOT NULL,
	complete BOOLEAN NOT NULL,
	kept BYTEA NOT NULL,
	insights BYTEA,
	PRIMARY KEY (table_id),
	FOREIGN KEY(table_id) REFERENCES tables (id)
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
	FOREIGN KEY(table_id) REFERENCES tables (id),
	FOREIGN KEY(person_id) REFERENCES people (id)
);
CREATE INDEX ix_seats_person_id ON seats (person_id);
CREATE INDEX ix_seats_token ON seats (token);
CREATE TABLE snapshots (
	table_id VARCHAR(16) NOT NULL,
	data BYTEA NOT NULL,
	PRIMARY KEY (table_id),
	FOREIGN KEY(table_id) REFERENCES tables (id)
);
