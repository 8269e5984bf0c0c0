#!lua
-- Gives a lease to a grant, or says who has it.
-- KEYS  lease, record, fence
-- ARGV  admission: what the record must begin with · stamp: "<owner>#<nonce>#" · TTL in ms
-- Gives {'granted', token} · {'held', value, ms left} · {'closed', record}
--
-- Three calls on the granted path; where another holds it, nothing is written. Whoever repeats a grant gets
-- the token that it has, with the TTL armed anew: a retry must not block on its own key.
local stamp = ARGV[2]
local found = redis.call('MGET', KEYS[2], KEYS[1])
local record, value = found[1], found[2]

if not record or string.sub(record, 1, #ARGV[1]) ~= ARGV[1] then
  return {'closed', record or ''}
end

if not value then
  -- Larger than 2^53 it would not be exact; the clock in microseconds gets there in the year 2255.
  local token = redis.call('INCR', KEYS[3])
  local set = redis.call('SET', KEYS[1], stamp .. string.format('%.0f', token), 'NX', 'PX', ARGV[3])
  if not set then return {'held', '', redis.call('PTTL', KEYS[1])} end  -- a key of another type
  return {'granted', token}
end

if string.sub(value, 1, #stamp) == stamp then
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  return {'granted', tonumber(string.sub(value, #stamp + 1))}
end

return {'held', value, redis.call('PTTL', KEYS[1])}
