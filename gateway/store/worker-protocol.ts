/** A value SQLite can hold. */
export type SqlValue = string | number | bigint | null | Uint8Array;

/** One statement, run once for each row of its parameters. */
export interface Statement {
  readonly sql: string;
  readonly rows: readonly (readonly SqlValue[])[];
}

/** How the worker opens its file. */
export interface OpenOptions {
  /** Without memory shared with other processes, until its disk has room for that. */
  readonly alone: boolean;
  /** What is deleted is overwritten (https://www.sqlite.org/pragma.html#pragma_secure_delete). */
  readonly secureDelete: boolean;
}

export interface WriteOptions {
  /** Once it is done it survives a power cut, too, and so does all that was written before. Costs some milliseconds. */
  readonly durable?: boolean;
  /** Nothing is written when the first step changes no row; the result says how many it changed. */
  readonly onlyIfFirst?: boolean;
}

/** What the main thread asks of the worker; answered in the order asked. */
export type WorkerRequest =
  | { readonly kind: 'query'; readonly sql: string; readonly parameters: readonly SqlValue[] }
  | ({ readonly kind: 'write'; readonly statements: readonly Statement[] } & WriteOptions)
  | { readonly kind: 'close' };

/** What a statement gave: its rows, or what it changed. */
export interface StatementResult {
  readonly rows: readonly unknown[];
  readonly changes: number | bigint;
  readonly lastId: number | bigint;
}

/** An error as it crosses threads. `errcode` is SQLite's extended result code. */
export interface Failure {
  readonly message: string;
  readonly errcode: number | null;
}

/** An error of SQLite, or one that came from another thread, as it crosses threads. */
export function toFailure(error: unknown): Failure {
  const { message = String(error), errcode = null }: Partial<Failure> = Object(error);
  return { message, errcode };
}

/** What the worker says. The first reply tells whether the file could be opened. */
export type WorkerReply =
  | { readonly kind: 'done'; readonly result: StatementResult }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'changed-outside' };
