#!lua flags=allow-oom
-- Removes a session, and tells everybody, as session_put does.
-- KEYS  session, index, version
-- ARGV  id · channel
-- Gives 1 removed · 0 there was none
local there = redis.call('DEL', KEYS[1])
local listed = redis.call('ZREM', KEYS[2], ARGV[1])
if there + listed == 0 then return 0 end

local now = redis.call('TIME')
local last = tonumber(redis.call('GET', KEYS[3]) or '') or 0
redis.call('SET', KEYS[3], string.format('%.0f', math.max(last + 1, now[1] * 1000000 + now[2])))
redis.pcall('PUBLISH', ARGV[2], 'sessions')  -- a hint: without the right to it, all the same
return 1
