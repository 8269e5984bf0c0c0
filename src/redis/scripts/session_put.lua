#!lua
-- Writes a session, and tells everybody: its key, its place in the index, the version of the index, a message.
-- KEYS  session, index, version
-- ARGV  id · text · channel · the text that is to be replaced; without it there must be none
-- Gives 1 written · 0 it says so already · -1 another text is there
--
-- The version grows with the clock as well: an index that was lost and made anew never repeats one.
local before = redis.call('GET', KEYS[1])
if before ~= (ARGV[4] or false) then return -1 end
if before == ARGV[2] and redis.call('ZSCORE', KEYS[2], ARGV[1]) then return 0 end

local now = redis.call('TIME')
local last = tonumber(redis.call('GET', KEYS[3]) or '') or 0
local version = string.format('%.0f', math.max(last + 1, now[1] * 1000000 + now[2]))
redis.call('SET', KEYS[1], ARGV[2], 'KEEPTTL')
redis.call('ZADD', KEYS[2], version, ARGV[1])
redis.call('SET', KEYS[3], version)
redis.pcall('PUBLISH', ARGV[3], 'sessions')  -- a hint: without the right to it, all the same
return 1
