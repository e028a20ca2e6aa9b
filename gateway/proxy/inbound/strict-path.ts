import { Problem } from '../../../shared/problem.ts';
import { checkTarget, parseTarget } from '../repair/target.ts';

/** In strict mode a path is taken as it is; it only has to lie under `/v1`. Throws Problem. */
export function parseStrictPath(target: string): { readonly target: string; readonly repairs: [] } {
  const { path } = parseTarget(target);
  checkTarget(target, path);
  if (path !== '/v1' && !path.startsWith('/v1/')) {
    throw new Problem(
      'unknown_path',
      `${path} is not under /v1, and repair is switched off (--strict).`,
    );
  }
  return { target, repairs: [] };
}
