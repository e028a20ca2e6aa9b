import { Problem } from '../../shared/problem.ts';
import type { Keys } from './keys.ts';
import type { TextProtocol } from '../../shared/chat/chat.ts';

/**
 * Returns the service key as headers, in the form that spec section 5 requires for the protocol of a route.
 * @throws Problem when there is no key.
 */
export function serviceCredentials(
  key: Pick<Keys, 'current' | 'state'>,
  { protocol }: { readonly protocol: TextProtocol | null },
): string[] {
  const current = key.current();
  if (current === null) throw noKeyProblem(key);
  const bearer = ['authorization', `Bearer ${current}`];
  return protocol === 'messages' ? [...bearer, 'x-api-key', current] : bearer;
}

function noKeyProblem(key: Pick<Keys, 'state'>): Problem {
  const { name, sentence } = key.state();
  return name === 'locked'
    ? new Problem('service_key_locked', `${sentence} Nothing was sent.`)
    : new Problem('service_key_missing', `${sentence} Nothing was sent.`);
}
