import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { openUserHome } from '../../kit/connections-home.ts';

const SETTINGS = '.claude/settings.json';

const CHOICE = { program: 'claude-code', model: 'zai-org/glm-5' } as const;

const RULES = '"permissions":   { "allow" : ["Bash(ls:*)"] }';

const PRESENT = `{
    ${RULES},
    "env": {
        "MY_OWN":"1",
        "ANTHROPIC_MODEL": "opus"
    }
}
`;

test('a process that is killed at any moment leaves nothing that cannot be undone', async () => {
  await using user = await openUserHome();
  const file = await user.put(SETTINGS, PRESENT);
  for (let round = 0; round < 12; round += 1) {
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, 'toggle-process.ts'), user.dataDir, user.home],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    // It says how far it is after each change, and is killed within one.
    let seen = 0;
    for await (const part of child.stdout) {
      seen += String(part).length;
      if (seen > 1 + (round % 5)) break;
    }
    child.kill('SIGKILL');
    await once(child, 'exit');
    const states = await user.connections.list();
    if (states.some(({ connection }) => connection !== null)) {
      expect(await user.connections.disconnect('claude-code', null)).toMatchObject({
        complete: true,
      });
    }
    expect(await readFile(file, 'utf8')).toBe(PRESENT);
    // Of a file that was being written, one part may be left until the next change.
    expect((await readdir(join(user.home, '.claude'))).length).toBeLessThanOrEqual(2);
  }
});

test('edits of a person at any time survive, and nothing of ours is left', async () => {
  const step = fc.oneof(
    fc.constant({ do: 'connect' } as const),
    fc.constant({ do: 'disconnect' } as const),
    fc.record({ do: fc.constant('move' as const), port: fc.integer({ min: 1024, max: 65_535 }) }),
    fc.record({
      do: fc.constant('edit' as const),
      name: fc.constantFrom('A', 'B', 'C', '__proto__', 'toString'),
      value: fc.string({ maxLength: 12 }),
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      await using user = await openUserHome();
      const file = await user.put(SETTINGS, PRESENT);
      const mine = new Map<string, string>();
      for (const one of steps) {
        if (one.do === 'connect') await user.connections.connect(CHOICE, null);
        if (one.do === 'move') user.moveTo(one.port);
        if (one.do === 'disconnect') {
          await user.connections.disconnect('claude-code', null).catch(() => undefined);
        }
        if (one.do === 'edit') {
          mine.set(one.name, one.value);
          const text = await readFile(file, 'utf8');
          // A tab at the end marks the lines of the person.
          const line = `"${one.name}": ${JSON.stringify(one.value)},\t`;
          const without = text.replaceAll(new RegExp(`^.*"${one.name}": .*\t\n`, 'gmu'), '');
          await writeFile(file, without.replace('"env": {\n', `"env": {\n        ${line}\n`));
        }
      }
      await user.connections.disconnect('claude-code', null).catch(() => undefined);
      const text = await readFile(file, 'utf8');
      for (const [name, value] of mine) {
        expect(text).toContain(`"${name}": ${JSON.stringify(value)},\t\n`);
      }
      expect(text.replaceAll(/^.*\t\n/gmu, '')).toBe(PRESENT);
    }),
    { numRuns: 40 },
  );
});
