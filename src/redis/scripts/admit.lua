#!lua flags=allow-oom
-- Tells a connection which life of this server its leases belong to. Another life than the record shows, or no
-- record at all, means that grants may have been forgotten: a new epoch begins, in quarantine. So does data of the
-- same life that is older than what the caller knows: it went back under a server that runs.
-- KEYS  record, fence
-- ARGV  cap in ms · an epoch nobody used before · the caller's wall clock, unix ms
--       last: the largest token that the caller knows of here
-- Gives the record: "<cap> <epoch> <state> <life> <made, by Redis> <made, by its maker> <why>"; also one of
--       another cap, or whatever else stands there, as it is
local info = redis.call('INFO', 'server') .. redis.call('INFO', 'replication')
local life = string.match(info, 'run_id:(%x+)') .. '-' .. string.match(info, 'master_replid:(%x+)')
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local now_ms = math.floor(now / 1000)

local seen = tonumber(ARGV[#ARGV])
local fence = tonumber(redis.pcall('GET', KEYS[2])) or 0
if fence < 1e15 then fence = now end  -- lost: acquire lets it go on there
local behind = fence < seen
if behind then redis.call('SET', KEYS[2], ARGV[#ARGV]) end

local record = redis.call('GET', KEYS[1])
local why = 'unknown'
if record then
  local cap, epoch, state, of, made, wall = string.match(record, '^(%d+) (%x+) (%a+) (%S+) (%d+) (%d+) ')
  if cap ~= ARGV[1] then return record end  -- another cap, or not a record of Tenure at all
  -- In quarantine only what was given after it tells: what was lost before it had smaller tokens.
  local back = behind and (state ~= 'quarantined' or seen > (made + cap) * 1000)
  if of == life and not back then
    -- For callers that never live as long as a quarantine: over, if two clocks that know nothing of each
    -- other both say twice the cap.
    local enough = 2 * tonumber(ARGV[1])
    if state ~= 'quarantined' or now_ms - made < enough or ARGV[3] - wall < enough then return record end
    if tonumber(redis.call('GET', KEYS[2]) or '0') < now then
      redis.call('SET', KEYS[2], string.format('%.0f', now))
    end
    record = string.gsub(record, ' quarantined ', ' open ', 1)
    redis.call('SET', KEYS[1], record)
    return record
  end
  why = of == life and 'restored' or 'restarted'
end

record = ARGV[1] .. ' ' .. ARGV[2] .. ' quarantined ' .. life .. ' ' .. string.format('%.0f', now_ms) .. ' ' ..
         ARGV[3] .. ' ' .. why
redis.call('SET', KEYS[1], record)
return record
