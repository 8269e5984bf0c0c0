#!lua flags=allow-oom
-- The second round of a quorum: writes the token of a grant into its lease and raises the fence, only where
-- that grant still stands. Elsewhere the name may have been given to another since, with a smaller token.
-- KEYS  lease, fence
-- ARGV  stamp: "<owner>#<nonce>#" · token
-- Gives {1} confirmed · {0} missing · {-1} something else is there
local stamp, token = ARGV[1], ARGV[2]
local value = redis.pcall('GET', KEYS[1])
if not value then return {0} end
if type(value) ~= 'string' or string.sub(value, 1, #stamp) ~= stamp then return {-1} end

local fence, least = tonumber(redis.call('GET', KEYS[2]) or '0'), tonumber(token)
if fence < 1e15 then  -- lost, as in acquire: this token alone could be below those of other names
  local time = redis.call('TIME')
  least = math.max(least, time[1] * 1000000 + time[2])
end
if fence < least then redis.call('SET', KEYS[2], string.format('%.0f', least)) end
redis.call('SET', KEYS[1], stamp .. token, 'KEEPTTL')
return {1}
