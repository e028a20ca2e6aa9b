import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UserError } from '../../gateway/errors.ts';
import { reveal, findRevealCommands } from './reveal.ts';

const onLinux = test.skipIf(process.platform !== 'linux');

/** A screen whose programs note what they were asked; `dbus-send` ends with `code`. */
async function openScreen(code: number) {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-reveal-'));
  const noted = join(folder, 'noted');
  for (const [name, end] of [
    ['dbus-send', code],
    ['xdg-open', 0],
  ] as const) {
    const program = join(folder, name);
    await writeFile(
      program,
      `#!/bin/sh\necho "${name} $*" >> "${noted}.tmp"\nmv "${noted}.tmp" "${noted}"\nexit ${end}\n`,
    );
    await chmod(program, 0o755);
  }
  const video = join(folder, 'a, b.mp4');
  await writeFile(video, 'x');
  return {
    folder,
    video,
    environment: { DISPLAY: ':0', PATH: `${folder}:/bin:/usr/bin` },
    noted: async () => await readFile(noted, 'utf8'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

onLinux('a file manager is told the file, whatever stands in its name', async () => {
  await using screen = await openScreen(0);
  await reveal(screen.video, screen.environment);
  expect(await screen.noted()).toContain('a%2C%20b.mp4');
});

onLinux('without a file manager that selects files, the folder is opened', async () => {
  await using screen = await openScreen(1);
  await reveal(screen.video, screen.environment);
  await expect.poll(screen.noted).toContain(`xdg-open ${screen.folder}`);
});

onLinux('where nothing can be shown, or the file is gone, the person is told', async () => {
  await using screen = await openScreen(0);
  await expect(reveal(screen.video, {})).rejects.toThrow(UserError);
  await expect(reveal(`${screen.video}x`, screen.environment)).rejects.toThrow('no longer exists');
});

test('each system has its own way', () => {
  expect(findRevealCommands('darwin', {}, '/v.mp4')).toMatchObject([
    { program: 'open', args: ['-R', '/v.mp4'] },
  ]);
  expect(findRevealCommands('win32', {}, 'C:\\v.mp4')).toMatchObject([
    { program: 'explorer.exe', args: ['/select,C:\\v.mp4'] },
  ]);
  expect(findRevealCommands('linux', {}, '/v.mp4')).toEqual([]);
});
