import type { KeyStateName } from '../../shared/upstream.ts';

const TONES = {
  keychain: 'good',
  file: 'warn',
  environment: 'good',
  'this-run': 'good',
  locked: 'bad',
  unavailable: 'bad',
  missing: 'bad',
} as const satisfies Readonly<Record<KeyStateName, string>>;

/** The colour of the state of a service key, the same on every screen. */
export function keyTone(name: KeyStateName): 'good' | 'warn' | 'bad' {
  return TONES[name];
}
