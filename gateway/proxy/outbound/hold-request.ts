import { formatDuration } from '../../../shared/format.ts';
import { createRepair } from '../repair/create-repair.ts';
import type { Preparation } from './preparation.ts';

/** Whether a person wants to look at a request before it is sent. */
export function isAwaited({ route, proxy, inFlight }: Preparation): boolean {
  const isText = route.protocol !== null && route.name !== 'other';
  return isText && inFlight.client !== null && proxy.holds.isAwaited(inFlight.client.id);
}

/**
 * Lets a request wait until a person has looked at it, and records that. Returns its body as it goes on.
 * @throws Problem when a person refused it, or when nothing is accepted any more; the reason of the signal when its client has left
 */
export async function holdRequest(
  bytes: Buffer,
  { proxy, inFlight, memory, signal }: Preparation,
): Promise<Buffer> {
  const began = performance.now();
  inFlight.isHeld = true;
  proxy.onRunning();
  try {
    const released = await proxy.holds.hold({
      id: inFlight.id,
      clientId: inFlight.client?.id ?? '',
      bytes,
      signal,
    });
    if (released === null) return bytes;
    inFlight.heldMs = performance.now() - began;
    const { fields } = released;
    const result = fields.length === 0 ? 'unchanged' : `with changes of ${fields.join(', ')}`;
    inFlight.addRepairs([createRepair('held', formatDuration(inFlight.heldMs), result)]);
    // It may have waited for minutes.
    const rejection = proxy.rejectionReason();
    if (rejection !== null) throw rejection;
    if (proxy.pause.paused) throw proxy.pause.problem();
    if (released.bytes === null) return bytes;
    memory.grow(released.bytes.length);
    return released.bytes;
  } finally {
    inFlight.isHeld = false;
    proxy.onRunning();
  }
}
