import { z } from 'zod';
import { readStored } from '../hooks/storage.ts';

const KEY = 'gatehouse.palette.recent';
const MAX_RECENT = 5;
const Stored = z.array(z.string().max(600)).max(MAX_RECENT);

/** Returns the ids of the latest actions of this browser, the latest first. */
export function listRecentIds(): readonly string[] {
  return readStored(KEY, Stored) ?? [];
}

/** Remembers that an action was chosen. */
export function rememberAction(id: string): void {
  const others = listRecentIds().filter((other) => other !== id);
  try {
    localStorage.setItem(KEY, JSON.stringify([id, ...others].slice(0, MAX_RECENT)));
  } catch {
    // A browser that stores nothing has no recent actions.
  }
}
