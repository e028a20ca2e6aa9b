/** A mistake in how the command was called: exit code 2. `message` is for people. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Something that was tried and did not work: exit code 1. `message` says what and what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
