#!lua flags=allow-oom
-- Breaks a grant without freeing its name early: another value stands in its place for as long as the lease would
-- have. Its holder is refused at the next renewal, and nobody is granted the name while it may still believe.
-- KEYS  lease
-- ARGV  what is broken: a stamp "<owner>#<nonce>#", or a whole value that Tenure did not write
--       mark: "<who breaks it>#<nonce>#" · token, above the largest that the grant shows anywhere
--       ms that the mark stands where there is nothing, so that nothing is put back there; 0: it does not
-- Gives 1 broken · 2 nothing was there, and the mark stands · 0 nothing is there · -1 something else is there
--
-- With a token above the holder's, a mark cannot be taken for an older grant in a quarantine.
local lease, victim, mark, token = KEYS[1], ARGV[1], ARGV[2], ARGV[3]
local value = redis.pcall('GET', lease)
if not value then
  if ARGV[4] == '0' then return 0 end
  redis.call('SET', lease, mark .. token, 'PX', ARGV[4])
  return 2
end
if type(value) ~= 'string' then return -1 end
if string.sub(value, 1, #mark) == mark then return 1 end
local is_stamp = string.sub(victim, -1) == '#'
if value ~= victim and not (is_stamp and string.sub(value, 1, #victim) == victim) then return -1 end

local shown = string.match(value, '#(%d+)$')
if shown and tonumber(shown) >= tonumber(token) then token = string.format('%.0f', tonumber(shown) + 1) end
redis.call('SET', lease, mark .. token, 'KEEPTTL')
return 1
