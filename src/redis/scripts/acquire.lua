#!lua
-- Gives a lease to a grant, or says who has it; who wants to wait gets a place in the queue.
-- KEYS  lease, record, fence; to wait also: queue
-- ARGV  admission: what the record must begin with · stamp: "<owner>#<nonce>#" · TTL in ms
--       to wait also: ticket, a stamp that keeps its place over many tries · ms after which the queue may go
--       last: the largest token that the caller knows of here
-- Gives the token · {value, ms left, waiters before us or -1} where another has it · the record where
--       it does not begin so · 'restored' where the data is older than what the caller knows
--
-- Three calls on the granted path; where another holds it, no lease is touched and no token burnt. Whoever
-- repeats a grant gets the token that it has, with the TTL armed anew: a retry must not block on its own key.
local call, lease, queue = redis.call, KEYS[1], KEYS[4]
local stamp, ticket = ARGV[2], queue and ARGV[4]
local found = call('MGET', KEYS[2], lease)
local record, value = found[1], found[2]

if not record or string.find(record, ARGV[1], 1, true) ~= 1 then return record or '' end

-- What was given back to a waiter is kept for it a moment: "<ticket>0", no grant yet.
local kept = ticket and value == ticket .. '0'
if not value or kept then
  -- Larger than 2^53 it would not be exact; the clock in microseconds gets there in the year 2255.
  local token = call('INCR', KEYS[3])
  -- A counter begins at the time in microseconds. Below that of 2001, before there was any Redis, it was lost: it
  -- goes on at the time, above what was given before.
  if token < 1e15 then
    local time = call('TIME')
    token = math.max(token, time[1] * 1000000 + time[2])
    call('SET', KEYS[3], string.format('%.0f', token))
  end
  if token <= tonumber(ARGV[#ARGV]) then
    call('SET', KEYS[3], string.format('%.0f', token - 1))  -- as it was: it tells at the next admission, too
    return 'restored'
  end
  local text = stamp .. string.format('%.0f', token)
  if kept then
    call('SET', lease, text, 'PX', ARGV[3])
  elseif not call('SET', lease, text, 'NX', 'PX', ARGV[3]) then
    return {'', call('PTTL', lease), -1}  -- a key of another type
  end
  if ticket then redis.pcall('LREM', queue, 0, ticket) end
  return token
end

if string.find(value, stamp, 1, true) == 1 then
  call('PEXPIRE', lease, ARGV[3])
  return tonumber(string.sub(value, #stamp + 1))
end

local place = -1
if ticket then
  place = call('LPOS', queue, ticket) or call('RPUSH', queue, ticket) - 1
  call('PEXPIRE', queue, ARGV[5])
end
return {value, call('PTTL', lease), place}
