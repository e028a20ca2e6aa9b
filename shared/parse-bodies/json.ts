/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is an object and no list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a JSON object; an empty one for anything else. */
export function toObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Returns a list; an empty one for anything else. */
export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns a text; an empty one for anything else. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Returns a non-empty text; `null` for anything else. */
export function toName(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Parses a JSON text; returns `undefined` when it is invalid. */
export function tryParse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Parses a text that is a JSON object; returns `null` for any other. An event stream costs nothing. */
export function tryParseObject(text: string): JsonObject | null {
  const value = /^\s*\{/u.test(text) ? tryParse(text) : null;
  return isObject(value) ? value : null;
}

/** Returns the line and the column of an offset, both from 1; the column in UTF-16 units. */
export function placeAt(text: string, offset: number): { line: number; column: number } {
  const lines = text.slice(0, offset).split(/\r\n|\n|\r/u);
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

/** Formats a value as JSON with indentation. One that is nested too deeply is named instead. */
export function formatJson(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? '';
  } catch {
    return '(nested too deeply to show)';
  }
}

/** Formats the arguments of a tool call: JSON with indentation where they are complete JSON, otherwise as they are. */
export function formatArguments(text: string): string {
  const value = tryParse(text);
  return value === undefined ? text : formatJson(value);
}
