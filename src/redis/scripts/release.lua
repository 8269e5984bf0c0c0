#!lua flags=allow-oom
-- Deletes many leases, each only where it still shows the caller's grant, whatever its token.
-- KEYS  leases
-- ARGV  for each lease the stamp "<owner>#<nonce>#"
-- Gives for each lease 1 released · 0 missing · -1 something else is there
local answers = {}
for i, key in ipairs(KEYS) do
  local value = redis.pcall('GET', key)
  if type(value) == 'string' and string.sub(value, 1, #ARGV[i]) == ARGV[i] then
    redis.call('DEL', key)
    answers[i] = 1
  elseif not value then
    answers[i] = 0
  else
    answers[i] = -1
  end
end
return answers
