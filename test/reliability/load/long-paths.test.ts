import { expect, test } from 'vitest';
import { parseTarget } from '../../../gateway/proxy/repair/path/target.ts';
import { findRoute as findPathRoute } from '../../../gateway/proxy/route.ts';

/** Finds the route of a target, whose query does not matter. */
function findRoute(method: string, target: string) {
  return findPathRoute(method, parseTarget(target).path);
}

test.each(['%ff.', '%c2%a'])(
  'a very long path of %j has a route, for which an exception for each escape would take too long',
  // It takes seconds; an exception for each escape takes minutes.
  { timeout: 60_000 },
  (part) => {
    expect(findRoute('POST', `/v1/videos/${part.repeat(2_000_000)}`)).toMatchObject({
      name: 'other',
    });
  },
);
