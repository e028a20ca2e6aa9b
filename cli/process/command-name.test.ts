import { expect, test } from 'vitest';
import { detectCommandName } from './command-name.ts';

test.each([
  ['/src/gatehouse/cli/main.ts', { npm_lifecycle_event: 'start' }, 'npm run -s gatehouse --'],
  [String.raw`C:\src\cli\main.ts`, { npm_config_user_agent: 'npm/11' }, 'npm run -s gatehouse --'],
  ['/src/gatehouse/cli/main.ts', {}, 'gatehouse'],
  ['/usr/bin/gatehouse', { npm_lifecycle_event: 'start' }, 'gatehouse'],
  ['/usr/lib/node_modules/gatehouse/out/cli/main.js', { npm_lifecycle_event: 'x' }, 'gatehouse'],
  [undefined, {}, 'gatehouse'],
])('%s with %j is called by %s', (program, environment, form) => {
  expect(detectCommandName(program, environment)).toBe(form);
});
