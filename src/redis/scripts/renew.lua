#!lua flags=allow-oom
-- Arms the TTL of many leases anew, each only where it still shows the caller's value.
-- KEYS  record, leases: some hundred at most, as unpack has room for
-- ARGV  terms: "<cap> <set> ", what a record must begin with · TTL in ms · for each lease its value
-- Gives for each lease 1 renewed · 0 missing · -1 something else is there; or the record of other terms: whoever was
--       left out when they changed must not go on for ever
local call, ttl = redis.call, ARGV[2]
local found = call('MGET', unpack(KEYS))
-- MGET shows a key of another type as if it were missing. For the record that is an error.
local record = found[1] or call('GET', KEYS[1])
if record and string.sub(record, 1, #ARGV[1]) ~= ARGV[1] then return record end
local answers = {}
for i = 2, #KEYS do
  local value = found[i]
  if value == ARGV[i + 1] then
    call('PEXPIRE', KEYS[i], ttl)
    answers[i - 1] = 1
  elseif value or redis.pcall('GET', KEYS[i]) then
    answers[i - 1] = -1
  else
    answers[i - 1] = 0
  end
end
return answers
