#!lua flags=no-writes
-- Reads the texts of many sessions, none of them further than it is of use: one key of 100 MB delays no other.
-- KEYS  sessions
-- ARGV  how many bytes of each
-- Gives for each its text · 0 where there is none · 1 where it is not a string
local answers = {}
for i = 1, #KEYS do
  local text = redis.pcall('GETRANGE', KEYS[i], 0, ARGV[1] - 1)
  if type(text) ~= 'string' then
    text = 1
  elseif text == '' then
    text = redis.call('EXISTS', KEYS[i]) == 1 and '' or 0
  end
  answers[i] = text
end
return answers
