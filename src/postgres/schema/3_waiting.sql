-- Who waits for a name, and whose turn it is. All of this with the row of the name locked, so that nobody else changes its queue.
-- A name that is given back is kept for the first waiter that listens. Listening says nothing of being alive, so each waiter has
-- a turn, in which nobody behind it gets the name, and whoever lets it pass loses its place: docs/protocol.md, "Waiting".
-- These functions set no search_path: to set and restore it takes longer than what they do. Only functions that have set it call them.

CREATE OR REPLACE FUNCTION tenure.turn() RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 250::bigint;
CREATE OR REPLACE FUNCTION tenure.ms(n bigint) RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN n * interval '1 millisecond';
CREATE OR REPLACE FUNCTION tenure.left_ms(ends timestamptz, since timestamptz) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ceil(extract(epoch FROM ends - since) * 1000)::bigint;

-- Whoever listens on that channel holds the lock of its number, shared, as long as its session lasts: NOTIFY does not tell whether
-- it was heard. A channel's name is short, and what it stands for may not be.
CREATE OR REPLACE FUNCTION tenure.channel(what text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 'tenure_' || md5(what);
CREATE OR REPLACE FUNCTION tenure.channel_lock(what text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN hashtextextended(what, 8387223120341381477);

-- Says "look in so many ms" to the owner of a waiter. False: it does not listen, and so is dead.
CREATE OR REPLACE FUNCTION tenure.tell(of_prefix text, w tenure.waiter, wait_ms bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  what text := of_prefix || 'wake:' || w.owner;
BEGIN
  IF pg_try_advisory_xact_lock(tenure.channel_lock(what)) THEN RETURN false; END IF;
  RETURN pg_notify(tenure.channel(what), wait_ms || ' ' || w.nonce || ' ' || w.owner) IS NOT NULL;
END $$;

-- The waiter at that place of the queue, counted from 0; all null where there is none.
CREATE OR REPLACE FUNCTION tenure.waiter_at(of_name text, nth bigint) RETURNS tenure.waiter LANGUAGE plpgsql AS $$
DECLARE
  found_one tenure.waiter;
BEGIN
  SELECT * INTO found_one FROM tenure.waiter w WHERE w.name = of_name AND w.ends > clock_timestamp()
  ORDER BY w.place OFFSET nth LIMIT 1;
  RETURN found_one;
END $$;

CREATE OR REPLACE FUNCTION tenure.leave(w tenure.waiter) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM tenure.waiter q WHERE q.name = w.name AND q.place = w.place;
END $$;

-- How many stand before that ticket; null where it does not wait.
CREATE OR REPLACE FUNCTION tenure.place_of(of_name text, of_owner text, of_nonce bigint) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  RETURN (
    SELECT (SELECT count(*) FROM tenure.waiter b WHERE b.name = of_name AND b.place < w.place AND b.ends > clock_timestamp())
    FROM tenure.waiter w WHERE w.name = of_name AND w.owner = of_owner AND w.nonce = of_nonce AND w.ends > clock_timestamp());
END $$;

-- Tells the waiter at that place; who does not listen loses it to the next. All null: there is none.
CREATE OR REPLACE FUNCTION tenure.tell_at(of_prefix text, of_name text, nth bigint, wait_ms bigint) RETURNS tenure.waiter LANGUAGE plpgsql AS $$
DECLARE
  w tenure.waiter;
BEGIN
  LOOP
    SELECT * INTO w FROM tenure.waiter q WHERE q.name = of_name AND q.ends > clock_timestamp() ORDER BY q.place OFFSET nth LIMIT 1;
    IF NOT FOUND OR tenure.tell(of_prefix, w, wait_ms) THEN RETURN w; END IF;
    PERFORM tenure.leave(w);
  END LOOP;
END $$;

-- Keeps a name for that waiter, who leaves the queue.
CREATE OR REPLACE FUNCTION tenure.keep(w tenure.waiter, of_told integer, of_turns integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM tenure.waiter q WHERE q.name = w.name AND q.place = w.place;
  UPDATE tenure.lease SET owner = w.owner, nonce = w.nonce, token = 0, kept = true, told = of_told, turns = of_turns,
    ends = clock_timestamp() + tenure.ms(of_turns * tenure.turn()) WHERE name = w.name;
END $$;

-- After a release: calls the first who listens, and keeps the name for it. A waiter that is stopped or cut off still listens, and
-- only one that lives can act after this: so others are told now, four with turns of their own; behind them the 8th, 16th, 32nd, …
-- and the last pass the name on. False: nobody waits.
CREATE OR REPLACE FUNCTION tenure.pass_on(of_prefix text, of_name text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  turn bigint := tenure.turn();
  first tenure.waiter;
  w tenure.waiter;
  waiting bigint;  -- with the first; fewer once somebody behind it is found dead
  told integer := 0;
  turns integer;
  at bigint;
  last bigint;
BEGIN
  first := tenure.tell_at(of_prefix, of_name, 0, 0);
  IF first.name IS NULL THEN RETURN false; END IF;
  waiting := (SELECT count(*) FROM tenure.waiter q WHERE q.name = of_name AND q.ends > clock_timestamp());
  WHILE told < least(4, waiting - 1) LOOP
    w := tenure.tell_at(of_prefix, of_name, told + 1, (told + 1) * turn);
    EXIT WHEN w.name IS NULL;
    told := told + 1;
  END LOOP;
  -- Counted without the first. Where nobody hears it the queue has become shorter: whoever is last now is told instead.
  turns := told + 1;
  at := told - 1;
  LOOP
    EXIT WHEN at >= waiting - 2;
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
  RETURN tenure.keep(first, told, turns) IS NOT NULL;  -- PERFORM would be a query of its own
END $$;

-- Calls the first in the queue who listens, unless that is the caller. All null: nobody is before it.
CREATE OR REPLACE FUNCTION tenure.call_first(of_prefix text, of_name text, of_owner text, of_nonce bigint) RETURNS tenure.waiter
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
CREATE OR REPLACE FUNCTION tenure.until_turn(of_prefix text, l tenure.lease, of_owner text, of_nonce bigint) RETURNS bigint LANGUAGE plpgsql AS $$
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
