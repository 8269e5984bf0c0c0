-- A writer that was suspended is refused by the database itself (docs/postgresql.md). After tenure init:
--
--   export TENURE_STORE=postgresql:///app
--   tenure run report -- sh -c 'psql app -v ON_ERROR_STOP=1 -v token=$TENURE_TOKEN -f fencing.sql'
CREATE TABLE IF NOT EXISTS report (line text NOT NULL, written_by bigint NOT NULL);

BEGIN;
-- Does our token still hold the lock? Then nobody else gets it before we have committed. If not, this is an error, and the
-- transaction leaves no trace.
SELECT tenure.fence('report', :token);
INSERT INTO report VALUES ('the figures of today', :token);
COMMIT;
