import type { KeyPlaceState } from '../../../shared/upstream.ts';
import type { Host } from '../../host.ts';

/** No service has this address, so nothing is found: only whether there is a keychain matters. */
const PROBE_ACCOUNT = 'gatehouse-probe';
/** A keychain that takes longer is there, and may wait for a person. */
const TIMEOUT_MS = 3_000;

/** Finds out where service keys can be stored, the best place first. */
export async function findKeyPlaces({ secrets }: Pick<Host, 'secrets'>): Promise<KeyPlaceState[]> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const late = new Promise<null>((resolve) => {
    timeout.addEventListener('abort', () => resolve(null), { once: true });
  });
  const probed = await Promise.race([secrets.read(PROBE_ACCOUNT), late]);
  const reason = probed?.state === 'unavailable' ? probed.reason : null;
  return [
    { place: 'keychain', works: reason === null, reason },
    { place: 'file', works: true, reason: null },
  ];
}
