/**
 * `newer`: written by a newer Gatehouse. `corrupt`: not a database, or damaged. `unwritable`: the file or its folder
 * cannot be opened or written. `full`: no space left. `busy`: another process held it too long. `closed`: used after `close`.
 */
export type StoreErrorCode = 'newer' | 'corrupt' | 'unwritable' | 'full' | 'busy' | 'closed';

/** The database cannot be used. The message is for people and says what to do. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreError';
    this.code = code;
  }
}
