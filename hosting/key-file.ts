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
        const secret = usable(file, await readKeys(file))[account];
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

/** The file is always written anew, so any change puts wrong rights right; only content that nobody can read is given up. */
async function change(file: string, edit: (keys: Keys) => Keys): Promise<SecretWrite> {
  try {
    const { keys } = await readKeys(file);
    const edited = edit(keys ?? {});
    if (Object.keys(edited).length > 0) {
      await replace(file, JSON.stringify(edited));
    } else {
      await rm(file, { force: true });
    }
    return { state: 'done' };
  } catch (error) {
    return refusal(error);
  }
}

async function replace(file: string, content: string): Promise<void> {
  const fresh = `${file}.${randomBytes(6).toString('hex')}`;
  await writeFile(fresh, content, { mode: 0o600, flag: 'wx' });
  await rename(fresh, file);
}

interface Content {
  /** `null` when it is damaged. */
  readonly keys: Keys | null;
  /** Rights of the file; none when there is no file. */
  readonly mode: number;
}

async function readKeys(file: string): Promise<Content> {
  const found = await lstat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') {
      return null;
    }
    throw error;
  });
  if (found === null) {
    return { keys: {}, mode: 0 };
  }
  if (!found.isFile()) {
    throw new UnusableFile(`${file} is no ordinary file, so it is not used. Remove it.`);
  }
  const keys = Keys.safeParse(parseJson(await readFile(file, 'utf8'))).data ?? null;
  return { keys, mode: found.mode & 0o777 };
}

function usable(file: string, { keys, mode }: Content): Keys {
  // Windows has no such bits; there the folder's own rights protect the file.
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new UnusableFile(
      `${file} may be read by other users (mode ${mode.toString(8)}), so it is not used. Set the key again, or run: chmod 600 '${file}'`,
    );
  }
  if (keys === null) {
    throw new UnusableFile(`${file} is damaged, so it is not used. Set the key again.`);
  }
  return keys;
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
