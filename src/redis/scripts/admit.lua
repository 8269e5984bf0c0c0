#!lua flags=allow-oom
-- Tells a connection which life of this server its leases belong to. Another life than the record shows, or no
-- record at all, means that grants may have been forgotten: a new epoch begins, in quarantine. So does data of the
-- same life that is older than what the caller knows: it went back under a server that runs.
-- KEYS  record, fence
-- ARGV  cap in ms · set of nodes · an epoch nobody used before · the caller's wall clock, unix ms
--       last: the largest token that the caller knows of here
-- Gives the record: "<cap> <set> <epoch> <state> <life> <made, by Redis> <made, by its maker> <longest> <why> <version>";
--       also one of another cap or set, or whatever else stands there, as it is · {field} that INFO does not show
local info = redis.call('INFO', 'server') .. redis.call('INFO', 'replication')
local run, replication = string.match(info, 'run_id:(%x+)'), string.match(info, 'master_replid:(%x+)')
if not run or not replication then return {run and 'master_replid' or 'run_id'} end
local life = run .. '-' .. replication
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local now_ms = math.floor(now / 1000)

local seen = tonumber(ARGV[#ARGV])
local fence = tonumber(redis.pcall('GET', KEYS[2])) or 0
if fence < 1e15 then fence = now end  -- lost: acquire lets it go on there
local behind = fence < seen
if behind then redis.call('SET', KEYS[2], ARGV[#ARGV]) end

local record = redis.call('GET', KEYS[1])
local why, longest = 'unknown', ARGV[1]
if record then
  local cap, set, state, of, made, wall, wait, since =
    string.match(record .. ' ', '^(%d+) (%S+) %x+ (%a+) (%S+) (%d+) (%d+) (%d+) (%S+) ')  -- more is of later versions
  -- Another cap or another set of nodes, or not a record of Tenure at all. One from before there were sets counts
  -- as none.
  local before_sets = string.match(record, '^(%d+) %x+ %a+ %S+ %d+ %d+ %a+$')
  if (cap ~= ARGV[1] or set ~= ARGV[2]) and before_sets ~= ARGV[1] then return record end
  -- In quarantine only what was given after it tells: what was lost before it had smaller tokens.
  local back = behind and cap and (state ~= 'quarantined' or seen > (made + cap) * 1000)
  if of == life and not back then
    -- For callers that never live as long as a quarantine: over, if two clocks that know nothing of each
    -- other both say twice the longest TTL that was allowed before it.
    local enough = 2 * tonumber(wait)
    -- Of several nodes that had no record one alone cannot say that theirs is the set that all others use.
    if since == 'unknown' and set ~= '1' and string.sub(set, 1, 2) ~= '1-' then return record end
    if state ~= 'quarantined' or now_ms - made < enough or ARGV[4] - wall < enough then return record end
    if tonumber(redis.call('GET', KEYS[2]) or '0') < now then
      redis.call('SET', KEYS[2], string.format('%.0f', now))
    end
    record = string.gsub(record, ' quarantined ', ' open ', 1)
    redis.call('SET', KEYS[1], record)
    return record
  end
  if cap then why = of == life and 'restored' or 'restarted' end
  -- What was sat out is not over because it begins again.
  if state == 'quarantined' then longest = wait end
  if state == 'quarantined' and since == 'unknown' then why = since end
end

record = ARGV[1] .. ' ' .. ARGV[2] .. ' ' .. ARGV[3] .. ' quarantined ' .. life .. ' ' ..
         string.format('%.0f', now_ms) .. ' ' .. ARGV[4] .. ' ' .. longest .. ' ' .. why .. ' v1'
redis.call('SET', KEYS[1], record)
return record
