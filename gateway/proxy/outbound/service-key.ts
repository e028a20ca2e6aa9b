import { Problem } from '../../../shared/problem.ts';
import type { Keys } from '../../keys/keys.ts';
import type { Route } from '../route.ts';

/** The service key as headers, the way spec section 5 asks for it on that route. Throws Problem when there is no key to put on. */
export function serviceCredentials(
  key: Pick<Keys, 'current' | 'state'>,
  { protocol }: Pick<Route, 'protocol'>,
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
