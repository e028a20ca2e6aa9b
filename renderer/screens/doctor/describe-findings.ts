import type { DoctorRun, Finding } from '../../../shared/doctor/finding.ts';
import { pluralize } from '../../../shared/format.ts';

/** The states of a finding, the most urgent first. */
const ORDER: readonly Finding['state'][] = ['fail', 'warn', 'unknown', 'ok'];

/** Sorts findings by their state, the most urgent first, and otherwise as they were checked. */
export function sortFindings(findings: readonly Finding[]): readonly Finding[] {
  return findings.toSorted((one, other) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state));
}

/** Describes the result of all parts in one sentence. A part is `undefined` until its result is there. */
export function describeResult(
  parts: readonly (DoctorRun | undefined)[],
  isChecking: boolean,
): string {
  if (isChecking) return 'Checking…';
  const findings = parts.flatMap((part) => part?.groups ?? []).flatMap((group) => group.findings);
  const count = (state: Finding['state']) => findings.filter((one) => one.state === state).length;
  const found = [
    [count('fail'), 'problem'],
    [count('warn'), 'warning'],
    [count('unknown'), 'check without a result'],
  ] as const;
  const texts = found.flatMap(([number, name]) => {
    if (number === 0) return [];
    return name === 'check without a result' && number > 1
      ? [`${number} checks without a result`]
      : [pluralize(number, name)];
  });
  if (texts.length > 0) return `${texts.join(', ')}.`;
  return parts.includes(undefined) ? 'Not everything was checked.' : 'No problem was found.';
}

/** Formats the advice of a finding as a sentence; its command and its button stand beside it. */
export function formatAdvice({ advice, command, action }: Finding): string {
  if (advice === '' || /[.!?]$/u.test(advice)) return advice;
  if (action !== null) return `${advice.replace(/, then$/u, '')}.`;
  return command === null ? advice : `${advice}:`;
}

/** Leaves out the name at the beginning of a sentence, below a heading with the same name. */
export function withoutName(sentence: string, name: string): string {
  if (!sentence.startsWith(`${name}: `)) return sentence;
  const rest = sentence.slice(name.length + 2);
  return `${rest.slice(0, 1).toUpperCase()}${rest.slice(1)}`;
}
