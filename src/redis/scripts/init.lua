#!lua
-- Makes the record of a Redis that is new to Tenure, open at once; leaves one that exists alone, unless it
-- only says that there was none before, and is of the same set.
-- KEYS  record, fence
-- ARGV  cap in ms · set of nodes · an epoch nobody used before · the caller's wall clock, unix ms
-- Gives {'made', record} · {'exists', record}
local record = redis.call('GET', KEYS[1])
if record and string.match(record .. ' ', '^%d+ (%S+) %x+ quarantined %S+ %d+ %d+ %d+ unknown ') ~= ARGV[2] then
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
record = ARGV[1] .. ' ' .. ARGV[2] .. ' ' .. ARGV[3] .. ' open ' .. life .. ' ' ..
         string.format('%.0f', math.floor(floor / 1000)) .. ' ' .. ARGV[4] .. ' ' .. ARGV[1] .. ' new v1'
redis.call('SET', KEYS[1], record)
return {'made', record}
