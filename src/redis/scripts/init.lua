#!lua
-- Makes the record of a Redis that is new to Tenure, open at once; leaves one that exists alone, unless it
-- only says that there was none before.
-- KEYS  record, fence
-- ARGV  cap in ms · an epoch nobody used before · the caller's wall clock, unix ms
-- Gives {'made', record} · {'exists', record}
local record = redis.call('GET', KEYS[1])
if record and not string.match(record, '^%d+ %x+ quarantined %S+ %d+ %d+ unknown$') then
  return {'exists', record}
end

-- The counter starts at the time in microseconds: should the data ever be lost, the next start is
-- above every token given before.
local time = redis.call('TIME')
local floor = time[1] * 1000000 + time[2]
local fence = tonumber(redis.call('GET', KEYS[2]) or '0')
if fence < floor then redis.call('SET', KEYS[2], string.format('%.0f', floor)) end

local info = redis.call('INFO', 'server') .. redis.call('INFO', 'replication')
local life = string.match(info, 'run_id:(%x+)') .. '-' .. string.match(info, 'master_replid:(%x+)')
record = ARGV[1] .. ' ' .. ARGV[2] .. ' open ' .. life .. ' ' .. string.format('%.0f', math.floor(floor / 1000)) ..
         ' ' .. ARGV[3] .. ' new'
redis.call('SET', KEYS[1], record)
return {'made', record}
