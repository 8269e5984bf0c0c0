#!lua flags=allow-oom
-- Arms the TTL of many leases anew, each only where it still shows the caller's value.
-- KEYS  record, leases
-- ARGV  terms: "<cap> <set> ", what a record must begin with · TTL in ms · for each lease its value
-- Gives for each lease 1 renewed · 0 missing · -1 something else is there; or the record of other terms: whoever was
--       left out when they changed must not go on for ever
local record = redis.call('GET', KEYS[1])
if record and string.sub(record, 1, #ARGV[1]) ~= ARGV[1] then return record end
local answers = {}
for i = 1, #KEYS - 1 do
  local key = KEYS[i + 1]
  -- pcall: a key of another type is an answer about that key, not the end of the batch.
  local value = redis.pcall('GET', key)
  if value == ARGV[i + 2] then
    redis.call('PEXPIRE', key, ARGV[2])
    answers[i] = 1
  elseif not value then
    answers[i] = 0
  else
    answers[i] = -1
  end
end
return answers
