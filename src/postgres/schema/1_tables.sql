-- What Tenure keeps in PostgreSQL. Made by tenure init; every request of a client is one function of this schema, and so one
-- statement and one transaction: nothing rests on a session, and a pooler may stand in between.
-- Times are those of the server's clock, clock_timestamp(); durations are milliseconds.
-- Whoever changes a table here writes a step in src/postgres/upgrade as well: it makes the same of a schema that is in use.
-- What is resolved when it is made must not depend on who makes it.
SET LOCAL search_path = pg_catalog;
CREATE SCHEMA tenure;
COMMENT ON SCHEMA tenure IS 'Leases of Tenure. Made by tenure init, changed by it alone.';

-- Which life of the server the leases of a prefix belong to, and whether new ones are given.
CREATE TABLE tenure.record (
  prefix  text COLLATE "C" PRIMARY KEY,
  cap     bigint NOT NULL,         -- the longest TTL that anybody uses
  nodes   text NOT NULL,           -- which nodes decide together: "1", "3-<name>"
  epoch   text NOT NULL,           -- another one at every quarantine
  open    boolean NOT NULL,
  life    text NOT NULL,           -- see tenure.life()
  started timestamptz NOT NULL,    -- of the server process that was last seen to be of this life
  forgets boolean NOT NULL,        -- a crash may lose what was committed: then every start is another life
  made    bigint NOT NULL,         -- when the epoch began, unix time by this server
  wall    bigint NOT NULL,         -- the same by the client that began it
  longest bigint NOT NULL,         -- no lease from before the epoch lasts longer
  why     text NOT NULL
) WITH (fillfactor = 50);

-- The tokens. From the time in microseconds on, so that what is lost does not come again.
CREATE SEQUENCE tenure.fence;

-- A name that is or was taken. Free when its time is over: a row that is given back stays, to be updated in place the next time.
-- Nothing that changes is indexed, and pages have room, so that renewals leave no work for the index.
CREATE TABLE tenure.lease (
  name  text COLLATE "C" PRIMARY KEY,
  owner text COLLATE "C" NOT NULL DEFAULT '',
  nonce bigint NOT NULL DEFAULT 0,
  token bigint NOT NULL DEFAULT 0,
  ends  timestamptz NOT NULL DEFAULT '-infinity',
  -- It was given back, and is kept a moment for the ticket of that owner; so many behind it were told when to look, for so many
  -- turns in all.
  kept  boolean NOT NULL DEFAULT false,
  told  integer NOT NULL DEFAULT 0,
  turns integer NOT NULL DEFAULT 0,
  awaited boolean NOT NULL DEFAULT false  -- somebody may stand in its queue
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);

-- Who waits for a name, in order. One who has not come to look for so long is dead.
CREATE SEQUENCE tenure.place;
CREATE TABLE tenure.waiter (
  name  text COLLATE "C" NOT NULL,
  place bigint NOT NULL,
  owner text COLLATE "C" NOT NULL,
  nonce bigint NOT NULL,
  ends  timestamptz NOT NULL,
  PRIMARY KEY (name, place)
) WITH (fillfactor = 50);

-- Who lives in a fleet, and the hashes of what each owns.
CREATE TABLE tenure.beat (
  fleet   text COLLATE "C" NOT NULL,
  id      text COLLATE "C" NOT NULL,
  boot    text NOT NULL,           -- of the process: another one under this id is another
  started bigint NOT NULL,         -- unix time
  weight  bigint NOT NULL,
  owned   bigint NOT NULL,
  version bigint NOT NULL,         -- of the sessions, as it knows them
  digest  bigint,
  list    bigint[] NOT NULL,
  ends    timestamptz NOT NULL,
  PRIMARY KEY (fleet, id)
) WITH (fillfactor = 50);

-- What a fleet polls, and what came of it last. The version grows with every change of its sessions, at least with the clock, so
-- that one from before data was lost never comes again.
CREATE TABLE tenure.fleet (
  fleet   text COLLATE "C" PRIMARY KEY,
  version bigint NOT NULL,
  removed bigint NOT NULL DEFAULT 0,  -- the version by which a session was removed last
  writer  xid8                        -- the transaction that made the version
) WITH (fillfactor = 50);
CREATE TABLE tenure.session (
  fleet   text COLLATE "C" NOT NULL DEFAULT 'poll',
  id      text COLLATE "C" NOT NULL,
  text    text NOT NULL,              -- JSON, as in every store
  version bigint NOT NULL DEFAULT 0,  -- of the fleet, when this was written; a trigger sets it
  PRIMARY KEY (fleet, id)
);
CREATE INDEX session_changes ON tenure.session (fleet, version);
CREATE TABLE tenure.state (
  fleet text COLLATE "C" NOT NULL,
  id    text COLLATE "C" NOT NULL,
  token bigint NOT NULL,           -- of the lease that the result was made under
  text  text NOT NULL,
  slot  bigint,                    -- when it was due, of work that is due again and again
  at    bigint,
  PRIMARY KEY (fleet, id)
) WITH (fillfactor = 50);
