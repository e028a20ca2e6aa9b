import { formatDuration } from '../../../shared/format.ts';
import { ByteChunks } from '../../lib/byte-chunks.ts';
import { serviceChangedProblem } from '../../service-limit/limit-problems.ts';
import { authenticateAgain } from '../inbound/authenticate.ts';
import { readBody } from '../repair/body/body.ts';
import { createRepair } from '../repair/create-repair.ts';
import type { Preparation } from './preparation.ts';

/** Whether a person wants to look at a request before it is sent. */
export function isAwaited({ route, proxy, inFlight }: Preparation): boolean {
  const isText = route.protocol !== null && route.name !== 'other';
  return isText && inFlight.client !== null && proxy.holds.isAwaited(inFlight.client.id);
}

/**
 * Lets a request wait until a person has looked at it, and records that. Returns its body as it goes on.
 * @throws Problem when it is too complex to be read, when it was refused, its service is not in use any more, Gatehouse is paused, or its local key does not work any more; the reason of the signal when its client has left
 */
export async function holdRequest<Body extends Buffer | ByteChunks>(
  body: Body,
  { request, proxy, inFlight, memory, signal }: Preparation,
): Promise<Body | Buffer> {
  const { model, places } = await readBody(body);
  // What is held is refused when a pause begins or another service is chosen, and its body may have come after that.
  if (proxy.pause.paused) throw proxy.pause.problem();
  if (!proxy.isInUse(proxy.service)) throw serviceChangedProblem();
  let began = 0;
  try {
    const released = await proxy.holds.hold({
      id: inFlight.id,
      clientId: inFlight.client?.id ?? '',
      readBytes: () => (body instanceof ByteChunks ? Buffer.concat(body.chunks) : body),
      length: body.length,
      hasTools: places?.hasTools === true,
      signal,
      onHeld: () => {
        began = performance.now();
        inFlight.isHeld = true;
        // A person sees what it asks for. Its body is read again when it goes on.
        inFlight.modelSent = model;
        proxy.onRunning();
      },
    });
    if (released === null) return body;
    const { bytes, modelAsked, result } = released;
    const heldMs = performance.now() - began;
    inFlight.addRepairs([createRepair('held', formatDuration(heldMs), result)]);
    authenticateAgain(request, proxy, inFlight);
    if (bytes === null) return body;
    inFlight.changedModel = { asked: modelAsked };
    memory.shrink(body.length);
    memory.grow(bytes.length);
    return bytes;
  } catch (error) {
    // Nothing is sent, so the model that a person saw meanwhile is only asked for.
    if (inFlight.isHeld) [inFlight.modelAsked, inFlight.modelSent] = [model, null];
    throw error;
  } finally {
    if (inFlight.isHeld) {
      // Of what is refused, and of what its client gives up, the wait is no time of the model either.
      inFlight.heldMs = performance.now() - began;
      inFlight.isHeld = false;
      proxy.onRunning();
    }
  }
}
