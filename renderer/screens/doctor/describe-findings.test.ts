import { expect, test } from 'vitest';
import type { DoctorRun, Finding } from '../../../shared/doctor/finding.ts';
import { describeResult, formatAdvice, sortFindings, withoutName } from './describe-findings.ts';

function aFinding(change: Partial<Finding>): Finding {
  const plain = { check: 'one', state: 'ok', sentence: 'It works.', advice: '' } as const;
  return { ...plain, command: null, action: null, details: [], ...change };
}

function aRun(...states: readonly Finding['state'][]): DoctorRun {
  const findings = states.map((state) => aFinding({ state }));
  return { at: 0, groups: [{ id: 'gatehouse', title: 'Gatehouse', findings }] };
}

test.each([
  [[aRun('ok'), aRun('ok')], false, 'No problem was found.'],
  [
    [aRun('ok', 'fail', 'warn', 'warn', 'unknown')],
    false,
    '1 problem, 2 warnings, 1 check without a result.',
  ],
  [[aRun('unknown', 'unknown')], false, '2 checks without a result.'],
  [[aRun('ok'), undefined], false, 'Not everything was checked.'],
  [[aRun('fail'), undefined], true, 'Checking…'],
] as const)('%j is described as one sentence', (parts, isChecking, sentence) => {
  expect(describeResult(parts, isChecking)).toBe(sentence);
});

test('findings are sorted by their state, and otherwise stay in order', () => {
  const findings = (['ok', 'unknown', 'fail', 'warn', 'fail'] as const).map((state, place) =>
    aFinding({ state, check: String(place) }),
  );
  expect(sortFindings(findings).map(({ check }) => check)).toEqual(['2', '4', '3', '1', '0']);
});

test.each([
  [aFinding({ advice: 'Install it.' }), 'Install it.'],
  [aFinding({ advice: 'Run', command: 'chmod go= x' }), 'Run:'],
  [
    aFinding({ advice: 'Correct a.json, then', action: { kind: 'connect', program: 'codex' } }),
    'Correct a.json.',
  ],
  [aFinding({ command: 'gatehouse connect codex' }), ''],
])('the advice of %j ends well', (finding, advice) => {
  expect(formatAdvice(finding)).toBe(advice);
});

test('a sentence does not repeat the heading above it', () => {
  expect(withoutName('Codex: its settings lead here.', 'Codex')).toBe('Its settings lead here.');
  expect(withoutName('Codex was not found.', 'Codex')).toBe('Codex was not found.');
});
