import { Mutex } from 'async-mutex';
import { lstat, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { fsyncFolder, systemCode } from '../../gateway/lib/disk.ts';
import type { SecretStore, SecretWrite } from '../../gateway/host.ts';
import { type ExclusiveLock, acquireExclusiveLock } from '../../gateway/lib/exclusive-lock.ts';

const FILE = 'service-key';
const Keys = z.record(z.string(), z.string());
type Keys = Readonly<z.infer<typeof Keys>>;

/** Thrown for a file that cannot be used; `message` says why and what to do. */
class UnusableFileError extends Error {}

/** Timeout for the lock. A change takes a few milliseconds, so a process that holds the lock this long is stopped or in trouble. */
const LOCK_TIMEOUT_MS = 10_000;
const RETRY_MS = 10;

/**
 * Stores service keys in plain text, for systems without a keychain: the file `service-key` in the data folder, readable by its owner
 * only. A file that others may read is not used. Changes are serialized across processes, and each is on disk when it resolves: a reader
 * finds the keys before it or after it, even if the process is killed.
 */
export function openKeyFile(dataDir: string): SecretStore {
  const file = join(dataDir, FILE);
  const mutex = new Mutex();
  return {
    async read(account) {
      try {
        const secret = requireUsable(file, await readKeys(file))[account];
        return secret === undefined ? { state: 'absent' } : { state: 'found', secret };
      } catch (error) {
        return toUnavailable(error);
      }
    },
    async write(account, secret) {
      return await mutex.runExclusive(() =>
        editKeys(file, (keys) => ({ ...keys, [account]: secret })),
      );
    },
    async remove(account) {
      return await mutex.runExclusive(async () =>
        (await fileExists(file)) || (await fileExists(temporaryPath(file)))
          ? await editKeys(file, ({ [account]: _removed, ...others }) => others)
          : { state: 'done' },
      );
    },
  };
}

/** Whether the file exists. One that cannot be checked counts as existing. */
async function fileExists(file: string): Promise<boolean> {
  return await lstat(file).then(
    () => true,
    (error: unknown) => systemCode(error) !== 'ENOENT',
  );
}

/** The temporary file that replaces the key file. */
function temporaryPath(file: string): string {
  return `${file}.new`;
}

/**
 * Reads the file before a change. The file is always rewritten, so any change corrects wrong permissions; only unreadable content is
 * discarded.
 */
async function editKeys(file: string, edit: (keys: Keys) => Keys): Promise<SecretWrite> {
  try {
    const lock = await waitForFileLock(file);
    try {
      const { keys } = await readKeys(file);
      const edited = edit(keys ?? {});
      await replaceFile(file, Object.keys(edited).length > 0 ? JSON.stringify(edited) : null);
    } finally {
      lock.release();
    }
    return { state: 'done' };
  } catch (error) {
    return toUnavailable(error);
  }
}

/** Waits while another process changes the file. @throws UnusableFileError, UserError */
async function waitForFileLock(file: string): Promise<ExclusiveLock> {
  const end = performance.now() + LOCK_TIMEOUT_MS;
  for (;;) {
    const lock = await acquireExclusiveLock(`${file}.lock`);
    if (lock !== null) return lock;
    if (performance.now() > end) {
      throw new UnusableFileError(
        `Another process has been changing ${file} for ${LOCK_TIMEOUT_MS / 1_000} s, so nothing was changed. End it, or try again.`,
      );
    }
    await pause(RETRY_MS);
  }
}

/**
 * Writes a key; `null` removes it. If the process is killed meanwhile, the file is unchanged, and the next change removes the temporary
 * file.
 */
async function replaceFile(file: string, content: string | null): Promise<void> {
  const temporary = temporaryPath(file);
  await rm(temporary, { force: true });
  if (content === null) await rm(file, { force: true });
  else {
    await writeNewFile(temporary, content);
    await rename(temporary, file);
  }
  await fsyncFolder(dirname(file));
}

async function writeNewFile(file: string, content: string): Promise<void> {
  await using opened = await open(file, 'wx', 0o600);
  await opened.writeFile(content);
  await opened.sync();
}

interface KeyFileContent {
  /** The keys by account; `null` when the file is damaged. */
  readonly keys: Keys | null;
  /** Permissions of the file; `null` when there is no file. */
  readonly mode: number;
}

async function readKeys(file: string): Promise<KeyFileContent> {
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
    throw new UnusableFileError(`${file} is no ordinary file, so it is not used. Remove it.`);
  }
  const keys = Keys.safeParse(parseJson(await readFile(file, 'utf8'))).data ?? null;
  return { keys, mode: found.mode & 0o777 };
}

function requireUsable(file: string, { keys, mode }: KeyFileContent): Keys {
  // Windows has no permission bits; there the folder's own permissions protect the file.
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new UnusableFileError(
      `${file} may be read by other users (mode ${mode.toString(8)}), so it is not used. Set the key again, or run: chmod 600 '${file}'`,
    );
  }
  if (keys === null) {
    throw new UnusableFileError(`${file} is damaged, so it is not used. Set the key again.`);
  }
  return keys;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Invalid JSON is treated like JSON of the wrong shape: the schema rejects both.
    return undefined;
  }
}

function toUnavailable(error: unknown): { readonly state: 'unavailable'; readonly reason: string } {
  if (error instanceof UnusableFileError) {
    return { state: 'unavailable', reason: error.message };
  }
  const reason = error instanceof Error ? error.message : 'no reason given';
  return { state: 'unavailable', reason: `The key file cannot be used: ${reason}` };
}
