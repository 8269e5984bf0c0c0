-- The token where it counts: inside the transaction that writes.

-- Does that token still hold the name? Then the name cannot change hands before the asking transaction has ended, even if the
-- lease runs out meanwhile: whoever takes it next waits for this transaction. The name is as it was given to Tenure.
CREATE OR REPLACE FUNCTION tenure.holds(name text, token bigint) RETURNS boolean LANGUAGE plpgsql
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
CREATE OR REPLACE FUNCTION tenure.fence(name text, token bigint) RETURNS void LANGUAGE plpgsql
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
