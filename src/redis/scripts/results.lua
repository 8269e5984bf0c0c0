#!lua flags=no-writes
-- Reads the last results of many polls: of each the beginning, which says how it went.
-- KEYS  states
-- ARGV  how many bytes of each · one with more bytes than this is not looked at
-- Gives for each {token, by, result}, each '' where there is none
local answers = {}
for i = 1, #KEYS do
  local found = redis.pcall('HMGET', KEYS[i], 'token', 'by')
  local result = ''
  if not found.err and redis.call('HSTRLEN', KEYS[i], 'result') <= tonumber(ARGV[2]) then
    result = redis.call('HGET', KEYS[i], 'result') or ''
  end
  answers[i] = {found[1] or '', found[2] or '', string.sub(result, 1, ARGV[1])}
end
return answers
