#!lua
-- Stores the result of work done under a lease, unless a later owner has stored one, or the lease has passed on.
-- KEYS  state; where the lease lives on this Redis also: lease
-- ARGV  stamp "<owner>#<nonce>#" · token · result · channel to tell, or ''; for what is due again and again also: the slot
--       that the work was due in, by which the next owner knows when to go on · when it was done
-- Gives 1 stored · 0 the lease does not show this grant any more · -1 a larger token has been here
local stamp, token = ARGV[1], ARGV[2]
if KEYS[2] and redis.call('GET', KEYS[2]) ~= stamp .. token then return 0 end
local last = redis.call('HGET', KEYS[1], 'token')
if last and tonumber(last) > tonumber(token) then return -1 end

redis.call('HSET', KEYS[1], 'token', token, 'by', stamp, 'result', ARGV[3])
if ARGV[5] then redis.call('HSET', KEYS[1], 'slot', ARGV[5], 'at', ARGV[6]) end
-- A channel that is not allowed does not make it less stored.
if ARGV[4] ~= '' then redis.pcall('PUBLISH', ARGV[4], ARGV[3]) end
return 1
