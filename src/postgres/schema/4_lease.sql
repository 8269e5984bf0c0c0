-- Leases: given, confirmed, renewed, put back, given back, broken, looked at. The row of a name is locked before its token is
-- drawn, so that the tokens of a name grow in the order of its grants.

-- May leases be given or put back by whoever was admitted to that epoch? 'closed <record>': not by this record; 'unverified': the
-- server was started since, or has begun to forget what it commits, and nobody has looked yet which life this is. Null: they may.
CREATE OR REPLACE FUNCTION tenure.obstacle(r tenure.record, of_cap bigint, of_nodes text, of_epoch text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  IF r.prefix IS NULL THEN RETURN 'closed '; END IF;
  IF r.cap <> of_cap OR r.nodes <> of_nodes OR r.epoch <> of_epoch THEN RETURN 'closed ' || tenure.record_text(r); END IF;
  IF r.started <> tenure.started(r.forgets) OR (NOT r.forgets AND tenure.forgets()) THEN RETURN 'unverified'; END IF;
  RETURN NULL;
END $$;

-- The token of the next grant; 0: the data is older than what the caller knows, or the counter was lost. What is proposed is
-- minted only above all that was minted here, and not ahead of the time.
CREATE OR REPLACE FUNCTION tenure.mint(proposal bigint, seen bigint) RETURNS bigint LANGUAGE plpgsql AS $$
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
CREATE OR REPLACE FUNCTION tenure.acquire_or_wait(of_prefix text, of_cap bigint, of_nodes text, of_epoch text, seen bigint, of_name text,
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
  -- Nearly always nothing is in the way.
  PERFORM FROM tenure.record q WHERE q.prefix = of_prefix AND q.open AND q.cap = of_cap AND q.nodes = of_nodes AND q.epoch = of_epoch
    AND q.started = tenure.started(q.forgets) AND (q.forgets OR NOT tenure.forgets());
  IF NOT FOUND THEN
    SELECT * INTO r FROM tenure.record WHERE prefix = of_prefix;
    obstacle := tenure.obstacle(r, of_cap, of_nodes, of_epoch);
    IF obstacle IS NULL AND NOT r.open THEN obstacle := 'closed ' || tenure.record_text(r); END IF;
    IF obstacle IS NOT NULL THEN RETURN obstacle; END IF;
  END IF;

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
  -- Who makes a row may wait for the disk: for the table to grow, or for somebody who makes the same one. That passes by itself.
  WHILE NOT FOUND LOOP
    PERFORM set_config('lock_timeout', '1s', true);
    INSERT INTO tenure.lease (name) VALUES (of_name) ON CONFLICT DO NOTHING;
    PERFORM set_config('lock_timeout', '100ms', true);
    SELECT * INTO l FROM tenure.lease WHERE name = of_name FOR UPDATE;
  END LOOP;

  IF l.ends > clock_timestamp() THEN
    IF l.owner = by_owner AND l.nonce = by_nonce AND NOT l.kept THEN
      UPDATE tenure.lease SET ends = clock_timestamp() + tenure.ms(ttl_ms) WHERE name = of_name;
      RETURN 'granted ' || l.token;
    END IF;
    IF l.kept AND l.told = 0 AND l.owner = ticket_owner AND l.nonce = ticket_nonce THEN
      wait_ms := 0;  -- kept for this ticket, and nobody else was told: most often it is that
    ELSIF l.kept AND waits THEN
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

-- The same, and what clients call: a name that is known and free goes to a caller who neither waits nor proposes by one short
-- statement. Its row is locked first, then the counter, and then the token is drawn. It sets nothing, which would take longer than all
-- else; so every name here is whole, whatever the search path is.
CREATE OR REPLACE FUNCTION tenure.acquire(of_prefix text, of_cap bigint, of_nodes text, of_epoch text, seen bigint, of_name text,
                               by_owner text, by_nonce bigint, ttl_ms bigint, proposal bigint,
                               ticket_owner text, ticket_nonce bigint) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  given pg_catalog.text;
BEGIN
  IF ticket_nonce IS NULL AND proposal OPERATOR(pg_catalog.=) 0 THEN
    UPDATE tenure.lease taken SET owner = by_owner, nonce = by_nonce, token = pg_catalog.nextval('tenure.fence'),
      ends = pg_catalog.clock_timestamp() OPERATOR(pg_catalog.+) tenure.ms(ttl_ms), kept = false, told = 0, turns = 0
    WHERE taken.ctid OPERATOR(pg_catalog.=) (
        SELECT l.ctid FROM tenure.lease l, tenure.record r
        WHERE l.name OPERATOR(pg_catalog.=) of_name AND l.ends OPERATOR(pg_catalog.<=) pg_catalog.clock_timestamp()
          AND r.prefix OPERATOR(pg_catalog.=) of_prefix AND r.open AND r.cap OPERATOR(pg_catalog.=) of_cap
          AND r.nodes OPERATOR(pg_catalog.=) of_nodes AND r.epoch OPERATOR(pg_catalog.=) of_epoch
          AND r.started OPERATOR(pg_catalog.=) tenure.started(r.forgets) AND (r.forgets OR NOT tenure.forgets())
        FOR UPDATE OF l SKIP LOCKED)
      AND pg_catalog.pg_advisory_xact_lock_shared(tenure.fence_lock()) IS NOT NULL
    RETURNING CASE WHEN taken.token OPERATOR(pg_catalog.>) seen AND taken.token OPERATOR(pg_catalog.>) 1000000000000000
                   THEN pg_catalog.concat('granted ', taken.token) ELSE 'restored' END INTO given;
    IF given OPERATOR(pg_catalog.=) 'restored' THEN
      UPDATE tenure.lease l SET ends = '-infinity' WHERE l.name OPERATOR(pg_catalog.=) of_name;
    END IF;
    IF given IS NOT NULL THEN RETURN given; END IF;
  END IF;
  RETURN tenure.acquire_or_wait(of_prefix, of_cap, of_nodes, of_epoch, seen, of_name, by_owner, by_nonce, ttl_ms, proposal,
                                ticket_owner, ticket_nonce);
END $$;

-- In all that follows: 1 done · 0 there is no such lease · -1 it shows something else, and was left alone.

-- The second round of a quorum: writes the token of a grant into its lease, only where that grant still stands.
CREATE OR REPLACE FUNCTION tenure.confirm(of_name text, by_owner text, by_nonce bigint, new_token bigint) RETURNS integer[] LANGUAGE plpgsql
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
-- never wait for each other in a circle. A row that somebody's transaction keeps locked must not cost the others their time: -2, it was
-- left alone, and what it shows is not known.
CREATE OR REPLACE FUNCTION tenure.renew(of_prefix text, of_cap bigint, of_nodes text, ttl_ms bigint, names text[], owners text[],
                             nonces bigint[], tokens bigint[]) RETURNS text LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s'
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  r tenure.record;
  obstacle text;
  free bigint[];
  done bigint[];
BEGIN
  SELECT * INTO r FROM tenure.record WHERE prefix = of_prefix;
  IF FOUND THEN
    obstacle := tenure.obstacle(r, of_cap, of_nodes, r.epoch);
    IF obstacle IS NOT NULL THEN RETURN obstacle; END IF;
  END IF;
  -- A part of the time after which the caller gives up.
  PERFORM set_config('lock_timeout', greatest(1, least(100, ttl_ms / 40))::text, true);
  LOOP
    BEGIN
      WITH renewed AS (
        UPDATE tenure.lease l SET ends = clock_timestamp() + tenure.ms(ttl_ms)
        FROM unnest(names, owners, nonces, tokens) WITH ORDINALITY AS i(name, owner, nonce, token, n)
        WHERE (free IS NULL OR i.n = ANY (free)) AND l.name = i.name AND l.owner = i.owner AND l.nonce = i.nonce
          AND l.token = i.token AND NOT l.kept AND l.ends > clock_timestamp()
        RETURNING i.n)
      SELECT array_agg(n) INTO done FROM renewed;
      EXIT;
    EXCEPTION WHEN lock_not_available THEN
      -- What is free now stays locked by us: if that was not enough, it is the table that is locked.
      IF free IS NOT NULL THEN RAISE; END IF;
      WITH found AS (
        SELECT i.n FROM unnest(names) WITH ORDINALITY AS i(name, n) JOIN tenure.lease l ON l.name = i.name
        FOR NO KEY UPDATE OF l SKIP LOCKED)
      SELECT coalesce(array_agg(n), '{}') INTO free FROM found;
    END;
  END LOOP;
  IF cardinality(done) = cardinality(names) THEN RETURN array_fill(1, ARRAY[cardinality(names)])::text; END IF;
  RETURN (SELECT array_agg(CASE WHEN i.n = ANY (done) THEN 1 WHEN l.name IS NOT NULL AND NOT i.n = ANY (free) THEN -2
                                WHEN l.ends > clock_timestamp() THEN -1 ELSE 0 END ORDER BY i.n)::text
          FROM unnest(names) WITH ORDINALITY AS i(name, n) LEFT JOIN tenure.lease l ON l.name = i.name);
END $$;

-- Puts confirmed grants back where they are missing. In quarantine also over a token that is not higher: that is an older grant,
-- from data that went back; an equal one was this node's number for it before its token was confirmed. Elsewhere only if the
-- caller heals, being renewed by a quorum. Gives the answers as text, or what acquire says instead. A row that somebody else has
-- locked is left alone, as by renew.
CREATE OR REPLACE FUNCTION tenure.reassert(of_prefix text, of_cap bigint, of_nodes text, of_epoch text, seen bigint, ttl_ms bigint,
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
      SELECT * INTO l FROM tenure.lease WHERE name = names[i] FOR NO KEY UPDATE SKIP LOCKED;
      IF FOUND AND (l.owner, l.nonce) IS DISTINCT FROM (owners[i], nonces[i]) THEN
        RAISE EXCEPTION USING ERRCODE = '40001', MESSAGE = format('%s changed hands at this moment', names[i]);
      END IF;
    ELSIF (heal OR NOT r.open)
          AND (l.name IS NULL OR l.ends <= clock_timestamp() OR (NOT r.open AND l.token <= tokens[i])) THEN
      IF l.name IS NULL THEN INSERT INTO tenure.lease (name) VALUES (names[i]) ON CONFLICT DO NOTHING; END IF;
      SELECT * INTO l FROM tenure.lease WHERE name = names[i] FOR UPDATE SKIP LOCKED;
    ELSE
      locked := false;
    END IF;
    IF locked AND l.name IS NULL THEN
      answers := answers || (-2);
      CONTINUE;
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
CREATE OR REPLACE FUNCTION tenure.release_and_call(of_prefix text, of_name text, by_owner text, by_nonce bigint, ticket_owner text,
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

-- The same, and what clients call: a lease that nobody waits for is given back in one statement, which sets what it needs before it
-- waits for the row. Nobody waits for the disk either: a crash may forget a release, and the name is then taken until its time is
-- over. The grant that comes after it is committed behind it.
CREATE OR REPLACE FUNCTION tenure.release(of_prefix text, of_name text, by_owner text, by_nonce bigint, ticket_owner text,
                               ticket_nonce bigint, wake boolean) RETURNS integer[] LANGUAGE plpgsql AS $$
BEGIN
  IF ticket_nonce IS NULL THEN
    UPDATE tenure.lease l SET ends = pg_catalog.clock_timestamp() OPERATOR(pg_catalog.-) tenure.ms(1000)
    WHERE l.name OPERATOR(pg_catalog.=) of_name AND l.owner OPERATOR(pg_catalog.=) by_owner
      AND l.nonce OPERATOR(pg_catalog.=) by_nonce AND NOT l.kept AND NOT l.awaited
      AND l.ends OPERATOR(pg_catalog.>) pg_catalog.clock_timestamp()
      AND pg_catalog.set_config('synchronous_commit', 'off', true) IS NOT NULL
      AND pg_catalog.set_config('lock_timeout', '1s', true) IS NOT NULL;
    IF FOUND THEN RETURN '{1}'; END IF;
  END IF;
  IF pg_catalog.set_config('synchronous_commit', 'off', true) IS NULL THEN RETURN NULL; END IF;
  RETURN tenure.release_and_call(of_prefix, of_name, by_owner, by_nonce, ticket_owner, ticket_nonce, wake);
END $$;

-- Breaks a grant without freeing its name early: another value stands in its place for as long as the lease would have. Its
-- holder is refused at the next renewal, and nobody is granted the name while it may still believe. Where there is nothing the
-- mark stands for hold_ms, so that nothing is put back there; 0: it does not. Gives 2 where nothing was there and the mark stands.
-- With a token above the holder's a mark cannot be taken for an older grant in a quarantine.
CREATE OR REPLACE FUNCTION tenure.break(of_name text, victim_owner text, victim_nonce bigint, mark_owner text, mark_nonce bigint,
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
CREATE OR REPLACE FUNCTION tenure.look(names text[]) RETURNS TABLE (owner text, nonce bigint, token bigint, kept boolean, left_ms bigint,
                                                         waiters bigint) LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s' AS $$
  SELECT l.owner, l.nonce, l.token, l.kept, tenure.left_ms(l.ends, clock_timestamp()),
         (SELECT count(*) FROM tenure.waiter w WHERE w.name = i.name AND w.ends > clock_timestamp())
  FROM unnest(names) WITH ORDINALITY AS i(name, n)
  LEFT JOIN tenure.lease l ON l.name = i.name AND l.ends > clock_timestamp() ORDER BY i.n
$$;

-- The server's clock, in microseconds of unix time. Everybody asks about once a second, and so everybody sweeps a little: of names
-- that nobody has used for an hour, those on four pages drawn by chance are forgotten.
CREATE OR REPLACE FUNCTION tenure.clock() RETURNS bigint LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s' AS $$
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
