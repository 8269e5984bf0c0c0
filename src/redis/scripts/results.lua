#!lua flags=no-writes
-- Reads the last results of many polls.
-- KEYS  states
-- ARGV  a result with more bytes is not given
-- Gives for each {token, by, result}, each '' where there is none
local answers = {}
for i = 1, #KEYS do
  local found = redis.pcall('HMGET', KEYS[i], 'token', 'by')
  if found.err then
    answers[i] = {'', '', ''}
  else
    local short = redis.call('HSTRLEN', KEYS[i], 'result') <= tonumber(ARGV[1])
    answers[i] = {found[1] or '', found[2] or '', short and redis.call('HGET', KEYS[i], 'result') or ''}
  end
end
return answers
