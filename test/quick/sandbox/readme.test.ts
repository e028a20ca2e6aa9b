import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { GATE_SCENARIOS, SCENARIOS } from '../../../sandbox/scenarios/scenario.ts';
import { VIDEO_SCENARIOS } from '../../../sandbox/scenarios/video-scenarios.ts';

test('the README lists exactly the existing scenarios', async () => {
  const page = await readFile(new URL('../../../sandbox/README.md', import.meta.url), 'utf8');
  const scenarios = page.slice(page.indexOf('## Scenarios'));
  const rows = scenarios.split('\n').filter((line) => line.startsWith('| `'));
  expect(rows).toEqual(
    [...SCENARIOS, ...GATE_SCENARIOS, ...VIDEO_SCENARIOS].map((line) => {
      const usual = 'number' in line ? line.number.default : '–';
      return `| \`${line.name}\` | ${usual} | ${line.description} |`;
    }),
  );
});
