-- Compares every answer with the expected bytes. Arguments: file with the request body, file with the expected answer, key, then names and values of headers.
local threads = {}

function setup(thread)
  table.insert(threads, thread)
end

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("*a")
  file:close()
  return text
end

function init(args)
  wrong = 0
  expected = read(args[2])
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
  wrk.headers["Authorization"] = "Bearer " .. args[3]
  for index = 4, #args, 2 do wrk.headers[args[index]] = args[index + 1] end
  wrk.body = read(args[1])
  prepared = wrk.format()
end

function request()
  return prepared
end

function response(status, headers, body)
  if status ~= 200 or body ~= expected then wrong = wrong + 1 end
end

function done(summary, latency, requests)
  local all = 0
  for _, thread in ipairs(threads) do all = all + thread:get("wrong") end
  local errors = summary.errors
  io.write(string.format(
    'RESULT {"requests":%d,"microseconds":%d,"wrong":%d,"broken":%d}\n',
    summary.requests, summary.duration, all,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
