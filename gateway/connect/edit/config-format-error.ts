import type { PathStep } from './config-value.ts';

/** A text that cannot be parsed, or cannot be edited without changing more than asked for. The message is for people. */
export class ConfigFormatError extends Error {
  override readonly name = 'ConfigFormatError';
  /** The line of the fault, from 1; `null` when it is unknown. */
  readonly line: number | null;
  /** The column of the fault in UTF-16 units, from 1; `null` when it is unknown. */
  readonly column: number | null;

  constructor(message: string, place: { line: number; column: number } | null = null) {
    super(message);
    this.line = place?.line ?? null;
    this.column = place?.column ?? null;
  }
}

/** Writes a path for people: `models[name="x"].apiBase`. */
export function formatPath(path: readonly PathStep[]): string {
  const steps = path.map((step) =>
    typeof step === 'string' ? `.${step}` : `[${step.where}=${JSON.stringify(step.is)}]`,
  );
  return steps.length === 0 ? 'the whole file' : steps.join('').replace(/^\./u, '');
}

/** Returns the error for a path into a value that is written as null. */
export function nullAround(path: readonly PathStep[]): ConfigFormatError {
  return new ConfigFormatError(
    `${formatPath(path)} cannot be set: the value around it is null. Remove that value first.`,
  );
}
