-- Fleets: who lives, and what each owns.

-- Says that an instance lives, or that it leaves (ttl_ms is 0), and which others live. A first row without an id has the version of
-- the sessions; one row alone with the id of the caller and no weight: another process lives under it, for so long.
CREATE OR REPLACE FUNCTION tenure.beat(of_fleet text, of_id text, of_boot text, of_start bigint, of_weight bigint, of_owned bigint,
                            of_version bigint, of_digest bigint, of_list bigint[], ttl_ms bigint)
RETURNS TABLE (id text, left_ms bigint, weight bigint, owned bigint, digest bigint) LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s' AS $$
DECLARE
  b tenure.beat;
  news boolean := false;
BEGIN
  PERFORM pg_advisory_xact_lock(tenure.channel_lock(of_fleet || ':node:' || of_id));
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
      weight = excluded.weight, owned = excluded.owned, version = excluded.version,
      digest = excluded.digest, list = excluded.list, ends = excluded.ends;
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
CREATE OR REPLACE FUNCTION tenure.tell_fleet(of_fleet text, what text) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  changes text := of_fleet || ':changes';
BEGIN
  IF pg_try_advisory_xact_lock(tenure.channel_lock(changes)) THEN RETURN; END IF;
  PERFORM pg_notify(tenure.channel(changes), what);
END $$;

-- What these instances own, by the lists that came with their last beats; null for one that does not live.
CREATE OR REPLACE FUNCTION tenure.lists(of_fleet text, ids text[]) RETURNS TABLE (list bigint[]) LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s' AS $$
  SELECT b.list FROM unnest(ids) WITH ORDINALITY AS i(id, n)
  LEFT JOIN tenure.beat b ON b.fleet = of_fleet AND b.id = i.id AND b.ends > clock_timestamp() ORDER BY i.n
$$;
