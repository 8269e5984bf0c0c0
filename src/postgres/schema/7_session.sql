-- Sessions, and the results of their polls. Both are rows that anybody may read and sessions anybody may write who has the right to:
-- a trigger tells the instances what has changed, whoever wrote it.

-- Whoever changes sessions waits for whoever has not committed such a change yet: before the first row is locked, so that two never
-- wait for each other in a circle.
CREATE OR REPLACE FUNCTION tenure.lock_sessions() RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(tenure.channel_lock('sessions'));
END $$;
CREATE OR REPLACE FUNCTION tenure.note_statement() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM tenure.lock_sessions();
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER note_statement BEFORE INSERT OR UPDATE OR DELETE ON tenure.session
FOR EACH STATEMENT EXECUTE FUNCTION tenure.note_statement();

-- The version that a change of sessions gets. Versions are in the order of commits, so that whoever reads one has read all that was
-- written before. What one transaction writes has the same one, and one more where it removes something after that.
CREATE OR REPLACE FUNCTION tenure.next_version(of_fleet text, removal boolean) RETURNS bigint LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  own bigint;
BEGIN
  SELECT f.version INTO own FROM tenure.fleet f
  WHERE f.fleet = of_fleet AND f.writer = pg_current_xact_id() AND (NOT removal OR f.removed = f.version)
    -- A number of a transaction that a dump brought here from another server is older.
    AND f.version >= (extract(epoch FROM transaction_timestamp()) * 1000000)::bigint;
  IF FOUND THEN RETURN own; END IF;
  INSERT INTO tenure.fleet AS f VALUES (of_fleet, tenure.now_us(), 0, pg_current_xact_id())
  ON CONFLICT (fleet) DO UPDATE SET version = greatest(f.version + 1, tenure.now_us()), writer = pg_current_xact_id()
  RETURNING version INTO own;
  IF removal THEN UPDATE tenure.fleet f SET removed = own WHERE f.fleet = of_fleet; END IF;
  -- Sessions change seldom, so that it does no harm to tell those who are not there. To ask whether anybody listens, as
  -- tenure.tell_fleet() does, would keep listeners from beginning until this transaction ends, and that may be somebody's long one.
  PERFORM pg_notify(tenure.channel(of_fleet || ':changes'), 'sessions');
  RETURN own;
END $$;

CREATE OR REPLACE FUNCTION tenure.note_session() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- Who writes what is there already wakes nobody.
  IF TG_OP = 'UPDATE' AND NEW IS NOT DISTINCT FROM OLD THEN RETURN NEW; END IF;
  IF TG_OP = 'DELETE' OR (TG_OP = 'UPDATE' AND (OLD.fleet, OLD.id) <> (NEW.fleet, NEW.id)) THEN
    PERFORM tenure.next_version(OLD.fleet, true);
  END IF;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  NEW.version := tenure.next_version(NEW.fleet, false);
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER note_session BEFORE INSERT OR UPDATE OR DELETE ON tenure.session
FOR EACH ROW EXECUTE FUNCTION tenure.note_session();

CREATE OR REPLACE FUNCTION tenure.note_truncation() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM tenure.lock_sessions();
  PERFORM tenure.next_version(f.fleet, true) FROM tenure.fleet f;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER note_truncation BEFORE TRUNCATE ON tenure.session
FOR EACH STATEMENT EXECUTE FUNCTION tenure.note_truncation();

-- Another one wherever data may have been lost. Sessions may be read from a standby as well, which has no timeline of its own: what it
-- has can only go back while it is not running.
CREATE OR REPLACE FUNCTION tenure.life_to_readers() RETURNS text LANGUAGE sql VOLATILE
RETURN CASE WHEN pg_is_in_recovery()
            THEN concat_ws('-', (SELECT s.system_identifier FROM pg_control_system() s), extract(epoch FROM pg_postmaster_start_time()))
            ELSE concat_ws('-', tenure.life(), extract(epoch FROM tenure.started(tenure.forgets()))) END;

-- The sessions that were written since that version, for a reader that knows those before. First a row without an id: the version
-- that the reader knows afterwards, whether these are all sessions, because some were removed, and as its text the life of the
-- server. To a reader that knows another life the version means nothing: data may have been lost, and versions gone on above it. It
-- asks for all of them. What is written meanwhile may be among the sessions, and is among the next as well.
CREATE OR REPLACE FUNCTION tenure.sessions(of_fleet text, since bigint, length_max integer)
RETURNS TABLE (id text, text text, version bigint, complete boolean) LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s' AS $$
DECLARE
  f tenure.fleet;
