import { expect, test } from 'vitest';
import { rewriteUsageError } from './safe-command.ts';

test.each([
  [
    "error: unknown option '--stauts'\n(Did you mean --status?)",
    'error: unknown option --stauts. Did you mean --status?',
  ],
  [
    "error: unknown command 'lst'\n(Did you mean one of list, last?)",
    'error: unknown command lst. Did you mean list or last?',
  ],
  [
    "error: unknown option '--json'\n(Did you mean --json?)",
    'error: unknown option. Did you mean --json?',
  ],
  [
    "error: unknown option '--json'\n(Options come after the command.)",
    'error: unknown option --json. Options come after the command.',
  ],
  [
    "error: unknown option '--sk-0123456789'\n(Options come after the command.)",
    'error: unknown option. Options come after the command.',
  ],
  ["error: unknown option '--frobnicate'", 'error: unknown option --frobnicate.'],
  ["error: unknown command 'frobnicate'", 'error: unknown command frobnicate.'],
  ["error: unknown command 'sk-canary-0123456789'", 'error: unknown command.'],
  ["error: unknown command 'it's: odd', short'", 'error: unknown command.'],
  ["error: unknown option '-sk0123'", 'error: unknown option.'],
  [
    'error: too many arguments. Expected 0 arguments but got 1: sk-secret.',
    'error: too many arguments. Expected 0 arguments but got 1.',
  ],
])('%j becomes %j', (text, rewritten) => {
  expect(rewriteUsageError(text)).toBe(rewritten);
});
