/**
 * Codes: `newer`: written by a newer Gatehouse. `corrupt`: not a database, or damaged. `unwritable`: the file or its folder
 * cannot be opened or written. `full`: no space left. `busy`: another process held it too long. `interrupted`: a process died
 * while it changed the file, and the change is not rolled back yet. `closed`: used after `close`.
 */
export type StoreErrorCode =
  | 'newer'
  | 'corrupt'
  | 'unwritable'
  | 'full'
  | 'busy'
  | 'interrupted'
  | 'closed';

/** The database cannot be used. The message is for people and says what to do. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreError';
    this.code = code;
  }
}

const DEFAULT_NEXT_STEP =
  'Stop Gatehouse and restore a copy: "gatehouse restore" lists them. Without a copy, move the file away: a new one is created, and its content is lost.';

/** The file is damaged, or is not the database that belongs there. Nothing was written to it. */
export class DatabaseDamagedError extends StoreError {
  /** Its absolute path. */
  readonly file: string;
  /** The cause without a full stop. */
  readonly finding: string;
  /** SQLite's message, for experts; empty where Gatehouse found the damage itself. */
  readonly detail: string;
  /** Damaged tables; empty when it concerns the file as a whole. */
  readonly tables: readonly string[];

  constructor(
    { file, finding, detail = '', tables = [] }: Damage,
    nextStep: string = DEFAULT_NEXT_STEP,
    options?: ErrorOptions,
  ) {
    const last = detail === '' ? '' : `\nSQLite says: ${detail}`;
    super('corrupt', `The database ${file} is damaged: ${finding}. ${nextStep}${last}`, options);
    this.file = file;
    this.finding = finding;
    this.detail = detail;
    this.tables = tables;
  }
}

/** Damage found in a database file. */
export interface Damage {
  readonly file: string;
  readonly finding: string;
  readonly detail?: string;
  readonly tables?: readonly string[];
}
