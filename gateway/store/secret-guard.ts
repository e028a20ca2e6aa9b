import { createRedactor } from '../keys/keys.ts';
import type { WorkerRequest, SqlValue } from './worker-protocol.ts';

/** Keeps secrets out of a database: everything that is asked of it goes through here. */
export interface SecretGuard {
  /** These are kept out from now on, too; asked at each call. `mask` is written in their place. */
  add(secrets: () => readonly string[], mask: string): void;
  /** A text as it is kept. */
  redact(text: string): string;
}

/** Shorter secrets, as services on one's own machine have them, are words that stand in ordinary texts, too. */
const MIN_LENGTH = 16;

export function createSecretGuard(): SecretGuard {
  const redactors: ((text: string) => string)[] = [];
  return {
    add: (secrets, mask) => {
      const long = () => secrets().filter((secret) => secret.length >= MIN_LENGTH);
      redactors.push(createRedactor(long, mask));
    },
    redact: (text) =>
      text.length < MIN_LENGTH ? text : redactors.reduce((clean, redact) => redact(clean), text),
  };
}

/** The same request without secrets in its values. What is looked for is cleaned like what is written, so that it is found. */
export function redactRequest(
  request: WorkerRequest,
  { redact }: Pick<SecretGuard, 'redact'>,
): WorkerRequest {
  const cleanRow = (row: readonly SqlValue[]) => redactValues(row, redact);
  switch (request.kind) {
    case 'query':
      return { ...request, parameters: cleanRow(request.parameters) };
    case 'write':
      return {
        ...request,
        statements: request.statements.map(({ sql, rows }) => ({ sql, rows: rows.map(cleanRow) })),
      };
    case 'close':
      return request;
  }
}

/** The very same values when there is no secret in them. */
function redactValues(
  values: readonly SqlValue[],
  clean: (text: string) => string,
): readonly SqlValue[] {
  const cleaned = values.map((value) => redactValue(value, clean));
  return cleaned.some((value, index) => value !== values[index]) ? cleaned : values;
}

function redactValue(value: SqlValue, clean: (text: string) => string): SqlValue {
  if (typeof value === 'string') return clean(value);
  if (!(value instanceof Uint8Array)) return value;
  const text = Buffer.from(value.buffer, value.byteOffset, value.length).toString('latin1');
  const plain = clean(text);
  return plain === text ? value : Buffer.from(plain, 'latin1');
}