BEGIN
  SELECT * INTO f FROM tenure.fleet a WHERE a.fleet = of_fleet;
  f.version := coalesce(f.version, 0);
  complete := since = 0 OR since < f.removed OR since > f.version;
  RETURN QUERY SELECT NULL::text, tenure.life_to_readers(), f.version, complete;
  IF complete THEN
    RETURN QUERY SELECT s.id, left(s.text, length_max), NULL::bigint, NULL::boolean FROM tenure.session s
                 WHERE s.fleet = of_fleet ORDER BY s.id;
  ELSIF since < f.version THEN
    RETURN QUERY SELECT s.id, left(s.text, length_max), NULL::bigint, NULL::boolean FROM tenure.session s
                 WHERE s.fleet = of_fleet AND s.version > since ORDER BY s.id;
  END IF;
END $$;

-- One of them; no row where there is none.
CREATE OR REPLACE FUNCTION tenure.session_text(of_fleet text, of_id text, length_max integer) RETURNS TABLE (text text)
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s' AS $$
  SELECT left(s.text, length_max) FROM tenure.session s WHERE s.fleet = of_fleet AND s.id = of_id
$$;

-- Writes a session in the place of that text, or where there is none if that is null. Gives 1 written · 0 it says so already ·
-- -1 another text is there.
CREATE OR REPLACE FUNCTION tenure.put_session(of_fleet text, of_id text, new_text text, before text) RETURNS integer LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s' AS $$
BEGIN
  IF before IS NULL THEN
    INSERT INTO tenure.session (fleet, id, text) VALUES (of_fleet, of_id, new_text) ON CONFLICT DO NOTHING;
  ELSIF before = new_text THEN
    RETURN (SELECT count(*)::integer - 1 FROM tenure.session s WHERE s.fleet = of_fleet AND s.id = of_id AND s.text = before);
  ELSE
    UPDATE tenure.session s SET text = new_text WHERE s.fleet = of_fleet AND s.id = of_id AND s.text = before;
  END IF;
  RETURN CASE WHEN FOUND THEN 1 ELSE -1 END;
END $$;

-- False: there was none.
CREATE OR REPLACE FUNCTION tenure.remove_session(of_fleet text, of_id text) RETURNS boolean LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s' AS $$
BEGIN
  DELETE FROM tenure.session WHERE fleet = of_fleet AND id = of_id;
  RETURN FOUND;
END $$;

-- Stores results of work that was done under leases, each unless a later owner has stored one, or its lease has passed on. The row of
-- a lease is locked until the results are committed, so that nobody is granted it before. An empty name of a lease: leases are
-- elsewhere, and only tokens tell. Gives for each 1 stored · 0 the lease does not show this grant any more · -1 a larger token has been
-- here · -2 somebody's transaction has locked the lease: nothing was stored. The ids are in order, so that two callers never wait for
-- each other in a circle.
CREATE OR REPLACE FUNCTION tenure.publish(of_fleet text, ids text[], leases text[], tokens bigint[], texts text[], slots bigint[],
                                          ats bigint[]) RETURNS integer[] LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET lock_timeout = '500ms' AS $$
DECLARE
  answers integer[] := '{}';
BEGIN
  FOR i IN 1..cardinality(ids) LOOP
    IF leases[i] <> '' THEN
      -- Tokens of a server come once, so that this one says whose it is.
      PERFORM FROM tenure.lease l WHERE l.name = leases[i] AND l.token = tokens[i] AND NOT l.kept AND l.ends > clock_timestamp()
        FOR KEY SHARE SKIP LOCKED;
      IF NOT FOUND THEN
        answers := answers || (SELECT -2 * count(*)::integer FROM tenure.lease l WHERE l.name = leases[i] AND l.token = tokens[i]
                                 AND NOT l.kept AND l.ends > clock_timestamp());
        CONTINUE;
      END IF;
    END IF;
    INSERT INTO tenure.state AS s VALUES (of_fleet, ids[i], tokens[i], texts[i], slots[i], ats[i])
    ON CONFLICT (fleet, id) DO UPDATE SET token = excluded.token, text = excluded.text, slot = excluded.slot, at = excluded.at
    WHERE s.token <= excluded.token;
    answers := answers || CASE WHEN FOUND THEN 1 ELSE -1 END;
  END LOOP;
  RETURN answers;
END $$;

-- What came of these sessions last: a row for each, all null where there is nothing. Of a text only its beginning.
CREATE OR REPLACE FUNCTION tenure.results(of_fleet text, ids text[], length_max integer)
RETURNS TABLE (token bigint, text text, slot bigint) LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s' AS $$
  SELECT s.token, left(s.text, length_max), s.slot FROM unnest(ids) WITH ORDINALITY AS i(id, n)
  LEFT JOIN tenure.state s ON s.fleet = of_fleet AND s.id = i.id ORDER BY i.n
$$;
