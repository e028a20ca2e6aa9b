import { syncBuiltinESMExports } from 'node:module';
import fs from 'node:fs/promises';
import { wrap } from './wrap.ts';

const OF_A_FILE = ['write', 'sync', 'datasync', 'truncate'];
const OF_A_NAME = ['link', 'rename', 'rm', 'writeFile', 'copyFile'];

/** Reports a point before and after every call that changes a file: `before file sync`. */
export async function watchFiles(pass: (point: string) => void): Promise<void> {
  const probe = await fs.open(process.execPath);
  const handle: object = Object.getPrototypeOf(probe);
  await probe.close();
  const around = (name: string) => (_: readonly unknown[], run: () => unknown) => {
    pass(`before file ${name}`);
    const result = run();
    return result instanceof Promise ? result.finally(() => pass(`after file ${name}`)) : result;
  };
  for (const name of OF_A_FILE) wrap(handle, name, around(name));
  for (const name of OF_A_NAME) wrap(fs, name, around(name));
  syncBuiltinESMExports();
}
