import type { Finding } from '../../shared/doctor/finding.ts';

/** The way out of a finding, besides its advice. */
export type Remedy = Partial<Pick<Finding, 'command' | 'action'>>;

const NO_REMEDY = { advice: '', command: null, action: null, details: [] };

/** Returns a finding without a problem. */
export function ok(check: string, sentence: string, remedy: Remedy = {}): Finding {
  return { check, state: 'ok', sentence, ...NO_REMEDY, ...remedy };
}

/** Returns a finding that works and that a person may want to act on. */
export function warn(check: string, sentence: string, advice: string, remedy?: Remedy): Finding {
  return { check, state: 'warn', sentence, ...NO_REMEDY, advice, ...remedy };
}

/** Returns a finding that does not work. */
export function fail(check: string, sentence: string, advice: string, remedy?: Remedy): Finding {
  return { check, state: 'fail', sentence, ...NO_REMEDY, advice, ...remedy };
}

/** Returns a finding of a check that came to no result; `sentence` says why. */
export function unknown(check: string, sentence: string): Finding {
  return { check, state: 'unknown', sentence, ...NO_REMEDY };
}

/** Formats the sentence with the lines below it. */
export function formatSentence({ sentence, details }: Finding): string {
  return [sentence, ...details.map((line) => `- ${line}`)].join('\n');
}

/** Formats the advice with its command for a text; empty when there is nothing to do. */
export function formatAdvice({ advice, command }: Finding): string {
  return [advice, command ?? ''].filter((part) => part !== '').join(': ');
}
