#!lua
-- Gives a lease to a grant, or says who has it; who wants to wait gets a place in the queue.
-- KEYS  lease, record, fence; to wait also: queue
-- ARGV  admission: what the record must begin with · stamp: "<owner>#<nonce>#" · TTL in ms
--       to wait also: ticket, a stamp that keeps its place over many tries · ms after which the queue may go
--       channels: what the channels of waiters begin with · length of a waiter's turn in ms
--       to propose a token also: that token · last: the largest token that the caller knows of here
-- Gives the token · {value, ms left, waiters before us or -1} where another has it: left until the caller's turn,
--       if the name is only kept for another waiter · the record where it does not begin so · 'restored' where the data
--       is older than what the caller knows
--
-- Three calls on the granted path, four with a proposal; where another holds it, no lease is touched and no token burnt.
-- Whoever repeats a grant gets the token that it has, with the TTL armed anew: a retry must not block on its own key.
local call, pcall, lease, queue, arguments = redis.call, redis.pcall, KEYS[1], KEYS[4], #ARGV
local stamp, ticket, seen = ARGV[2], queue and ARGV[4], ARGV[arguments]
local proposal = arguments == (queue and 9 or 5) and ARGV[arguments - 1]
local found = proposal and call('MGET', KEYS[2], lease, KEYS[3]) or call('MGET', KEYS[2], lease)
local record, value = found[1], found[2]

if not record or string.find(record, ARGV[1], 1, true) ~= 1 then return record or '' end

-- What was given back to a waiter is kept for it a moment, which is no grant yet: "<ticket>0", and if others were told
-- when to look, the number of those whose turns follow and of turns in all: "<ticket>0<1 digit><2 digits>".
local free, left = not value, nil
local told, turns
if ticket and value then
  told, turns = string.match(value, '#[^#]+#0(%d)(%d%d)$')
  if string.find(value, '#[^#]+#0$') then told, turns = 0, 1 end
end
if told then
  -- Calls the first in the queue who listens, unless that is the caller. Who does not listen is dead, and loses its
  -- place.
  local function call_first()
    local first = call('LINDEX', queue, 0)
    while first and first ~= ticket do
      local owner = string.match(first, '^(.*)#[^#]*#$') or ''
      local heard = pcall('PUBLISH', ARGV[6] .. owner, '0 ' .. first)
      call('LPOP', queue)
      if type(heard) == 'number' and heard > 0 then return first end
      first = call('LINDEX', queue, 0)
    end
  end

  -- Whether it is the caller's by now; if not, how long until its turn. release.lua has said who may come when: the one
  -- called, then the first `told` in the queue, one turn after the other, and after them whoever looks. A waiter that
  -- let its turn pass is stopped or cut off, and loses its place to the next that comes.
  local function has_turn(called, told, turns)
    local turn, ends = tonumber(ARGV[7]), call('PTTL', lease)
    local passed = turns * turn - ends
    if ends < 0 or passed < 0 then return called, ends end  -- not written by release.lua
    local now = math.floor(passed / turn)
    local over = math.min(now - 1, told)
    local place = not called and call('LPOS', queue, ticket)
    if called or (place and place <= over) then
      for _ = 1, over do call('LPOP', queue) end
      return true
    end
    if now <= told then return false, (math.min(place or told, told) + 1) * turn - passed end

    -- All who were told have been silent. The caller passes the name on, and comes again in case the next is, too.
    for _ = 1, told do call('LPOP', queue) end
    local first = call_first()
    if not first then return true end
    value = first .. '0002'
    call('SET', lease, value, 'PX', 2 * turn)
    return false, turn
  end

  local called = string.find(value, ticket .. '0', 1, true) == 1
  free, left = has_turn(called, tonumber(told), tonumber(turns))
end

if free then
  -- What is proposed is minted only above all that was minted here, and not ahead of the time: when data is lost the
  -- counter goes on at the time, and no token may come again. Of a counter that was lost, or is behind what the caller
  -- knows, the next number tells.
  local token, text
  local fence = proposal and found[3]
  if fence and fence + 0 >= 1e15 and fence - seen >= 0 and proposal - fence > 0 then
    local time = call('TIME')
    if time[1] * 1000000 + time[2] >= proposal + 0 then
      call('SET', KEYS[3], proposal)
      token, text = proposal + 0, stamp .. proposal
    end
  end
  if not token then
    -- Larger than 2^53 it would not be exact; the clock in microseconds gets there in the year 2255.
    token = call('INCR', KEYS[3])
    -- A counter begins at the time in microseconds. Below that of 2001, before there was any Redis, it was lost: it
    -- goes on at the time, above what was given before.
    if token < 1e15 then
      local time = call('TIME')
      token = math.max(token, time[1] * 1000000 + time[2])
      call('SET', KEYS[3], string.format('%.0f', token))
    end
    if token <= tonumber(seen) then
      call('SET', KEYS[3], string.format('%.0f', token - 1))  -- as it was: it tells at the next admission, too
      return 'restored'
    end
    text = stamp .. string.format('%.0f', token)
  end
  if value then
    call('SET', lease, text, 'PX', ARGV[3])
  elseif not call('SET', lease, text, 'NX', 'PX', ARGV[3]) then
    return {'', call('PTTL', lease), -1}  -- a key of another type
  end
  if ticket then pcall('LREM', queue, 0, ticket) end
  return token
end

if string.find(value, stamp, 1, true) == 1 then
  call('PEXPIRE', lease, ARGV[3])
  return tonumber(string.sub(value, #stamp + 1))
end

local place = -1
if ticket then
  place = call('LPOS', queue, ticket) or call('RPUSH', queue, ticket) - 1
  -- Long enough for the turns that were announced, however short the cap.
  local life = ARGV[5]
  if told then life = math.max(tonumber(life) or 0, call('PTTL', lease) + 2 * tonumber(ARGV[7])) end
  call('PEXPIRE', queue, life)
end
return {value, left or call('PTTL', lease), place}
