#!lua flags=allow-oom
-- Gives many leases back, each only where it still shows the caller's grant, whatever its token. The first
-- waiter that listens is told, and the name kept for it a moment; the one behind it is told to look after that.
-- KEYS  for each lease: lease, queue
-- ARGV  channels: what the channels of waiters begin with · ms that a name is kept for a waiter; 0 wakes nobody
--       for each lease: stamp "<owner>#<nonce>#" · ticket of the caller in the queue, or ''
-- Gives for each lease 1 released · 0 missing · -1 something else is there
--
-- pcall: a key of another type, or a channel that is not allowed, must not keep a lease from being given back.

local call, pcall = redis.call, redis.pcall

-- The first in the queue who hears "<look again in ms> <ticket>" on the channel of the ticket's owner. Nobody
-- listening means a dead waiter: it loses its place.
local function call_first(queue, wait)
  local ticket = pcall('LINDEX', queue, 0)
  while type(ticket) == 'string' do
    local owner = string.match(ticket, '^(.*)#[^#]*#$') or ''
    local heard = pcall('PUBLISH', ARGV[1] .. owner, wait .. ' ' .. ticket)
    if type(heard) == 'number' and heard > 0 then return ticket end
    call('LPOP', queue)
    ticket = pcall('LINDEX', queue, 0)
  end
end

local answers = {}
for i = 1, #KEYS / 2 do
  local lease, queue = KEYS[2 * i - 1], KEYS[2 * i]
  local stamp, ticket = ARGV[2 * i + 1], ARGV[2 * i + 2]
  if ticket ~= '' then pcall('LREM', queue, 0, ticket) end

  local value = pcall('GET', lease)
  local text = type(value) == 'string'
  if text and (string.find(value, stamp, 1, true) == 1 or (ticket ~= '' and value == ticket .. '0')) then
    local first = ARGV[2] ~= '0' and call_first(queue, '0')
    if first then
      call('LPOP', queue)
      call('SET', lease, first .. '0', 'PX', ARGV[2])
      call_first(queue, ARGV[2])
    else
      call('DEL', lease)
    end
    answers[i] = 1
  elseif not value then
    answers[i] = 0
  else
    answers[i] = -1
  end
end
return answers
