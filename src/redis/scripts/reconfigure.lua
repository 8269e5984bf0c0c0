#!lua flags=allow-oom
-- Writes a record of other terms, in quarantine, in place of the one that the caller has seen.
-- KEYS  record
-- ARGV  the record as it was seen; empty: none · cap in ms · set of nodes · an epoch nobody used before
--       the caller's wall clock, unix ms · the longest TTL that anybody may still hold a lease for · why
-- Gives {'made', record} · {'changed', record}: it is another one by now
local record = redis.call('GET', KEYS[1]) or ''
if record ~= ARGV[1] then return {'changed', record} end

local info = redis.call('INFO', 'server') .. redis.call('INFO', 'replication')
local life = string.match(info, 'run_id:(%x+)') .. '-' .. string.match(info, 'master_replid:(%x+)')
local time = redis.call('TIME')
record = ARGV[2] .. ' ' .. ARGV[3] .. ' ' .. ARGV[4] .. ' quarantined ' .. life .. ' ' ..
         string.format('%.0f', math.floor((time[1] * 1000000 + time[2]) / 1000)) .. ' ' .. ARGV[5] .. ' ' ..
         ARGV[6] .. ' ' .. ARGV[7] .. ' v1'
redis.call('SET', KEYS[1], record)
return {'made', record}
