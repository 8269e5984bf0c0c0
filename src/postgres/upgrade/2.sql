-- From version 1 to 2: sessions and results; and a life is that of a schema as well. Heartbeats are made anew within seconds, under
-- the plain name of the fleet. They go first: an instance that beats has its row, and wants that of its fleet next.
DELETE FROM tenure.beat;
ALTER TABLE tenure.fleet ADD removed bigint NOT NULL DEFAULT 0, ADD writer xid8;
ALTER TABLE tenure.session ALTER fleet SET DEFAULT 'poll', ADD version bigint NOT NULL DEFAULT 0;
CREATE INDEX session_changes ON tenure.session (fleet, version);
UPDATE tenure.record SET life = concat_ws('-', life, (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()),
                                          'tenure'::regnamespace::oid)
WHERE life = tenure.life();
