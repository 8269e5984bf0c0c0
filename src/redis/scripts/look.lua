#!lua flags=no-writes
-- Says what is there for many names, at one moment. Changes nothing.
-- KEYS  for each name: lease, queue
-- Gives for each {value, ms left, waiters}; '' and -2 where there is no lease, '' alone where it is not a string
--
-- pcall: a key of another type is an answer about that key, not the end of all others.
local answers = {}
for i = 1, #KEYS, 2 do
  local value = redis.pcall('GET', KEYS[i])
  local waiters = redis.pcall('LLEN', KEYS[i + 1])
  answers[#answers + 1] = {type(value) == 'string' and value or '', redis.call('PTTL', KEYS[i]),
                           type(waiters) == 'number' and waiters or 0}
end
return answers
