/** One thing looked at. `advice` says what to do and is empty when nothing is. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly sentence: string;
  readonly advice: string;
}

/** All is well with it. */
export function ok(check: string, sentence: string): Finding {
  return { check, state: 'ok', sentence, advice: '' };
}

/** It works, and a person may want to do something about it. */
export function warn(check: string, sentence: string, advice: string): Finding {
  return { check, state: 'warn', sentence, advice };
}

/** It does not work. */
export function fail(check: string, sentence: string, advice: string): Finding {
  return { check, state: 'fail', sentence, advice };
}
