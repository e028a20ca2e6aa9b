import type { KeyStateName } from '../../shared/upstream.ts';

/** Whether there is a usable key in this state. */
export function isUsableKey(name: KeyStateName): boolean {
  return ['keychain', 'environment', 'this-run', 'file'].includes(name);
}

/**
 * Returns the advice for a state without a usable key; empty when there is nothing to do. `command`: see `Host.command`, with `null`
 * where the key is entered on a page.
 */
export function keyAdvice(state: KeyStateName, command: string | null): string {
  switch (state) {
    case 'missing':
      return command === null ? 'Add one.' : `Add one: ${command} key set`;
    case 'locked':
      return 'Unlock the keychain of your session, then try again.';
    case 'unavailable':
      return command === null
        ? 'Store the key in a private file.'
        : `Give the key in GATEHOUSE_UPSTREAM_KEY, or for one run with "${command} serve --ask-key", or store it with "${command} key set --plain-text-file".`;
    case 'keychain':
    case 'environment':
    case 'this-run':
    case 'file':
      return '';
  }
}
