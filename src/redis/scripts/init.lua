#!lua
-- Makes the record of a Redis that is new to Tenure; leaves one that exists alone.
-- KEYS  record, fence
-- ARGV  the record without its time stamp
-- Gives {'made', record} · {'exists', record}
local record = redis.call('GET', KEYS[1])
if record then return {'exists', record} end

-- The counter starts at the time in microseconds: should the data ever be lost, the next start is
-- above every token given before.
local now = redis.call('TIME')
local floor = now[1] * 1000000 + now[2]
local fence = tonumber(redis.call('GET', KEYS[2]) or '0')
if fence < floor then redis.call('SET', KEYS[2], string.format('%.0f', floor)) end

record = ARGV[1] .. ' ' .. string.format('%.0f', math.floor(floor / 1000))
redis.call('SET', KEYS[1], record)
return {'made', record}
