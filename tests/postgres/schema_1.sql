-- What Tenure keeps in PostgreSQL. Made by tenure init; every request of a client is one function of this schema, and so one
-- statement and one transaction: nothing rests on a session, and a pooler may stand in between.
-- Times are those of the server's clock, clock_timestamp(); durations are milliseconds.
-- What is resolved when it is made must not depend on who makes it.
SET LOCAL search_path = pg_catalog;
CREATE SCHEMA tenure;
COMMENT ON SCHEMA tenure IS 'Leases of Tenure. Made by tenure init, changed by it alone.';

CREATE FUNCTION tenure.schema_version() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 1;

-- Which life of the server the leases of a prefix belong to, and whether new ones are given.
CREATE TABLE tenure.record (
  prefix  text COLLATE "C" PRIMARY KEY,
  cap     bigint NOT NULL,         -- the longest TTL that anybody uses
  nodes   text NOT NULL,           -- which nodes decide together: "1", "3-<name>"
  epoch   text NOT NULL,           -- another one at every quarantine
  open    boolean NOT NULL,
  life    text NOT NULL,           -- system identifier and timeline
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

-- What a fleet polls, and what came of it last. The version grows with every change of its sessions.
CREATE TABLE tenure.fleet (
  fleet   text COLLATE "C" PRIMARY KEY,
  version bigint NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE tenure.session (
  fleet text COLLATE "C" NOT NULL,
  id    text COLLATE "C" NOT NULL,
  text  text NOT NULL,             -- JSON, as in every store
  PRIMARY KEY (fleet, id)
);
CREATE TABLE tenure.state (
  fleet text COLLATE "C" NOT NULL,
  id    text COLLATE "C" NOT NULL,
  token bigint NOT NULL,           -- of the lease that the result was made under
  text  text NOT NULL,
  slot  bigint,                    -- when it was due, of work that is due again and again
  at    bigint,
  PRIMARY KEY (fleet, id)
) WITH (fillfactor = 50);
-- The record: admission of connections, and the beginning and end of quarantines.

-- Functions that are one expression are resolved when they are made, whatever search_path they are called with.
CREATE FUNCTION tenure.now_us() RETURNS bigint LANGUAGE sql VOLATILE
RETURN (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;

-- The record as clients read it: "<cap> <nodes> <epoch> <state> <made> <wall> <longest> <why> <durability>".
CREATE FUNCTION tenure.record_text(r tenure.record) RETURNS text LANGUAGE sql STABLE
RETURN concat_ws(' ', r.cap, r.nodes, r.epoch, CASE WHEN r.open THEN 'open' ELSE 'quarantined' END, r.made, r.wall, r.longest,
                 r.why, CASE WHEN r.forgets THEN 'may-forget' ELSE 'durable' END);

-- The record of that prefix as text; empty where there is none.
CREATE FUNCTION tenure.shown_record(of_prefix text) RETURNS text LANGUAGE sql VOLATILE
RETURN coalesce((SELECT tenure.record_text(r) FROM tenure.record r WHERE r.prefix = of_prefix), '');

-- Among the server's advisory locks, a number of Tenure's own.
CREATE FUNCTION tenure.fence_lock() RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 8387223120341381477;

-- No token up to this one is drawn any more. Whoever draws one holds the lock shared: a sequence that is set while others draw
-- could go back. Always the last lock of a transaction, so that none waits for another in a circle. A counter begins at the time in
-- microseconds: below that of 2001 it was lost, and goes on at the time, above what was given before.
CREATE FUNCTION tenure.raise_fence(at_least bigint) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s' AS $$
DECLARE
  drawn bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(tenure.fence_lock());
  drawn := (SELECT f.last_value FROM tenure.fence f);
  IF drawn < 1000000000000000 THEN at_least := greatest(at_least, tenure.now_us()); END IF;
  IF drawn < at_least THEN PERFORM setval('tenure.fence', at_least); END IF;
END $$;

-- Another one after a promotion or a recovery to a point in time: either may have forgotten what was committed.
CREATE FUNCTION tenure.life() RETURNS text LANGUAGE sql VOLATILE
RETURN (SELECT s.system_identifier || '-' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) FROM pg_control_system() s);

-- Does a crash forget what was committed by this session?
CREATE FUNCTION tenure.forgets() RETURNS boolean LANGUAGE sql STABLE
RETURN current_setting('synchronous_commit') = 'off' OR current_setting('fsync') = 'off';

-- When the server came to life that an answer comes from. One that forgets has lost something also when it was not started anew
-- itself, but only its processes, because one of them crashed: then it has lost its statistics as well. (Who resets those begins a
-- quarantine.)
CREATE FUNCTION tenure.started(forgets boolean) RETURNS timestamptz LANGUAGE sql STABLE
RETURN CASE WHEN forgets THEN greatest(pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time())
            ELSE pg_postmaster_start_time() END;

-- What is decided about the record must not be forgotten, whatever the session asks for.
CREATE FUNCTION tenure.remember() RETURNS text LANGUAGE sql VOLATILE
BEGIN ATOMIC
  SELECT set_config('synchronous_commit', 'on', true) WHERE tenure.forgets();
END;

-- Tells a connection which life of this server its leases belong to. Another life than the record shows, or no record at all,
-- means that grants may have been forgotten: a new epoch begins, in quarantine. So does data of the same life that is older than
-- what the caller knows, or has lost its counter. Gives the record; also one of another cap or set, as it is.
CREATE FUNCTION tenure.admit(of_schema integer, of_prefix text, of_cap bigint, of_nodes text, new_epoch text, wall_ms bigint,
                             seen bigint) RETURNS text LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s' AS $$
DECLARE
  r tenure.record;
  own_life text := tenure.life();
  own_forgets boolean := tenure.forgets();
  drawn bigint;
  now_ms bigint;
  same boolean;
  behind boolean;
  opens boolean;
  new_why text;
  new_longest bigint;
BEGIN
  IF of_schema <> tenure.schema_version() THEN
    RAISE EXCEPTION USING ERRCODE = 'TN001', MESSAGE = tenure.schema_version()::text;
  END IF;
  PERFORM tenure.remember();
  -- The first look takes no lock: nearly always there is nothing to change.
  FOR look IN 1..3 LOOP
    IF look = 1 THEN
      SELECT * INTO r FROM tenure.record WHERE prefix = of_prefix;
    ELSE
      SELECT * INTO r FROM tenure.record WHERE prefix = of_prefix FOR UPDATE;
    END IF;
    drawn := (SELECT f.last_value FROM tenure.fence f);
    now_ms := tenure.now_us() / 1000;
    IF r.prefix IS NULL THEN
      INSERT INTO tenure.record VALUES (of_prefix, of_cap, of_nodes, new_epoch, false, own_life, tenure.started(own_forgets),
                                        own_forgets, now_ms, wall_ms, of_cap, 'unknown')
      ON CONFLICT DO NOTHING;
      IF FOUND THEN
        PERFORM tenure.raise_fence(seen);
        RETURN tenure.shown_record(of_prefix);
      END IF;
      CONTINUE;
    END IF;
    IF r.cap <> of_cap OR r.nodes <> of_nodes THEN RETURN tenure.record_text(r); END IF;

    same := r.life = own_life AND (r.started = tenure.started(r.forgets) OR NOT r.forgets);
    -- In quarantine only what was given after it tells: what was lost before it had smaller tokens. A counter begins at the time
    -- in microseconds; below that of 2001 it was lost.
    behind := CASE WHEN r.open THEN drawn < seen OR drawn < 1000000000000000
                   ELSE drawn < seen AND seen > (r.made + r.cap) * 1000 END;
    -- For callers that never live as long as a quarantine: over, if two clocks that know nothing of each other both say twice
    -- the longest TTL that was allowed before it. Of several nodes that had no record one alone cannot say that theirs is the
    -- set that all others use.
    opens := NOT r.open AND now_ms - r.made >= 2 * r.longest AND wall_ms - r.wall >= 2 * r.longest
             AND NOT (r.why = 'unknown' AND r.nodes <> '1' AND r.nodes NOT LIKE '1-%');
    IF same AND NOT behind AND NOT opens AND r.started = tenure.started(r.forgets) AND (r.forgets OR NOT own_forgets) THEN
      RETURN tenure.record_text(r);
    END IF;
    CONTINUE WHEN look = 1;

    IF same AND NOT behind THEN
      IF opens THEN PERFORM tenure.raise_fence(tenure.now_us()); END IF;
      UPDATE tenure.record SET started = tenure.started(r.forgets OR own_forgets), forgets = r.forgets OR own_forgets,
        open = r.open OR opens WHERE prefix = of_prefix;
      RETURN tenure.shown_record(of_prefix);
    END IF;
    -- What was sat out is not over because it begins again.
    new_longest := CASE WHEN r.open THEN of_cap ELSE r.longest END;
    new_why := CASE WHEN NOT r.open AND r.why = 'unknown' THEN 'unknown' WHEN same THEN 'restored' ELSE 'restarted' END;
    PERFORM tenure.raise_fence(seen);
    UPDATE tenure.record SET epoch = new_epoch, open = false, life = own_life, started = tenure.started(own_forgets),
      forgets = own_forgets, made = now_ms, wall = wall_ms, longest = new_longest, why = new_why WHERE prefix = of_prefix;
    RETURN tenure.shown_record(of_prefix);
  END LOOP;
  RETURN tenure.shown_record(of_prefix);
END $$;

-- Ends a quarantine that its caller has sat out: that one, and not one that began later. The counter is raised to the time, which
-- is past all tokens that were given before and may have been lost.
CREATE FUNCTION tenure.open(of_prefix text, of_cap bigint, of_nodes text, of_epoch text, made_ms bigint) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s' AS $$
BEGIN
  PERFORM tenure.remember();
  PERFORM FROM tenure.record r WHERE r.prefix = of_prefix AND r.cap = of_cap AND r.nodes = of_nodes AND r.epoch = of_epoch
    AND NOT r.open AND r.made = made_ms FOR UPDATE;
  IF FOUND THEN
    PERFORM tenure.raise_fence(tenure.now_us());
    UPDATE tenure.record SET open = true WHERE prefix = of_prefix;
  END IF;
  RETURN tenure.shown_record(of_prefix);
END $$;

-- Makes the record of a server that is new to Tenure, open at once; leaves one that exists alone, unless it only says that there
-- was none before, and is of the same set.
CREATE FUNCTION tenure.init(of_prefix text, of_cap bigint, of_nodes text, new_epoch text, wall_ms bigint,
                            OUT made boolean, OUT record text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s' AS $$
DECLARE
  session_forgets boolean := tenure.forgets();
BEGIN
  PERFORM tenure.remember();
  INSERT INTO tenure.record AS r VALUES (of_prefix, of_cap, of_nodes, new_epoch, true, tenure.life(),
      tenure.started(session_forgets), session_forgets, tenure.now_us() / 1000, wall_ms, of_cap, 'new')
    ON CONFLICT (prefix) DO UPDATE SET cap = excluded.cap, epoch = excluded.epoch, open = true, life = excluded.life,
      started = excluded.started, forgets = excluded.forgets, made = excluded.made, wall = excluded.wall,
      longest = excluded.longest, why = excluded.why
    WHERE NOT r.open AND r.why = 'unknown' AND r.nodes = excluded.nodes;
  made := FOUND;
  IF made THEN PERFORM tenure.raise_fence(tenure.now_us()); END IF;
  record := tenure.shown_record(of_prefix);
END $$;

-- Writes a record of other terms, in quarantine, in place of the one that the caller has seen.
CREATE FUNCTION tenure.reconfigure(of_prefix text, seen_record text, new_cap bigint, new_nodes text, new_epoch text,
                                   wall_ms bigint, longest bigint, why text, OUT made boolean, OUT record text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s' AS $$
DECLARE
  session_forgets boolean := tenure.forgets();
BEGIN
  PERFORM tenure.remember();
  PERFORM FROM tenure.record r WHERE r.prefix = of_prefix FOR UPDATE;
  made := tenure.shown_record(of_prefix) = seen_record;
  IF made THEN
    INSERT INTO tenure.record VALUES (of_prefix, new_cap, new_nodes, new_epoch, false, tenure.life(),
      tenure.started(session_forgets), session_forgets, tenure.now_us() / 1000, wall_ms, reconfigure.longest, reconfigure.why)
    ON CONFLICT (prefix) DO UPDATE SET cap = excluded.cap, nodes = excluded.nodes, epoch = excluded.epoch, open = false,
      life = excluded.life, started = excluded.started, forgets = excluded.forgets, made = excluded.made, wall = excluded.wall,
      longest = excluded.longest, why = excluded.why
    WHERE seen_record <> '';
    made := FOUND;
  END IF;
  record := tenure.shown_record(of_prefix);
END $$;
-- Who waits for a name, and whose turn it is. All of this with the row of the name locked, so that nobody else changes its queue.
-- A name that is given back is kept for the first waiter that listens. Listening says nothing of being alive, so each waiter has
-- a turn, in which nobody behind it gets the name, and whoever lets it pass loses its place: docs/protocol.md, "Waiting".

CREATE FUNCTION tenure.turn() RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 250::bigint;
CREATE FUNCTION tenure.ms(n bigint) RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN n * interval '1 millisecond';
CREATE FUNCTION tenure.left_ms(ends timestamptz, since timestamptz) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ceil(extract(epoch FROM ends - since) * 1000)::bigint;

-- Whoever listens on that channel holds the lock of its number, shared, as long as its session lasts: NOTIFY does not tell whether
-- it was heard. A channel's name is short, and what it stands for may not be.
CREATE FUNCTION tenure.channel(what text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 'tenure_' || md5(what);
CREATE FUNCTION tenure.channel_lock(what text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN hashtextextended(what, 8387223120341381477);

-- Says "look in so many ms" to the owner of a waiter. False: it does not listen, and so is dead.
CREATE FUNCTION tenure.tell(of_prefix text, w tenure.waiter, wait_ms bigint) RETURNS boolean LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  what text := of_prefix || 'wake:' || w.owner;
BEGIN
  IF pg_try_advisory_xact_lock(tenure.channel_lock(what)) THEN RETURN false; END IF;
  PERFORM pg_notify(tenure.channel(what), wait_ms || ' ' || w.nonce || ' ' || w.owner);
  RETURN true;
END $$;

-- The waiter at that place of the queue, counted from 0; all null where there is none.
CREATE FUNCTION tenure.waiter_at(of_name text, nth bigint) RETURNS tenure.waiter LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  found_one tenure.waiter;
BEGIN
  SELECT * INTO found_one FROM tenure.waiter w WHERE w.name = of_name AND w.ends > clock_timestamp()
  ORDER BY w.place OFFSET nth LIMIT 1;
  RETURN found_one;
END $$;

CREATE FUNCTION tenure.leave(w tenure.waiter) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  DELETE FROM tenure.waiter q WHERE q.name = w.name AND q.place = w.place;
END $$;

-- How many stand before that ticket; null where it does not wait.
CREATE FUNCTION tenure.place_of(of_name text, of_owner text, of_nonce bigint) RETURNS bigint LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (
    SELECT (SELECT count(*) FROM tenure.waiter b WHERE b.name = of_name AND b.place < w.place AND b.ends > clock_timestamp())
    FROM tenure.waiter w WHERE w.name = of_name AND w.owner = of_owner AND w.nonce = of_nonce AND w.ends > clock_timestamp());
END $$;

-- Tells the waiter at that place; who does not listen loses it to the next. All null: there is none.
CREATE FUNCTION tenure.tell_at(of_prefix text, of_name text, nth bigint, wait_ms bigint) RETURNS tenure.waiter LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  w tenure.waiter;
BEGIN
  LOOP
    w := tenure.waiter_at(of_name, nth);
    IF w.name IS NULL OR tenure.tell(of_prefix, w, wait_ms) THEN RETURN w; END IF;
    PERFORM tenure.leave(w);
  END LOOP;
END $$;

-- Keeps a name for that waiter, who leaves the queue.
CREATE FUNCTION tenure.keep(w tenure.waiter, of_told integer, of_turns integer) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM tenure.leave(w);
  UPDATE tenure.lease SET owner = w.owner, nonce = w.nonce, token = 0, kept = true, told = of_told, turns = of_turns,
    ends = clock_timestamp() + tenure.ms(of_turns * tenure.turn()) WHERE name = w.name;
END $$;

-- After a release: calls the first who listens, and keeps the name for it. A waiter that is stopped or cut off still listens, and
-- only one that lives can act after this: so others are told now, four with turns of their own; behind them the 8th, 16th, 32nd, …
-- and the last pass the name on. False: nobody waits.
CREATE FUNCTION tenure.pass_on(of_prefix text, of_name text) RETURNS boolean LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  turn bigint := tenure.turn();
  first tenure.waiter;
  w tenure.waiter;
  told integer := 0;
  turns integer;
  at bigint;
  last bigint;
BEGIN
  first := tenure.tell_at(of_prefix, of_name, 0, 0);
  IF first.name IS NULL THEN RETURN false; END IF;
  WHILE told < 4 LOOP
    w := tenure.tell_at(of_prefix, of_name, told + 1, (told + 1) * turn);
    EXIT WHEN w.name IS NULL;
    told := told + 1;
  END LOOP;
  -- Counted without the first. Where nobody hears it the queue has become shorter: whoever is last now is told instead.
  turns := told + 1;
  at := told - 1;
  LOOP
    SELECT count(*) - 2 INTO last FROM tenure.waiter q WHERE q.name = of_name AND q.ends > clock_timestamp();
    EXIT WHEN at >= last;
    w := tenure.tell_at(of_prefix, of_name, least(2 * at + 1, last) + 1, turns * turn);
    CONTINUE WHEN w.name IS NULL;
    turns := turns + 1;
    at := least(2 * at + 1, last);
  END LOOP;
  -- The queue outlives the turns that were announced, however short the cap.
  IF turns > 1 THEN
    UPDATE tenure.waiter q SET ends = greatest(q.ends, clock_timestamp() + tenure.ms((turns + 2) * turn)) WHERE q.name = of_name;
  END IF;
  PERFORM tenure.keep(first, told, turns);
  RETURN true;
END $$;

-- Calls the first in the queue who listens, unless that is the caller. All null: nobody is before it.
CREATE FUNCTION tenure.call_first(of_prefix text, of_name text, of_owner text, of_nonce bigint) RETURNS tenure.waiter
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  w tenure.waiter;
BEGIN
  LOOP
    w := tenure.waiter_at(of_name, 0);
    IF w.name IS NULL THEN RETURN w; END IF;
    IF w.owner = of_owner AND w.nonce = of_nonce THEN RETURN NULL; END IF;
    IF tenure.tell(of_prefix, w, 0) THEN RETURN w; END IF;
    PERFORM tenure.leave(w);
  END LOOP;
END $$;

-- Of a name that is kept: how long until the turn of that ticket; 0: it has come, and those before it have lost theirs.
-- tenure.pass_on() has said who may come when: the one called, then the first so many in the queue, one turn after the other, and
-- after them whoever looks. A waiter that let its turn pass is stopped or cut off.
CREATE FUNCTION tenure.until_turn(of_prefix text, l tenure.lease, of_owner text, of_nonce bigint) RETURNS bigint LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  turn bigint := tenure.turn();
  called boolean := l.owner = of_owner AND l.nonce = of_nonce;
  passed bigint := l.turns * turn - tenure.left_ms(l.ends, clock_timestamp());
  now_turn bigint := greatest(passed, 0) / turn;
  over bigint := least(now_turn - 1, l.told);
  place bigint;
  w tenure.waiter;
BEGIN
  IF NOT called THEN place := tenure.place_of(l.name, of_owner, of_nonce); END IF;
  IF called OR place <= over THEN
    FOR i IN 1..over LOOP PERFORM tenure.leave(tenure.waiter_at(l.name, 0)); END LOOP;
    RETURN 0;
  END IF;
  IF now_turn <= l.told THEN RETURN greatest((least(coalesce(place, l.told), l.told) + 1) * turn - passed, 1); END IF;

  -- All who were told have been silent. The caller passes the name on, and comes again in case the next is, too.
  FOR i IN 1..l.told LOOP PERFORM tenure.leave(tenure.waiter_at(l.name, 0)); END LOOP;
  w := tenure.call_first(of_prefix, l.name, of_owner, of_nonce);
  IF w.name IS NULL THEN RETURN 0; END IF;
  PERFORM tenure.keep(w, 0, 2);
  RETURN turn;
END $$;
-- Leases: given, confirmed, renewed, put back, given back, broken, looked at. The row of a name is locked before its token is
-- drawn, so that the tokens of a name grow in the order of its grants.

-- May leases be given or put back by whoever was admitted to that epoch? 'closed <record>': not by this record; 'unverified': the
-- server was started since, or has begun to forget what it commits, and nobody has looked yet which life this is. Null: they may.
CREATE FUNCTION tenure.obstacle(r tenure.record, of_cap bigint, of_nodes text, of_epoch text) RETURNS text LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF r.prefix IS NULL THEN RETURN 'closed '; END IF;
  IF r.cap <> of_cap OR r.nodes <> of_nodes OR r.epoch <> of_epoch THEN RETURN 'closed ' || tenure.record_text(r); END IF;
  IF r.started <> tenure.started(r.forgets) OR (NOT r.forgets AND tenure.forgets()) THEN RETURN 'unverified'; END IF;
  RETURN NULL;
END $$;

-- The token of the next grant; 0: the data is older than what the caller knows, or the counter was lost. What is proposed is
-- minted only above all that was minted here, and not ahead of the time.
CREATE FUNCTION tenure.mint(proposal bigint, seen bigint) RETURNS bigint LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  drawn bigint;
BEGIN
  IF proposal > 0 THEN
    PERFORM pg_advisory_xact_lock(tenure.fence_lock());
    drawn := (SELECT f.last_value FROM tenure.fence f);
    IF drawn >= seen AND drawn >= 1000000000000000 AND proposal > drawn AND proposal <= tenure.now_us() THEN
      RETURN setval('tenure.fence', proposal);
    END IF;
  ELSE
    PERFORM pg_advisory_xact_lock_shared(tenure.fence_lock());
  END IF;
  drawn := nextval('tenure.fence');
  RETURN CASE WHEN drawn > seen AND drawn > 1000000000000000 THEN drawn ELSE 0 END;
END $$;

-- Gives a lease to a grant, or says who has it; who wants to wait gets a place in the queue.
-- 'granted <token>' · 'held <ms left> <waiters before us or -1> <kept: 0 or 1> <token> <owner>': left until the caller's turn, if
-- the name is only kept for another waiter · 'closed <record>' · 'unverified' · 'restored': the data is older than what the caller
-- knows. Whoever repeats a grant gets the token that it has, with the time anew: a retry must not block on its own lease.
CREATE FUNCTION tenure.acquire_or_wait(of_prefix text, of_cap bigint, of_nodes text, of_epoch text, seen bigint, of_name text,
                               by_owner text, by_nonce bigint, ttl_ms bigint, proposal bigint,
                               ticket_owner text, ticket_nonce bigint) RETURNS text LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET lock_timeout = '100ms' AS $$
DECLARE
  r tenure.record;
  l tenure.lease;
  waits boolean := ticket_nonce IS NOT NULL;
  whole boolean := true;
  obstacle text;
  wait_ms bigint;
  before bigint := -1;
  drawn bigint;
BEGIN
  SELECT * INTO r FROM tenure.record WHERE prefix = of_prefix;
  obstacle := tenure.obstacle(r, of_cap, of_nodes, of_epoch);
  IF obstacle IS NULL AND NOT r.open THEN obstacle := 'closed ' || tenure.record_text(r); END IF;
  IF obstacle IS NOT NULL THEN RETURN obstacle; END IF;

  -- Somebody's transaction that has asked tenure.holds() keeps the name from changing hands, and from nothing else: FOR UPDATE
  -- waits for it, what only needs to see the others does not.
  SELECT * INTO l FROM tenure.lease WHERE name = of_name;
  IF l.ends > clock_timestamp() AND NOT l.kept AND NOT (l.owner = by_owner AND l.nonce = by_nonce) THEN
    IF NOT waits THEN
      RETURN concat_ws(' ', 'held', tenure.left_ms(l.ends, clock_timestamp()), -1, 0, l.token, l.owner);
    END IF;
    whole := false;
    SELECT * INTO l FROM tenure.lease WHERE name = of_name FOR NO KEY UPDATE;
  ELSE
    SELECT * INTO l FROM tenure.lease WHERE name = of_name FOR UPDATE;
  END IF;
  WHILE NOT FOUND LOOP
    INSERT INTO tenure.lease (name) VALUES (of_name) ON CONFLICT DO NOTHING;
    SELECT * INTO l FROM tenure.lease WHERE name = of_name FOR UPDATE;
  END LOOP;

  IF l.ends > clock_timestamp() THEN
    IF l.owner = by_owner AND l.nonce = by_nonce AND NOT l.kept THEN
      UPDATE tenure.lease SET ends = clock_timestamp() + tenure.ms(ttl_ms) WHERE name = of_name;
      RETURN 'granted ' || l.token;
    END IF;
    IF l.kept AND waits THEN
      wait_ms := tenure.until_turn(of_prefix, l, ticket_owner, ticket_nonce);
      -- It may be kept for another by now.
      SELECT * INTO l FROM tenure.lease WHERE name = of_name;
    ELSE
      wait_ms := tenure.left_ms(l.ends, clock_timestamp());
    END IF;
  ELSE
    wait_ms := 0;
  END IF;
  -- It became free at this moment, and a name changes hands only where its row was locked FOR UPDATE from the beginning. After a
  -- weaker lock that others shared, PostgreSQL would not know it any more, and tenure.holds() with an older snapshot still say yes.
  IF wait_ms = 0 AND NOT whole THEN wait_ms := 1; END IF;

  IF wait_ms > 0 THEN
    IF waits THEN
      -- Who waits looks again within the cap, and one after the other, 10 ms for each place: who has not for twice as long is dead.
      -- And it outlives the turns announced.
      before := tenure.place_of(of_name, ticket_owner, ticket_nonce);
      IF before IS NULL THEN
        DELETE FROM tenure.waiter WHERE name = of_name AND ends <= clock_timestamp();
        INSERT INTO tenure.waiter VALUES (of_name, nextval('tenure.place'), ticket_owner, ticket_nonce, 'infinity');
        UPDATE tenure.lease SET awaited = true WHERE name = of_name AND NOT awaited;
        before := tenure.place_of(of_name, ticket_owner, ticket_nonce);
      END IF;
      UPDATE tenure.waiter
      SET ends = clock_timestamp() + tenure.ms(greatest(2 * of_cap, wait_ms + 2 * tenure.turn()) + 20 * before)
      WHERE name = of_name AND owner = ticket_owner AND nonce = ticket_nonce;
    END IF;
    RETURN concat_ws(' ', 'held', wait_ms, before, l.kept::integer, l.token, l.owner);
  END IF;

  drawn := tenure.mint(proposal, seen);
  IF drawn = 0 THEN RETURN 'restored'; END IF;
  UPDATE tenure.lease SET owner = by_owner, nonce = by_nonce, token = drawn, ends = clock_timestamp() + tenure.ms(ttl_ms),
    kept = false, told = 0, turns = 0 WHERE name = of_name;
  IF waits THEN
    DELETE FROM tenure.waiter WHERE name = of_name AND owner = ticket_owner AND nonce = ticket_nonce;
  END IF;
  RETURN 'granted ' || drawn;
END $$;

-- The same, and what clients call: a name that is known and free goes to a caller who neither waits nor proposes by two short
-- statements. It sets nothing, which would take longer than all else; so every name here is whole, whatever the search path is.
CREATE FUNCTION tenure.acquire(of_prefix text, of_cap bigint, of_nodes text, of_epoch text, seen bigint, of_name text,
                               by_owner text, by_nonce bigint, ttl_ms bigint, proposal bigint,
                               ticket_owner text, ticket_nonce bigint) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  place tid;
  drawn bigint;
BEGIN
  IF ticket_nonce IS NULL AND proposal OPERATOR(pg_catalog.=) 0 THEN
    SELECT l.ctid INTO place FROM tenure.lease l, tenure.record r
    WHERE l.name OPERATOR(pg_catalog.=) of_name AND l.ends OPERATOR(pg_catalog.<=) pg_catalog.clock_timestamp()
      AND r.prefix OPERATOR(pg_catalog.=) of_prefix AND r.open AND r.cap OPERATOR(pg_catalog.=) of_cap
      AND r.nodes OPERATOR(pg_catalog.=) of_nodes AND r.epoch OPERATOR(pg_catalog.=) of_epoch
      AND r.started OPERATOR(pg_catalog.=) tenure.started(r.forgets) AND (r.forgets OR NOT tenure.forgets())
    FOR UPDATE OF l SKIP LOCKED;
    IF place IS NOT NULL AND pg_catalog.pg_advisory_xact_lock_shared(tenure.fence_lock()) IS NOT NULL THEN
      UPDATE tenure.lease l SET owner = by_owner, nonce = by_nonce, token = pg_catalog.nextval('tenure.fence'),
        ends = pg_catalog.clock_timestamp() OPERATOR(pg_catalog.+) tenure.ms(ttl_ms), kept = false, told = 0, turns = 0
      WHERE l.ctid OPERATOR(pg_catalog.=) place RETURNING l.token INTO drawn;
      IF drawn OPERATOR(pg_catalog.>) seen AND drawn OPERATOR(pg_catalog.>) 1000000000000000 THEN
        RETURN pg_catalog.concat('granted ', drawn);
      END IF;
      IF drawn IS NOT NULL THEN
        UPDATE tenure.lease l SET ends = '-infinity' WHERE l.name OPERATOR(pg_catalog.=) of_name;
        RETURN 'restored';
      END IF;
    END IF;
  END IF;
  RETURN tenure.acquire_or_wait(of_prefix, of_cap, of_nodes, of_epoch, seen, of_name, by_owner, by_nonce, ttl_ms, proposal,
                                ticket_owner, ticket_nonce);
END $$;

-- In all that follows: 1 done · 0 there is no such lease · -1 it shows something else, and was left alone.

-- The second round of a quorum: writes the token of a grant into its lease, only where that grant still stands.
CREATE FUNCTION tenure.confirm(of_name text, by_owner text, by_nonce bigint, new_token bigint) RETURNS integer[] LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s' AS $$
DECLARE
  l tenure.lease;
BEGIN
  SELECT * INTO l FROM tenure.lease WHERE name = of_name FOR NO KEY UPDATE;
  IF l.name IS NULL OR l.ends <= clock_timestamp() THEN RETURN '{0}'; END IF;
  IF l.kept OR l.owner <> by_owner OR l.nonce <> by_nonce THEN RETURN '{-1}'; END IF;
  UPDATE tenure.lease SET token = new_token WHERE name = of_name;
  PERFORM tenure.raise_fence(new_token);
  RETURN '{1}';
END $$;

-- Arms the time of many leases anew, each only where it still shows the caller's grant and token. Gives the answers as text; or what
-- acquire says of a record of other terms, because whoever was left out when they changed must not go on for ever, or of a server
-- that was started since: what is missing there may have been forgotten. Names come sorted, and are locked in that order: two calls
-- never wait for each other in a circle.
CREATE FUNCTION tenure.renew(of_prefix text, of_cap bigint, of_nodes text, ttl_ms bigint, names text[], owners text[],
                             nonces bigint[], tokens bigint[]) RETURNS text LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s'
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  r tenure.record;
  obstacle text;
  done bigint[];
BEGIN
  SELECT * INTO r FROM tenure.record WHERE prefix = of_prefix;
  IF FOUND THEN
    obstacle := tenure.obstacle(r, of_cap, of_nodes, r.epoch);
    IF obstacle IS NOT NULL THEN RETURN obstacle; END IF;
  END IF;
  WITH renewed AS (
    UPDATE tenure.lease l SET ends = clock_timestamp() + tenure.ms(ttl_ms)
    FROM unnest(names, owners, nonces, tokens) WITH ORDINALITY AS i(name, owner, nonce, token, n)
    WHERE l.name = i.name AND l.owner = i.owner AND l.nonce = i.nonce AND l.token = i.token AND NOT l.kept
      AND l.ends > clock_timestamp()
    RETURNING i.n)
  SELECT array_agg(n) INTO done FROM renewed;
  IF cardinality(done) = cardinality(names) THEN RETURN array_fill(1, ARRAY[cardinality(names)])::text; END IF;
  RETURN (SELECT array_agg(CASE WHEN i.n = ANY (done) THEN 1 WHEN l.ends > clock_timestamp() THEN -1 ELSE 0 END ORDER BY i.n)::text
          FROM unnest(names) WITH ORDINALITY AS i(name, n) LEFT JOIN tenure.lease l ON l.name = i.name);
END $$;

-- Puts confirmed grants back where they are missing. In quarantine also over a token that is not higher: that is an older grant,
-- from data that went back; an equal one was this node's number for it before its token was confirmed. Elsewhere only if the
-- caller heals, being renewed by a quorum. Gives the answers as text, or what acquire says instead.
CREATE FUNCTION tenure.reassert(of_prefix text, of_cap bigint, of_nodes text, of_epoch text, seen bigint, ttl_ms bigint,
                                heal boolean, names text[], owners text[], nonces bigint[], tokens bigint[]) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s' AS $$
DECLARE
  r tenure.record;
  l tenure.lease;
  obstacle text;
  locked boolean;
  install boolean;
  highest bigint := 0;
  answers integer[] := '{}';
BEGIN
  SELECT * INTO r FROM tenure.record WHERE prefix = of_prefix;
  obstacle := tenure.obstacle(r, of_cap, of_nodes, of_epoch);
  IF obstacle IS NOT NULL THEN RETURN obstacle; END IF;
  IF r.open AND (SELECT f.last_value FROM tenure.fence f) < seen THEN RETURN 'restored'; END IF;
  FOR i IN 1..cardinality(names) LOOP
    -- Which lock it takes is known before: see tenure.acquire_or_wait().
    SELECT * INTO l FROM tenure.lease WHERE name = names[i];
    locked := true;
    IF l.owner = owners[i] AND l.nonce = nonces[i] THEN
      SELECT * INTO l FROM tenure.lease WHERE name = names[i] FOR NO KEY UPDATE;
      IF (l.owner, l.nonce) IS DISTINCT FROM (owners[i], nonces[i]) THEN
        RAISE EXCEPTION USING ERRCODE = '40001', MESSAGE = format('%s changed hands at this moment', names[i]);
      END IF;
    ELSIF (heal OR NOT r.open)
          AND (l.name IS NULL OR l.ends <= clock_timestamp() OR (NOT r.open AND l.token <= tokens[i])) THEN
      SELECT * INTO l FROM tenure.lease WHERE name = names[i] FOR UPDATE;
      WHILE NOT FOUND LOOP
        INSERT INTO tenure.lease (name) VALUES (names[i]) ON CONFLICT DO NOTHING;
        SELECT * INTO l FROM tenure.lease WHERE name = names[i] FOR UPDATE;
      END LOOP;
    ELSE
      locked := false;
    END IF;
    -- What is not locked may be another's by now.
    IF NOT locked THEN
      install := false;
    ELSIF l.ends > clock_timestamp() THEN
      install := (NOT l.kept AND l.owner = owners[i] AND l.nonce = nonces[i]) OR (NOT r.open AND l.token <= tokens[i]);
    ELSE
      install := heal OR NOT r.open;
    END IF;
    IF install THEN
      UPDATE tenure.lease SET owner = owners[i], nonce = nonces[i], token = tokens[i], kept = false, told = 0, turns = 0,
        ends = clock_timestamp() + tenure.ms(ttl_ms) WHERE name = names[i];
      highest := greatest(highest, tokens[i]);
    END IF;
    answers := answers || CASE WHEN install THEN 1 WHEN l.ends > clock_timestamp() THEN -1 ELSE 0 END;
  END LOOP;
  PERFORM tenure.raise_fence(highest);
  RETURN answers::text;
END $$;

-- Gives a lease back, whatever its token, or a place in its queue, or both. The first waiter that listens is called, and the name
-- kept for it.
CREATE FUNCTION tenure.release_and_call(of_prefix text, of_name text, by_owner text, by_nonce bigint, ticket_owner text,
                               ticket_nonce bigint, wake boolean) RETURNS integer[] LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s' AS $$
DECLARE
  l tenure.lease;
BEGIN
  SELECT * INTO l FROM tenure.lease WHERE name = of_name FOR NO KEY UPDATE;
  IF ticket_nonce IS NOT NULL THEN
    -- Whoever leaves the queue must not let somebody who was not told count as told.
    IF l.kept AND tenure.place_of(of_name, ticket_owner, ticket_nonce) < l.told THEN
      UPDATE tenure.lease SET told = l.told - 1 WHERE name = of_name;
    END IF;
    DELETE FROM tenure.waiter WHERE name = of_name AND owner = ticket_owner AND nonce = ticket_nonce;
  END IF;
  IF l.name IS NULL OR l.ends <= clock_timestamp() THEN RETURN '{0}'; END IF;
  IF l.kept THEN
    IF ticket_nonce IS NULL OR l.owner <> ticket_owner OR l.nonce <> ticket_nonce THEN RETURN '{-1}'; END IF;
  ELSIF l.owner <> by_owner OR l.nonce <> by_nonce THEN
    RETURN '{-1}';
  END IF;
  IF NOT wake OR NOT tenure.pass_on(of_prefix, of_name) THEN
    UPDATE tenure.lease SET ends = clock_timestamp() - interval '1 second', kept = false, told = 0, turns = 0,
      awaited = awaited AND NOT wake WHERE name = of_name;
  END IF;
  RETURN '{1}';
END $$;

-- The same, and what clients call: a lease that nobody waits for is given back in one statement. Nobody waits for the disk either:
-- a crash may forget a release, and the name is then taken until its time is over. The grant that comes after it is committed
-- behind it.
CREATE FUNCTION tenure.release(of_prefix text, of_name text, by_owner text, by_nonce bigint, ticket_owner text,
                               ticket_nonce bigint, wake boolean) RETURNS integer[] LANGUAGE plpgsql AS $$
BEGIN
  IF pg_catalog.set_config('synchronous_commit', 'off', true) IS NULL THEN RETURN NULL; END IF;
  IF ticket_nonce IS NULL THEN
    UPDATE tenure.lease l SET ends = pg_catalog.clock_timestamp() OPERATOR(pg_catalog.-) tenure.ms(1000)
    WHERE l.name OPERATOR(pg_catalog.=) of_name AND l.owner OPERATOR(pg_catalog.=) by_owner
      AND l.nonce OPERATOR(pg_catalog.=) by_nonce AND NOT l.kept AND NOT l.awaited
      AND l.ends OPERATOR(pg_catalog.>) pg_catalog.clock_timestamp();
    IF FOUND THEN RETURN '{1}'; END IF;
  END IF;
  RETURN tenure.release_and_call(of_prefix, of_name, by_owner, by_nonce, ticket_owner, ticket_nonce, wake);
END $$;

-- Breaks a grant without freeing its name early: another value stands in its place for as long as the lease would have. Its
-- holder is refused at the next renewal, and nobody is granted the name while it may still believe. Where there is nothing the
-- mark stands for hold_ms, so that nothing is put back there; 0: it does not. Gives 2 where nothing was there and the mark stands.
-- With a token above the holder's a mark cannot be taken for an older grant in a quarantine.
CREATE FUNCTION tenure.break(of_name text, victim_owner text, victim_nonce bigint, mark_owner text, mark_nonce bigint,
                             mark_token bigint, hold_ms bigint) RETURNS integer LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s' AS $$
DECLARE
  l tenure.lease;
BEGIN
  SELECT * INTO l FROM tenure.lease WHERE name = of_name FOR UPDATE;
  WHILE NOT FOUND AND hold_ms > 0 LOOP
    INSERT INTO tenure.lease (name) VALUES (of_name) ON CONFLICT DO NOTHING;
    SELECT * INTO l FROM tenure.lease WHERE name = of_name FOR UPDATE;
  END LOOP;
  IF l.name IS NULL OR l.ends <= clock_timestamp() THEN
    IF hold_ms = 0 THEN RETURN 0; END IF;
    UPDATE tenure.lease SET owner = mark_owner, nonce = mark_nonce, token = mark_token,
      ends = clock_timestamp() + tenure.ms(hold_ms), kept = false, told = 0, turns = 0 WHERE name = of_name;
    RETURN 2;
  END IF;
  IF l.owner = mark_owner AND l.nonce = mark_nonce THEN RETURN 1; END IF;
  IF l.owner <> victim_owner OR l.nonce <> victim_nonce THEN RETURN -1; END IF;
  UPDATE tenure.lease SET owner = mark_owner, nonce = mark_nonce, token = greatest(mark_token, l.token + 1), kept = false,
    told = 0, turns = 0 WHERE name = of_name;
  RETURN 1;
END $$;

-- What is there for each name, at one moment: changes nothing. No row's owner is null where there is a lease.
CREATE FUNCTION tenure.look(names text[]) RETURNS TABLE (owner text, nonce bigint, token bigint, kept boolean, left_ms bigint,
                                                         waiters bigint) LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
  SELECT l.owner, l.nonce, l.token, l.kept, tenure.left_ms(l.ends, clock_timestamp()),
         (SELECT count(*) FROM tenure.waiter w WHERE w.name = i.name AND w.ends > clock_timestamp())
  FROM unnest(names) WITH ORDINALITY AS i(name, n)
  LEFT JOIN tenure.lease l ON l.name = i.name AND l.ends > clock_timestamp() ORDER BY i.n
$$;

-- The server's clock, in microseconds of unix time. Everybody asks about once a second, and so everybody sweeps a little: of names
-- that nobody has used for an hour, those on four pages drawn by chance are forgotten.
CREATE FUNCTION tenure.clock() RETURNS bigint LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  pages bigint := pg_relation_size('tenure.lease') / current_setting('block_size')::bigint;
  page bigint := floor(random() * greatest(pages, 1));
BEGIN
  IF pages > 16 THEN
    DELETE FROM tenure.lease WHERE ctid = ANY (ARRAY(
      SELECT l.ctid FROM tenure.lease l WHERE l.ctid >= format('(%s,0)', page)::tid AND l.ctid < format('(%s,0)', page + 4)::tid
        AND l.ends < clock_timestamp() - interval '1 hour' FOR UPDATE SKIP LOCKED));
  END IF;
  RETURN tenure.now_us();
END $$;
-- The token where it counts: inside the transaction that writes.

-- Does that token still hold the name? Then the name cannot change hands before the asking transaction has ended, even if the
-- lease runs out meanwhile: whoever takes it next waits for this transaction. The name is as it was given to Tenure.
CREATE FUNCTION tenure.holds(name text, token bigint) RETURNS boolean LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- Tokens of a server come once: no lock can be taken for an election of the same name.
  PERFORM FROM tenure.lease l WHERE l.name IN (holds.name, 'redlock:' || holds.name) AND l.token = holds.token AND NOT l.kept
    AND l.ends > clock_timestamp() FOR KEY SHARE;
  RETURN FOUND;
END $$;
COMMENT ON FUNCTION tenure.holds(text, bigint) IS
  'Does this token still hold that lock or election? If so, nobody else can have it before this transaction ends.';

-- The same as a guard: ends the transaction with an error unless it does.
CREATE FUNCTION tenure.fence(name text, token bigint) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT tenure.holds(name, token) THEN
    RAISE EXCEPTION USING ERRCODE = 'TN002',
      MESSAGE = format('token %s does not hold %s any more', token, name),
      HINT = 'The lease has ended, and another process may have it by now: stop this work.';
  END IF;
END $$;
COMMENT ON FUNCTION tenure.fence(text, bigint) IS
  'Refuses to go on in this transaction unless the token still holds that lock or election.';
-- Fleets: who lives, what is polled, and what came of it.

-- Says that an instance lives, or that it leaves (ttl_ms is 0), and which others live. A first row without an id has the version of
-- the sessions; one row alone with the id of the caller and no weight: another process lives under it, for so long.
CREATE FUNCTION tenure.beat(of_fleet text, of_id text, of_boot text, of_start bigint, of_weight bigint, of_owned bigint,
                            of_version bigint, of_digest bigint, of_list bigint[], ttl_ms bigint)
RETURNS TABLE (id text, left_ms bigint, weight bigint, owned bigint, digest bigint) LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s' AS $$
DECLARE
  b tenure.beat;
  news boolean := false;
BEGIN
  PERFORM pg_advisory_xact_lock(tenure.channel_lock(of_fleet || 'node:' || of_id));
  SELECT * INTO b FROM tenure.beat a WHERE a.fleet = of_fleet AND a.id = of_id;
  IF b.boot <> of_boot AND b.ends > clock_timestamp() THEN
    RETURN QUERY SELECT of_id, tenure.left_ms(b.ends, clock_timestamp()), NULL::bigint, NULL::bigint, NULL::bigint;
    RETURN;
  END IF;
  IF ttl_ms = 0 THEN
    DELETE FROM tenure.beat a WHERE a.fleet = of_fleet AND a.id = of_id;
    news := FOUND;
  ELSE
    news := coalesce(b.ends <= clock_timestamp(), true);
    INSERT INTO tenure.beat VALUES (of_fleet, of_id, of_boot, of_start, of_weight, of_owned, of_version, of_digest,
                                    of_list, clock_timestamp() + tenure.ms(ttl_ms))
    ON CONFLICT ON CONSTRAINT beat_pkey DO UPDATE SET boot = excluded.boot, started = excluded.started,
      weight = excluded.weight, owned = excluded.owned, version = excluded.version, digest = excluded.digest, list = excluded.list, ends = excluded.ends;
  END IF;
  IF news THEN
    DELETE FROM tenure.beat a WHERE (a.fleet, a.id) IN (
      SELECT c.fleet, c.id FROM tenure.beat c WHERE c.fleet = of_fleet AND c.ends <= clock_timestamp() FOR UPDATE SKIP LOCKED);
    PERFORM tenure.tell_fleet(of_fleet, 'instances');
  END IF;
  RETURN QUERY SELECT NULL::text, coalesce((SELECT f.version FROM tenure.fleet f WHERE f.fleet = of_fleet), 0), NULL::bigint,
                      NULL::bigint, NULL::bigint;
  RETURN QUERY SELECT a.id, tenure.left_ms(a.ends, clock_timestamp()), a.weight, a.owned, a.digest FROM tenure.beat a
               WHERE a.fleet = of_fleet AND a.ends > clock_timestamp() ORDER BY a.id;
END $$;

-- A hint to all instances of a fleet; nobody listens: nothing is sent, because a NOTIFY makes commits of the whole server wait for
-- each other.
CREATE FUNCTION tenure.tell_fleet(of_fleet text, what text) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  changes text := of_fleet || 'changes';
BEGIN
  IF pg_try_advisory_xact_lock(tenure.channel_lock(changes)) THEN RETURN; END IF;
  PERFORM pg_notify(tenure.channel(changes), what);
END $$;

-- What these instances own, by the lists that came with their last beats; null for one that does not live.
CREATE FUNCTION tenure.lists(of_fleet text, ids text[]) RETURNS TABLE (list bigint[]) LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
  SELECT b.list FROM unnest(ids) WITH ORDINALITY AS i(id, n)
  LEFT JOIN tenure.beat b ON b.fleet = of_fleet AND b.id = i.id AND b.ends > clock_timestamp() ORDER BY i.n
$$;
