-- Does in neovim, by its own language client and the keys of the book, what a person does: explores the test of
-- `lost_update.c` by its lens, reads the diagnostic, the hover, the symbols and the explanation. What it saw is written
-- as JSON, and what it waits for is said on standard error.

local LIMIT = 240000
local begun = vim.loop.now()
local seen = { messages = {} }

--- Waits for a state; what `state` gives then.
local function wait(what, state)
  io.stderr:write(('%d ms: waits for %s\n'):format(vim.loop.now() - begun, what))
  local found
  vim.wait(LIMIT, function()
    found = state()
    return found
  end, 10)
  return found or error('waited in vain for ' .. what .. '; messages: ' .. vim.inspect(seen.messages))
end

-- An editor of this age opens no documents for a server: their texts come as messages.
local show = vim.lsp.handlers['window/showMessage']
vim.lsp.handlers['window/showMessage'] = function(error, message, ...)
  table.insert(seen.messages, message.message)
  return show(error, message, ...)
end

--- The lens at the cursor whose title has this.
local function lens(title)
  local line = vim.fn.line('.') - 1
  for _, lens in ipairs(vim.lsp.codelens.get(0)) do
    if lens.range.start.line == line and lens.command.title:find(title, 1, true) then
      return lens.command.title
    end
  end
end

--- Presses keys that the configuration maps.
local function press(keys)
  vim.cmd('normal ' .. keys)
end

local function floating()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      return window
    end
  end
end

local function find(pattern)
  assert(vim.fn.search(pattern, 'w') > 0, 'no ' .. pattern)
end

--- Chooses a code action at the cursor; all that are offered.
local function act(title)
  local offered = {}
  vim.ui.select = function(items, options, choose)
    for _, item in ipairs(items) do
      local name = options.format_item(item)
      table.insert(offered, name)
      if name == title then
        choose(item)
      end
    end
  end
  press([[\a]])
  wait('code actions', function()
    return #offered > 0
  end)
  return offered
end

local function drive()
  vim.cmd('edit lost_update.c')
  local buffer = vim.api.nvim_get_current_buf()
  find([[^int \zsmain]])
  seen.before = wait('a lens', function()
    return lens('Explore interleavings')
  end)
  press([[\l]])
  seen.diagnostic = wait('a diagnostic', function()
    return vim.diagnostic.get(buffer)[1]
  end)
  seen.after = wait('the lens of a failure', function()
    vim.lsp.codelens.refresh()
    return lens('failed after')
  end)

  find([[^static atomic_int \zscounter]])
  press('K')
  local window = wait('a hover', floating)
  seen.hover = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
  vim.api.nvim_win_close(window, true)

  find('assert(counter')
  seen.actions = act('Explain this failure')
  wait('an explanation', function()
    return seen.messages[#seen.messages]
  end)

  press([[\s]])
  seen.symbols = wait('symbols', function()
    local all = vim.fn.getqflist()
    return #all > 0 and vim.tbl_map(function(symbol)
      return { line = symbol.lnum, text = symbol.text }
    end, all)
  end)
end

local good, failure = xpcall(drive, debug.traceback)
seen.failure = not good and failure or nil
vim.fn.writefile({ vim.fn.json_encode(seen) }, 'seen.json')
vim.cmd(good and 'qall!' or 'cquit')
