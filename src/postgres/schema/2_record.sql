-- The record: admission of connections, and the beginning and end of quarantines.

CREATE OR REPLACE FUNCTION tenure.schema_version() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 2;

-- Functions that are one expression are resolved when they are made, whatever search_path they are called with.
CREATE OR REPLACE FUNCTION tenure.now_us() RETURNS bigint LANGUAGE sql VOLATILE
RETURN (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;

-- The record as clients read it: "<cap> <nodes> <epoch> <state> <made> <wall> <longest> <why> <durability>".
CREATE OR REPLACE FUNCTION tenure.record_text(r tenure.record) RETURNS text LANGUAGE sql STABLE
RETURN concat_ws(' ', r.cap, r.nodes, r.epoch, CASE WHEN r.open THEN 'open' ELSE 'quarantined' END, r.made, r.wall, r.longest,
                 r.why, CASE WHEN r.forgets THEN 'may-forget' ELSE 'durable' END);

-- The record of that prefix as text; empty where there is none.
CREATE OR REPLACE FUNCTION tenure.shown_record(of_prefix text) RETURNS text LANGUAGE sql VOLATILE
RETURN coalesce((SELECT tenure.record_text(r) FROM tenure.record r WHERE r.prefix = of_prefix), '');

-- Among the server's advisory locks, a number of Tenure's own.
CREATE OR REPLACE FUNCTION tenure.fence_lock() RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 8387223120341381477;

-- No token up to this one is drawn any more. Whoever draws one holds the lock shared: a sequence that is set while others draw
-- could go back. Always the last lock of a transaction, so that none waits for another in a circle. A counter begins at the time in
-- microseconds: below that of 2001 it was lost, and goes on at the time, above what was given before.
CREATE OR REPLACE FUNCTION tenure.raise_fence(at_least bigint) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s' AS $$
DECLARE
  drawn bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(tenure.fence_lock());
  drawn := (SELECT f.last_value FROM tenure.fence f);
  IF drawn < 1000000000000000 THEN at_least := greatest(at_least, tenure.now_us()); END IF;
  IF drawn < at_least THEN PERFORM setval('tenure.fence', at_least); END IF;
END $$;

-- Another one after a promotion or a recovery to a point in time, of a database that was copied, and of a schema that was made anew
-- from a dump: each may have forgotten what was committed.
CREATE OR REPLACE FUNCTION tenure.life() RETURNS text LANGUAGE sql VOLATILE
RETURN (SELECT concat_ws('-', s.system_identifier, substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8),
                         (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()), 'tenure'::regnamespace::oid)
        FROM pg_control_system() s);

-- Does a crash forget what was committed by this session?
CREATE OR REPLACE FUNCTION tenure.forgets() RETURNS boolean LANGUAGE sql STABLE
RETURN current_setting('synchronous_commit') = 'off' OR current_setting('fsync') = 'off';

-- When the server came to life that an answer comes from. One that forgets has lost something also when it was not started anew
-- itself, but only its processes, because one of them crashed: then it has lost its statistics as well. (Who resets those begins a
-- quarantine.)
CREATE OR REPLACE FUNCTION tenure.started(forgets boolean) RETURNS timestamptz LANGUAGE sql STABLE
RETURN CASE WHEN forgets THEN greatest(pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time())
            ELSE pg_postmaster_start_time() END;

-- What is decided about the record must not be forgotten, whatever the session asks for.
CREATE OR REPLACE FUNCTION tenure.remember() RETURNS text LANGUAGE sql VOLATILE
BEGIN ATOMIC
  SELECT set_config('synchronous_commit', 'on', true) WHERE tenure.forgets();
END;

-- Tells a connection which life of this server its leases belong to. Another life than the record shows, or no record at all,
-- means that grants may have been forgotten: a new epoch begins, in quarantine. So does data of the same life that is older than
-- what the caller knows, or has lost its counter. Gives the record; also one of another cap or set, as it is.
CREATE OR REPLACE FUNCTION tenure.admit(of_schema integer, of_prefix text, of_cap bigint, of_nodes text, new_epoch text, wall_ms bigint,
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
CREATE OR REPLACE FUNCTION tenure.open(of_prefix text, of_cap bigint, of_nodes text, of_epoch text, made_ms bigint) RETURNS text
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
CREATE OR REPLACE FUNCTION tenure.init(of_prefix text, of_cap bigint, of_nodes text, new_epoch text, wall_ms bigint,
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
CREATE OR REPLACE FUNCTION tenure.reconfigure(of_prefix text, seen_record text, new_cap bigint, new_nodes text, new_epoch text,
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
