#!lua flags=no-writes
-- Says which of many keys show what Tenure writes into a lease. Changes nothing.
-- ARGV  keys of any kind. They are not KEYS, because one that the user may not read is to be left out, and not to
--       fail the whole call
-- Gives how many could not be looked at, then for each lease its place in ARGV, its value and the ms left
--
-- A lease always has an expiry, and is short: most keys of others are passed over by that, and none is read whole that
-- is long.
local value_max = 1024
local end_of_value = '#' .. string.rep('%x', 16) .. '#%d+$'
local refused = 0
local answer = {0}

local function count_refusal(reply)
  if not string.find(reply.err, '^WRONGTYPE') then refused = refused + 1 end
end

for i, key in ipairs(ARGV) do
  -- Asked before: what is refused would fill the log of the server.
  local allowed = redis.acl_check_cmd('PTTL', key) and redis.acl_check_cmd('GETRANGE', key, 0, 1)
  local left = allowed and redis.pcall('PTTL', key) or -2
  if not allowed then
    refused = refused + 1
  elseif type(left) == 'table' then
    count_refusal(left)
  elseif left >= 0 then
    local value = redis.pcall('GETRANGE', key, 0, value_max)
    if type(value) == 'table' then
      count_refusal(value)
    elseif #value <= value_max and string.find(value, end_of_value) then
      answer[#answer + 1] = i
      answer[#answer + 1] = value
      answer[#answer + 1] = left
    end
  end
end
answer[1] = refused
return answer
