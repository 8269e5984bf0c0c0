#!lua flags=allow-oom
-- Arms the TTL of many leases anew, each only where it still shows the caller's value.
-- KEYS  leases
-- ARGV  TTL in ms · for each lease its value
-- Gives for each lease 1 renewed · 0 missing · -1 something else is there
local answers = {}
for i, key in ipairs(KEYS) do
  -- pcall: a key of another type is an answer about that key, not the end of the batch.
  local value = redis.pcall('GET', key)
  if value == ARGV[i + 1] then
    redis.call('PEXPIRE', key, ARGV[1])
    answers[i] = 1
  elseif not value then
    answers[i] = 0
  else
    answers[i] = -1
  end
end
return answers
