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
      redactors.push(createRedactor(secrets, { mask, minLength: MIN_LENGTH }));
    },
    redact: (text) => {
      if (text.length < MIN_LENGTH) return text;
      let redacted = text;
      for (const redactNext of redactors) redacted = redactNext(redacted);
      return redacted;
    },
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
  // Most values contain no secret, and every row of the history passes here.
  const isClean = values.every((value) => redactValue(value, redact) === value);
  return isClean ? values : values.map((value) => redactValue(value, redact));
}

function redactValue(value: SqlValue, redact: (text: string) => string): SqlValue {
  if (typeof value === 'string') return redact(value);
  if (!(value instanceof Uint8Array)) return value;
  const text = Buffer.from(value.buffer, value.byteOffset, value.length).toString('latin1');
  const plain = redact(text);
  return plain === text ? value : Buffer.from(plain, 'latin1');
}
