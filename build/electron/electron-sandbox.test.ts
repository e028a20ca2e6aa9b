import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { explainSandboxFailure } from './electron-sandbox.ts';

/** A system with these settings of its kernel, below `proc/sys`, and a folder of Electron in it. */
async function openSystem(settings: Readonly<Record<string, string>>) {
  const root = await mkdtemp(join(tmpdir(), "gatehouse's-system-"));
  onTestFinished(async () => await rm(root, { recursive: true }));
  for (const [name, value] of Object.entries(settings)) {
    const file = join(root, 'proc', 'sys', name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, value);
  }
  return { root, program: join(root, 'electron'), helper: join(root, 'chrome-sandbox') };
}

test.each([
  ['nothing is said', {}],
  ['namespaces are allowed', { 'kernel/apparmor_restrict_unprivileged_userns': '0\n' }],
  [
    'some are',
    { 'kernel/unprivileged_userns_clone': '1\n', 'user/max_user_namespaces': '96365\n' },
  ],
])('the sandbox works where %s', async (_where, settings) => {
  const { root, program } = await openSystem(settings);
  expect(await explainSandboxFailure(program, root)).toBeNull();
});

test.each([
  ['kernel/apparmor_restrict_unprivileged_userns', '1'],
  ['kernel/unprivileged_userns_clone', '0'],
  ['user/max_user_namespaces', '0'],
])('with %s at %s it says so, and gives two commands that a shell takes', async (name, value) => {
  const { root, program, helper } = await openSystem({ [name]: `${value}\n` });
  for (const mode of [null, 0o755, 0o4755]) {
    if (mode !== null) {
      await writeFile(helper, '');
      await chown(helper, 1000, 1000).catch(() => undefined);
      await chmod(helper, mode);
    }
    const quoted = `'${helper.replaceAll("'", String.raw`'\''`)}'`;
    const why = await explainSandboxFailure(program, root);
    expect(why).toContain(`(${name.replace('/', '.')} is ${value})`);
    expect(why?.split('\n').slice(1, 3)).toEqual([
      `  sudo chown root:root ${quoted}`,
      `  sudo chmod 4755 ${quoted}`,
    ]);
  }
});

test.skipIf(process.getuid?.() !== 0)('with the rights it needs, the helper does', async () => {
  const restricted = { 'kernel/apparmor_restrict_unprivileged_userns': '1\n' };
  const { root, program, helper } = await openSystem(restricted);
  await writeFile(helper, '');
  await chmod(helper, 0o755);
  expect(await explainSandboxFailure(program, root)).not.toBeNull();
  await chmod(helper, 0o4755);
  expect(await explainSandboxFailure(program, root)).toBeNull();
});
