/** Thrown for a wrong call of the command: exit code 2. `message` is for people. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Thrown when an action failed: exit code 1. `message` says why and what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** Thrown when a program that a command started has ended with an exit code that is to be passed on. */
export class ProgramExit extends Error {
  override readonly name = 'ProgramExit';
  readonly code: number;

  constructor(code: number) {
    super();
    this.code = code;
  }
}
