#!lua flags=allow-oom
-- Ends a quarantine that its caller has sat out: that one, and not one that began later by a repeat of the
-- same admission.
-- KEYS  record, fence
-- ARGV  admission: what the record must begin with · when it was made, as it says
-- Gives the record as it is now
--
-- The counter is raised to the time in microseconds: a quarantine outlasts what clocks may differ by, so that
-- no token given before is given again, whatever was lost.
local record = redis.call('GET', KEYS[1])
if not record then return '' end
local quarantined = ARGV[1] .. 'quarantined '
if string.sub(record, 1, #quarantined) ~= quarantined then return record end
if string.match(record, '^%S+ (%d+) ', #quarantined + 1) ~= ARGV[2] then return record end

local time = redis.call('TIME')
local floor = time[1] * 1000000 + time[2]
if tonumber(redis.call('GET', KEYS[2]) or '0') < floor then
  redis.call('SET', KEYS[2], string.format('%.0f', floor))
end
record = ARGV[1] .. 'open ' .. string.sub(record, #quarantined + 1)
redis.call('SET', KEYS[1], record)
return record
