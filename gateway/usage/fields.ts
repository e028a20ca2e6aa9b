import { parseJson } from '../parse-json.ts';

export type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields of a JSON object; `null` for anything else. */
export function fieldsOf(value: unknown): Fields | null {
  return isFields(value) ? value : null;
}

/** The fields of a text that holds one JSON object; `null` for anything else. */
export function parseFields(text: string): Fields | null {
  try {
    return fieldsOf(parseJson(text));
  } catch {
    // Not JSON: nothing can be read from it, which is what `null` says.
    return null;
  }
}

const MAX_NAME = 256;

/** A short name (a model, an id, a code): a non-empty string, cut at 256 characters. */
export function nameOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, MAX_NAME) : null;
}
