#!lua flags=allow-oom
-- Gives many leases back, each only where it still shows the caller's grant, whatever its token. The first
-- waiter that listens is called, and the name kept for it; others are told when to look, should it be silent.
-- KEYS  leases, none of them twice, then the queue of each: some hundred at most, as unpack has room for
-- ARGV  channels: what the channels of waiters begin with · length of a waiter's turn in ms; 0 wakes nobody
--       for each lease: stamp "<owner>#<nonce>#"
--       for each lease: ticket of the caller in the queue, or ''; nothing at all where nobody has one
-- Gives for each lease 1 released · 0 missing · -1 something else is there
--
-- pcall: a key of another type, or a channel that is not allowed, must not keep a lease from being given back.

local call, pcall, count = redis.call, redis.pcall, #KEYS / 2
local answers = {}

-- Nearly always nobody waits for any of them: then what follows is not even made. One alone is not worth any lists.
if #ARGV == 3 and count == 1 then
  local value = pcall('GET', KEYS[1])
  if not value then return {0} end
  if type(value) == 'string' and string.find(value, ARGV[3], 1, true) == 1 and
     (ARGV[2] == '0' or not pcall('LINDEX', KEYS[2], 0)) then
    call('DEL', KEYS[1])
    return {1}
  end
elseif #ARGV == 2 + count then
  local found, free, silent, all = call('MGET', unpack(KEYS, 1, count)), {}, ARGV[2] == '0', true
  for i = 1, count do
    local value = found[i]
    if not value then
      -- MGET shows a key of another type as if it were missing.
      answers[i] = pcall('GET', KEYS[i]) and -1 or 0
    elseif string.find(value, ARGV[2 + i], 1, true) ~= 1 then
      answers[i] = -1
    elseif silent or not pcall('LINDEX', KEYS[count + i], 0) then
      free[#free + 1] = KEYS[i]
      answers[i] = 1
    else
      all = false
    end
  end
  if free[1] then call('DEL', unpack(free)) end
  if all then return answers end
end

local turn = tonumber(ARGV[2])
local told_each = 4  -- of those behind the first, so many are told one by one

-- Says "<look in ms> <ticket>" on the channel of the ticket's owner to the waiter at that place. Nobody listening
-- means a dead waiter: it loses its place to the next.
local function tell(queue, place, wait)
  local ticket = pcall('LINDEX', queue, place)
  while type(ticket) == 'string' do
    local owner = string.match(ticket, '^(.*)#[^#]*#$') or ''
    local heard = pcall('PUBLISH', ARGV[1] .. owner, string.format('%.0f ', wait) .. ticket)
    if type(heard) == 'number' and heard > 0 then return ticket end
    call('LREM', queue, 0, ticket)
    ticket = pcall('LINDEX', queue, place)
  end
end

-- A waiter that is stopped or cut off still counts as listening, and only one that lives can act after this: so others
-- are told now. Each has a turn, in which acquire.lua gives it the name if nobody has taken it. In a long queue not
-- everybody is told: behind those with turns of their own the 8th, 16th, 32nd, … and the last pass the name on.
local function pass_on(lease, queue)
  local first = tell(queue, 0, 0)
  if not first then return false end
  call('LPOP', queue)
  local told = 0
  while told < told_each and tell(queue, told, (told + 1) * turn) do told = told + 1 end
  -- Where nobody hears it the queue has become shorter: whoever is last now is told instead.
  local turns, from = told + 1, told - 1
  while from < call('LLEN', queue) - 1 do
    local place = math.min(2 * from + 1, call('LLEN', queue) - 1)
    if tell(queue, place, turns * turn) then turns, from = turns + 1, place end
  end
  -- The queue outlives the turns that were announced, however short the cap.
  local life = (turns + 2) * turn
  if turns > 1 and call('PTTL', queue) < life then call('PEXPIRE', queue, life) end
  local rest = turns > 1 and string.format('%d%02d', told, turns) or ''
  call('SET', lease, first .. '0' .. rest, 'PX', turns * turn)
  return true
end

-- Whoever leaves the queue in the middle of that must not let somebody who was not told count as told.
local function leave(lease, queue, ticket, value)
  local kept, told, turns = string.match(value, '^(.*#[^#]+#0)([1-9])(%d%d)$')
  if kept then
    local place = pcall('LPOS', queue, ticket)
    if type(place) == 'number' and place < tonumber(told) then
      call('SET', lease, kept .. string.format('%d', told - 1) .. turns, 'KEEPTTL')
    end
  end
  pcall('LREM', queue, 0, ticket)
end

for i = 1, count do
  if not answers[i] then
    local lease, queue = KEYS[i], KEYS[count + i]
    local stamp, ticket = ARGV[2 + i], ARGV[2 + count + i] or ''
    local value = pcall('GET', lease)
    local text = type(value) == 'string'
    if ticket ~= '' then leave(lease, queue, ticket, text and value or '') end

    if text and (string.find(value, stamp, 1, true) == 1 or
                 (ticket ~= '' and string.find(value, ticket .. '0', 1, true) == 1)) then
      if turn == 0 or not pass_on(lease, queue) then call('DEL', lease) end
      answers[i] = 1
    elseif not value then
      answers[i] = 0
    else
      answers[i] = -1
    end
  end
end
return answers
