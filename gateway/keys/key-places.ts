import type { KeyPlaceState } from '../../shared/upstream.ts';
import type { Host } from '../host.ts';

/** No service has this address, so nothing is found: only whether there is a keychain matters. */
const PROBE_ACCOUNT = 'gatehouse-probe';
/** A keychain that takes longer is there, and may wait for a person. */
const TIMEOUT_MS = 10_000;
const NOT_ANSWERED = 'The keychain has not answered yet: it may wait for you to unlock it.';

/**
 * Finds out where service keys can be stored, the best place first. `reason` says why a place does not work, or that it has not answered
 * yet.
 */
export async function findKeyPlaces({ secrets }: Pick<Host, 'secrets'>): Promise<KeyPlaceState[]> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const late = new Promise<null>((resolve) => {
    timeout.addEventListener('abort', () => resolve(null), { once: true });
  });
  const probed = await Promise.race([secrets.read(PROBE_ACCOUNT), late]);
  const keychain =
    probed?.state === 'unavailable'
      ? { works: false, reason: probed.reason }
      : { works: true, reason: probed === null ? NOT_ANSWERED : null };
  return [
    { place: 'keychain', ...keychain },
    { place: 'file', works: true, reason: null },
  ];
}
