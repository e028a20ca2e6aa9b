/** Thrown for a wrong call of the command: exit code 2. `message` is for people. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Thrown when an action failed: exit code 1. `message` says why and what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
