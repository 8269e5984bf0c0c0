#!lua flags=no-writes
-- Says which commands that the scripts and their callers need the user may not run, or the server does not know, without
-- running any. The names stand in ARGV, because no key is touched: a user who may not use them is to be told, not refused.
-- ARGV  lease, record, fence, queue: one of each, which need not exist · a channel of a waiter · '1' in a Redis Cluster, else '0'
-- Gives "<command> <on what>" for each that is refused; on what: lease, record, fence, queue, channel or -; unknown: there
--       is no such command
local needed = {
  {'lease', 'GET', 'MGET', 'SET', 'PEXPIRE', 'PTTL', 'DEL'},
  {'record', 'GET', 'MGET', 'SET'},
  {'fence', 'GET', 'MGET', 'SET', 'INCR'},
  {'queue', 'LPOS', 'RPUSH', 'PEXPIRE', 'LREM', 'LINDEX', 'LLEN', 'LPOP'},
  {'channel', 'PUBLISH', 'SUBSCRIBE'},
}

-- What follows a name: newer servers look whether the number of arguments is one that the command takes (Redis since the
-- spring of 2026), and raise the same kind of error as for a command that they do not know.
local more = {
  SET = {''}, PEXPIRE = {'1'}, LPOS = {''}, RPUSH = {''}, LREM = {'1', ''}, LINDEX = {'0'}, PUBLISH = {''},
}

local refused, unknown = {}, {}
local function check_as(name, what, command, ...)
  local known, allowed = pcall(redis.acl_check_cmd, command, ...)
  if known and not allowed then refused[#refused + 1] = name .. ' ' .. what end
  if not known and not unknown[name] then
    refused[#refused + 1] = name .. ' unknown'
    unknown[name] = true
  end
end
local function check(what, command, ...) check_as(command, what, command, ...) end

for i, commands in ipairs(needed) do
  local what = commands[1]
  for j = 2, #commands do check(what, commands[j], ARGV[i], unpack(more[commands[j]] or {})) end
  if what ~= 'channel' then
    check(what, 'EVAL', 'return 1', '1', ARGV[i])
    check(what, 'EVALSHA', '0', '1', ARGV[i])
  end
end
for _, command in ipairs({'INFO', 'TIME', 'PING'}) do check('-', command) end
if ARGV[6] == '1' then
  for _, sub in ipairs({'SLOTS', 'MYID'}) do check_as('CLUSTER|' .. sub, '-', 'CLUSTER', sub) end
  check('-', 'ASKING')
end
return refused
