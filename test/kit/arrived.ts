import type { SeenRequest } from '../../sandbox/seen.ts';
import type { House } from './house.ts';

/** The requests that came to the sandbox through the gateway: not those the gateway makes in its own name. */
export function arrivedAt({ sandbox }: House): SeenRequest[] {
  return sandbox.seen.filter(({ rawHeaders }) => valuesOf(rawHeaders, 'via').length > 0);
}

/** The latest request that came through the gateway. */
export function latestAt(house: House): SeenRequest {
  const latest = arrivedAt(house).at(-1);
  if (latest === undefined) throw new Error('Nothing has come through the gateway yet.');
  return latest;
}

/** All values of a header (small letters) in a list of names and values. */
export function valuesOf(rawHeaders: readonly string[], name: string): string[] {
  return rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name,
  );
}
