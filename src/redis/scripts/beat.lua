#!lua flags=allow-oom
-- Says that an instance lives, or that it leaves, and tells which others live.
-- KEYS  its key · a hash of the ids that have beaten · the version of the sessions · the list of what it owns
-- ARGV  what the text of this process begins with · its text · ms until it counts as dead; 0: it leaves
--       its id · what the keys of instances begin with · channel to tell on who came and who left · what it owns
-- Gives {version, then for each that lives: id, ms left, text} · {text, ms left} of another process that lives
--       under this id: then nothing was changed
--
-- The hash only saves a search through all keys: who is in it and has no key is dead, and who beats is in it again.
local call, own, ids = redis.call, KEYS[1], KEYS[2]
local text = call('GET', own)
if text and string.find(text, ARGV[1], 1, true) ~= 1 then return {text, call('PTTL', own)} end

local id, news = ARGV[4], nil
if ARGV[3] == '0' then
  call('DEL', own, KEYS[4])
  call('HDEL', ids, id)
  news = text and 'left '
else
  call('SET', own, ARGV[2], 'PX', ARGV[3])
  call('SET', KEYS[4], ARGV[7], 'PX', ARGV[3])
  call('HSET', ids, id, '')
  news = not text and 'joined '
end
-- A channel that is not allowed must not keep anybody from living: others look by themselves, too.
if news then redis.pcall('PUBLISH', ARGV[6], news .. id) end

local answer = {tonumber(call('GET', KEYS[3]) or '0') or 0}
for _, other in ipairs(call('HKEYS', ids)) do
  local its = redis.pcall('GET', ARGV[5] .. other)
  if type(its) == 'string' then
    answer[#answer + 1] = other
    answer[#answer + 1] = call('PTTL', ARGV[5] .. other)
    answer[#answer + 1] = its
  else
    call('HDEL', ids, other)
  end
end
return answer
