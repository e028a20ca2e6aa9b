import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pluralize } from '../../../shared/format.ts';

/** The latest files are looked at, and of each its beginning, which names the provider. */
const MAX_FILES = 1_000;
const HEAD_BYTES = 4_096;
const PROVIDER = '"model_provider":"gatehouse"';

/** Says how many sessions of Codex need the provider that undoing takes out, and how to continue them; nothing when none does. */
export async function describeSessions(folder: string): Promise<readonly string[]> {
  const sessions = join(folder, 'sessions');
  const names = await readdir(sessions, { recursive: true }).catch(() => []);
  // Their paths begin with the date.
  const files = names.filter((name) => name.endsWith('.jsonl')).toSorted();
  const latest = files.slice(-MAX_FILES);
  let count = 0;
  for (const name of latest) {
    const head = await readHead(join(sessions, name));
    if (head.split('\n', 1)[0]?.includes(PROVIDER) === true) count += 1;
  }
  if (count === 0) return [];
  const which = `${files.length > MAX_FILES ? 'At least ' : ''}${pluralize(count, 'session')} of Codex`;
  return [
    `${which} ${count === 1 ? 'was' : 'were'} made with the provider “gatehouse”, and Codex resumes ${count === 1 ? 'it' : 'them'} with no other. Without its block: gatehouse run -- codex resume`,
  ];
}

async function readHead(path: string): Promise<string> {
  const file = await open(path).catch(() => null);
  if (file === null) return '';
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    // Such as a folder with that name.
    return '';
  } finally {
    await file.close();
  }
}
