import { Problem } from '../../shared/problem.ts';
import { checkTarget, splitTarget } from './repair/target.ts';

/** In strict mode a path is taken as it is; it only has to lie under `/v1`. Throws Problem. */
export function strictPath(target: string): { readonly target: string; readonly repairs: [] } {
  const { path } = splitTarget(target);
  checkTarget(target, path);
  if (path !== '/v1' && !path.startsWith('/v1/')) {
    throw new Problem(
      'unknown_path',
      `${path} is not under /v1, and repair is switched off (--strict).`,
    );
  }
  return { target, repairs: [] };
}
