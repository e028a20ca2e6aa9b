/** A value SQLite can hold. */
export type SqlValue = string | number | bigint | null | Uint8Array;

/** One statement, run once for each row of its parameters. */
export interface Statement {
  readonly sql: string;
  readonly rows: readonly (readonly SqlValue[])[];
}

/** Options of the worker for opening its file. */
export interface OpenOptions {
  /** Whether to avoid memory shared with other processes, until the disk has space for it. */
  readonly alone: boolean;
  /** Whether deleted data is overwritten (https://www.sqlite.org/pragma.html#pragma_secure_delete). */
  readonly secureDelete: boolean;
}

export interface WriteOptions {
  /** Whether the write, and all earlier ones, must survive a power cut when it resolves. Costs some milliseconds. */
  readonly durable?: boolean;
  /** Writes nothing when the first statement changes no row; the result says how many it changed. */
  readonly onlyIfFirst?: boolean;
}

/** The first request of the main thread. */
export interface OpenRequest {
  readonly kind: 'open';
  readonly file: string;
  readonly options: OpenOptions;
}

/** Further requests of the main thread; answered in order. */
export type WorkerRequest =
  | { readonly kind: 'query'; readonly sql: string; readonly parameters: readonly SqlValue[] }
  | ({ readonly kind: 'write'; readonly statements: readonly Statement[] } & WriteOptions)
  | { readonly kind: 'close' };

/** Result of a statement: its rows, or its changes. */
export interface StatementResult {
  readonly rows: readonly unknown[];
  readonly changes: number | bigint;
  readonly lastId: number | bigint;
}

/** An error in the form that crosses threads. `errcode` is SQLite's extended result code. */
export interface Failure {
  readonly message: string;
  readonly errcode: number | null;
}

/** Converts an error of SQLite, or one from another thread, to the form that crosses threads. */
export function toFailure(error: unknown): Failure {
  const { message = String(error), errcode = null }: Partial<Failure> = Object(error);
  return { message, errcode };
}

/** Messages of the worker. */
export type WorkerReply =
  | { readonly kind: 'done'; readonly result: StatementResult }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'changed-outside' };
