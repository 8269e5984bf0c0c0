#!lua flags=allow-oom
-- Puts many confirmed grants back where they are missing. In quarantine also over a token that is not higher: that
-- is an older grant, from data that went back; an equal one was this node's number for it before its token was
-- confirmed. Elsewhere only if the caller heals, being renewed by a quorum.
-- KEYS  record, fence, leases
-- ARGV  admission: what the record must begin with · TTL in ms · heal: 1 or 0
--       for each lease: stamp "<owner>#<nonce>#" · token
--       last: the largest token that the caller knows of here
-- Gives for each lease 1 it stands, armed anew · 0 missing, and may not be put back · -1 something else is
--       there; or the record where it does not begin so; or 'restored' where it is open, and the data is older
--       than what the caller knows
local record = redis.call('GET', KEYS[1])
local admission, ttl = ARGV[1], ARGV[2]
if not record or string.sub(record, 1, #admission) ~= admission then return record or '' end
local quarantined = string.sub(record, #admission + 1, #admission + 12) == 'quarantined '
local may_install = quarantined or ARGV[3] == '1'

local fence = tonumber(redis.call('GET', KEYS[2]) or '0')
local highest = fence
if fence < 1e15 then  -- lost, as in acquire: these tokens alone could be below those of other names
  local time = redis.call('TIME')
  highest = math.max(highest, time[1] * 1000000 + time[2])
end
if not quarantined and highest < tonumber(ARGV[#ARGV]) then return 'restored' end
local answers = {}
for i = 1, #KEYS - 2 do
  local lease = KEYS[i + 2]
  local stamp, token = ARGV[2 * i + 2], ARGV[2 * i + 3]
  local value = redis.pcall('GET', lease)
  local install = false
  if not value then
    install = may_install
    answers[i] = 0
  else
    answers[i] = -1
    if type(value) == 'string' then
      local other = tonumber(string.match(value, '#(%d+)$') or '')
      install = string.sub(value, 1, #stamp) == stamp or
                (quarantined and other ~= nil and other <= tonumber(token))
    end
  end
  if install then
    redis.call('SET', lease, stamp .. token, 'PX', ttl)
    answers[i] = 1
    highest = math.max(highest, tonumber(token))
  end
end
if highest > fence then
  redis.call('SET', KEYS[2], string.format('%.0f', highest))
end
return answers
