import { cp, mkdtempDisposable, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { PROGRAM } from '../../kit/process/program.ts';
import { openTestMachine } from '../../kit/process/test-machine.ts';

test('a command is told that Gatehouse was updated while it ran, and requests are still answered', async () => {
  // Beside the program, because it finds its native package from there.
  await using updated = await mkdtempDisposable(join(dirname(dirname(PROGRAM)), 'updated-'));
  await cp(dirname(PROGRAM), updated.path, { recursive: true });
  await using terminal = await openTestMachine(join(updated.path, 'main.js'));
  await using serving = await terminal.serve();
  const calls = (await readdir(updated.path)).filter((name) => name.startsWith('rpc-handler'));
  expect(calls).toHaveLength(1);
  for (const name of calls) await rm(join(updated.path, name));
  const { code, stdout, stderr } = await terminal.run(['pause']);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toBe('This Gatehouse was updated while it ran. Stop it, and start it again.\n');
  const headers = { authorization: `Bearer ${serving.localKey}` };
  const answer = await fetch(`http://127.0.0.1:${serving.port}/v1/models`, { headers });
  expect(answer.status).toBe(200);
});
