import type { KeyState, KeyStateName } from '../../shared/upstream.ts';
import type { SecretRead, SecretWrite } from '../host.ts';

/** Whether a key was stored or removed; `reason` is for people. `fault`: it was stored, but this prevents its use. */
export type KeyChange =
  | { readonly done: true; readonly fault?: string }
  | { readonly done: false; readonly reason: string };

/** A state together with the key, for this folder only. */
export interface LoadedKey {
  readonly name: KeyStateName;
  readonly key: string | null;
  readonly reason: string;
}

/** Converts the result of a keychain read; `null` means that the keychain gave no answer in time. */
export function fromKeychainRead(read: SecretRead | null): LoadedKey {
  if (read === null) {
    return { name: 'locked', key: null, reason: 'It waits for a person to unlock it.' };
  }
  switch (read.state) {
    case 'found':
      return { name: 'keychain', key: read.secret, reason: '' };
    case 'absent':
      return { name: 'missing', key: null, reason: '' };
    case 'locked':
    case 'unavailable':
      return { name: read.state, key: null, reason: read.reason };
  }
}

/** Converts the result of a keychain write; `null` means that the keychain gave no answer in time. */
export function fromKeychainWrite(written: SecretWrite | null): KeyChange {
  if (written === null) {
    return {
      done: false,
      reason:
        'The keychain has not answered yet. If it asks you to unlock it, do so: the change is then made.',
    };
  }
  return written.state === 'done' ? { done: true } : { done: false, reason: written.reason };
}

/** Describes the state for people. `account` is the upstream's base address. */
export function describeKey({ name, reason }: LoadedKey, account: string): KeyState {
  return { name, sentence: [formatState(name, account), reason].filter(Boolean).join(' ') };
}

function formatState(name: KeyStateName, account: string): string {
  switch (name) {
    case 'keychain':
      return "The service key is stored in this system's keychain.";
    case 'environment':
      return 'The service key comes from the environment (GATEHOUSE_UPSTREAM_KEY).';
    case 'this-run':
      return 'The service key is held in memory, for this run only.';
    case 'file':
      return 'The service key is stored as plain text in a file that you and every program you run can read.';
    case 'locked':
      return 'The keychain is locked. The service key is read as soon as it is unlocked.';
    case 'unavailable':
      return `No service key was found for ${account}.`;
    case 'missing':
      return `No service key is stored for ${account}.`;
  }
}
