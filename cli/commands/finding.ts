/** One result of a check. `advice` is empty when there is nothing to do. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly sentence: string;
  readonly advice: string;
}

/** Returns a finding without a problem. */
export function ok(check: string, sentence: string): Finding {
  return { check, state: 'ok', sentence, advice: '' };
}

/** Returns a finding that works and that a person may want to act on. */
export function warn(check: string, sentence: string, advice: string): Finding {
  return { check, state: 'warn', sentence, advice };
}

/** Returns a finding that does not work. */
export function fail(check: string, sentence: string, advice: string): Finding {
  return { check, state: 'fail', sentence, advice };
}
