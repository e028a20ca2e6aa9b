import type { z } from 'zod';

/** Reads a stored JSON value of the browser; `null` when there is none or it does not match the schema. */
export function readStored<Value>(key: string, schema: z.ZodType<Value>): Value | null {
  try {
    return schema.parse(JSON.parse(localStorage.getItem(key) ?? 'null'));
  } catch {
    return null;
  }
}

/** Stores a JSON value in the browser; drafts may have filled its storage, and then the value lasts until the next reload. */
export function writeStored(key: string, value: object): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // The value before would be wrong.
    deleteStored(key);
  }
}

export function deleteStored(key: string): void {
  localStorage.removeItem(key);
}
