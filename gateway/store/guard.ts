import { redactor } from '../keys/keys.ts';
import type { Request, SqlValue } from './messages.ts';

/** Keeps secrets out of a database: everything that is asked of it goes through here. */
export interface Guard {
  /** These are kept out from now on, too; asked at each call. `mask` is written in their place. */
  add(secrets: () => readonly string[], mask: string): void;
  /** A text as it is kept. */
  clean(text: string): string;
}

/** Shorter secrets, as services on one's own machine have them, are words that stand in ordinary texts, too. */
const SHORTEST = 16;

export function openGuard(): Guard {
  const redactors: ((text: string) => string)[] = [];
  return {
    add: (secrets, mask) => {
      const long = () => secrets().filter((secret) => secret.length >= SHORTEST);
      redactors.push(redactor(long, mask));
    },
    clean: (text) =>
      text.length < SHORTEST ? text : redactors.reduce((clean, redact) => redact(clean), text),
  };
}

/** The same request without secrets in its values. What is looked for is cleaned like what is written, so that it is found. */
export function cleanRequest(request: Request, { clean }: Pick<Guard, 'clean'>): Request {
  const cleanRow = (row: readonly SqlValue[]) => cleanValues(row, clean);
  switch (request.kind) {
    case 'query':
      return { ...request, parameters: cleanRow(request.parameters) };
    case 'write':
      return {
        ...request,
        steps: request.steps.map(({ sql, rows }) => ({ sql, rows: rows.map(cleanRow) })),
      };
    case 'close':
      return request;
  }
}

/** The very same values when there is no secret in them. */
function cleanValues(
  values: readonly SqlValue[],
  clean: (text: string) => string,
): readonly SqlValue[] {
  const cleaned = values.map((value) => cleanValue(value, clean));
  return cleaned.some((value, index) => value !== values[index]) ? cleaned : values;
}

function cleanValue(value: SqlValue, clean: (text: string) => string): SqlValue {
  if (typeof value === 'string') return clean(value);
  if (!(value instanceof Uint8Array)) return value;
  const text = Buffer.from(value.buffer, value.byteOffset, value.length).toString('latin1');
  const plain = clean(text);
  return plain === text ? value : Buffer.from(plain, 'latin1');
}
