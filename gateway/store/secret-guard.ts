import { createRedactor } from '../keys/keys.ts';
import type { WorkerRequest, SqlValue } from './worker-protocol.ts';

/** Keeps secrets out of a database: every request passes through it. */
export interface SecretGuard {
  /** Adds secrets to mask from now on; `secrets` is called each time. `mask` replaces them. */
  add(secrets: () => readonly string[], mask: string): void;
  /** Returns a text without secrets, as it is stored. */
  redact(text: string): string;
}

/** Shorter secrets, as local services have them, are words that occur in ordinary texts. */
const MIN_LENGTH = 16;

export function createSecretGuard(): SecretGuard {
  const redactors: ((text: string) => string)[] = [];
  return {
    add: (secrets, mask) => {
      const long = () => secrets().filter((secret) => secret.length >= MIN_LENGTH);
      redactors.push(createRedactor(long, mask));
    },
    redact: (text) =>
      text.length < MIN_LENGTH
        ? text
        : redactors.reduce((redacted, redactNext) => redactNext(redacted), text),
  };
}

/** Removes secrets from the values of a request. Search terms are redacted like stored texts, so that they match. */
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

/** Returns the same values when they contain no secret. */
function redactValues(
  values: readonly SqlValue[],
  redact: (text: string) => string,
): readonly SqlValue[] {
  const cleaned = values.map((value) => redactValue(value, redact));
  return cleaned.some((value, index) => value !== values[index]) ? cleaned : values;
}

function redactValue(value: SqlValue, redact: (text: string) => string): SqlValue {
  if (typeof value === 'string') return redact(value);
  if (!(value instanceof Uint8Array)) return value;
  const text = Buffer.from(value.buffer, value.byteOffset, value.length).toString('latin1');
  const plain = redact(text);
  return plain === text ? value : Buffer.from(plain, 'latin1');
}
