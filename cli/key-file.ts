import { randomBytes } from 'node:crypto';
import { lstat, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { SecretStore, SecretWrite } from '../gateway/host.ts';

const FILE = 'service-key';
const Keys = z.record(z.string(), z.string());
type Keys = Readonly<z.infer<typeof Keys>>;

/** A file that cannot be used; `message` says why and what to do. */
class UnusableFile extends Error {}

/**
 * Service keys in plain text, for systems without a keychain: the file `service-key` in the data folder, readable by its owner
 * only. A file that others may read is not used.
 */
export function openKeyFile(dataDir: string): SecretStore {
  const file = join(dataDir, FILE);
  return {
    async read(account) {
      try {
        const secret = (await readKeys(file))[account];
        return secret === undefined ? { state: 'absent' } : { state: 'found', secret };
      } catch (error) {
        return refusal(error);
      }
    },
    async write(account, secret) {
      return await change(file, (keys) => ({ ...keys, [account]: secret }));
    },
    async remove(account) {
      return await change(file, ({ [account]: _removed, ...others }) => others);
    },
  };
}

/** The file is always written anew, so a file with wrong rights or damaged content is put right by any change. */
async function change(file: string, edit: (keys: Keys) => Keys): Promise<SecretWrite> {
  try {
    const keys = edit(await readKeys(file).catch(ignoreUnusable));
    if (Object.keys(keys).length > 0) {
      await replace(file, JSON.stringify(keys));
    } else {
      await rm(file, { force: true });
    }
    return { state: 'done' };
  } catch (error) {
    return refusal(error);
  }
}

function ignoreUnusable(error: unknown): Keys {
  if (error instanceof UnusableFile) {
    return {};
  }
  throw error;
}

async function replace(file: string, content: string): Promise<void> {
  const fresh = `${file}.${randomBytes(6).toString('hex')}`;
  await writeFile(fresh, content, { mode: 0o600, flag: 'wx' });
  await rename(fresh, file);
}

async function readKeys(file: string): Promise<Keys> {
  const found = await lstat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') {
      return null;
    }
    throw error;
  });
  if (found === null) {
    return {};
  }
  if (!found.isFile()) {
    throw new UnusableFile(`${file} is no ordinary file, so it is not used. Remove it.`);
  }
  // Windows has no such bits; there the folder's own rights protect the file.
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
    const mode = (found.mode & 0o777).toString(8);
    throw new UnusableFile(
      `${file} may be read by other users (mode ${mode}), so it is not used. Set the key again, or run: chmod 600 '${file}'`,
    );
  }
  const keys = Keys.safeParse(parseJson(await readFile(file, 'utf8')));
  if (!keys.success) {
    throw new UnusableFile(`${file} is damaged, so it is not used. Set the key again.`);
  }
  return keys.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON is as bad as the wrong JSON: the schema refuses both.
    return undefined;
  }
}

function refusal(error: unknown): { readonly state: 'unavailable'; readonly reason: string } {
  if (error instanceof UnusableFile) {
    return { state: 'unavailable', reason: error.message };
  }
  const reason = error instanceof Error ? error.message : 'no reason given';
  return { state: 'unavailable', reason: `The key file cannot be used: ${reason}` };
}
