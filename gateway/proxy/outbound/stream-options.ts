import { Problem } from '../../../shared/problem.ts';
import { mayBeCharged } from '../../prices/prices.ts';
import type { Reservation, MemoryAllocator } from '../../lib/memory-budget.ts';
import type { InFlightExchange } from '../in-flight-exchange.ts';
import { ByteChunks } from '../../lib/byte-chunks.ts';
import { forward, type Forwarding } from './forward.ts';
import { ERROR_LIMIT, bufferForInspection } from '../response/inspect-response.ts';
import { createRepair } from '../repair/create-repair.ts';
import { removeStreamOptions } from '../repair/body/body.ts';
import type { UpstreamResponse, UpstreamRequest } from '../../http/send.ts';

/**
 * Sends a request again without `stream_options`, which some models reject (spec section 4.2). `isClients`: whether its client sent
 * them, and not only Gatehouse. Returns the first answer when that does not help. When it helps, the model is remembered if the first
 * answer named the field, or if only Gatehouse had added it. The first request was not charged, because it was answered with 400.
 * @throws Problem when the service may have taken the second request, but its answer was lost: it may be charged.
 */
export async function withoutStreamOptions(
  first: UpstreamResponse,
  outgoing: UpstreamRequest & { readonly body: Buffer | ByteChunks; readonly isClients: boolean },
  forwarding: Forwarding & { readonly memory: Reservation },
): Promise<UpstreamResponse> {
  const { proxy, inFlight, memory } = forwarding;
  // Both bodies are in memory, and the first one twice when it is in pieces.
  const { body, isClients } = outgoing;
  const isInPieces = body instanceof ByteChunks;
  if (!memory.tryGrow(isInPieces ? 2 * body.length : body.length)) return first;
  const bytes = isInPieces ? Buffer.concat(body.chunks) : body;
  const isNamed = await namesField(first, forwarding);
  let second: UpstreamResponse | null;
  try {
    second = await resendWithout({ ...outgoing, body: bytes }, forwarding);
  } catch (error) {
    first.body.discard();
    throw error;
  }
  if (second === null || second.status >= 400) {
    second?.body.discard();
    return first;
  }
  first.body.discard();
  const isOurs = inFlight.isUsageAsked && !isClients;
  inFlight.isUsageAsked = false;
  if (!isOurs)
    inFlight.addRepairs([createRepair('stream-options-removed', 'stream_options', 'left out')]);
  // Success alone does not show that the client's field was the reason. Ours must not cost a second request each time.
  if ((isNamed || isOurs) && inFlight.modelSent !== null)
    proxy.refused.add(inFlight.modelSent, 'stream_options');
  return second;
}

/** Sends the request without the field; `null` when it did not reach the service. @throws Problem when its answer was lost */
async function resendWithout(
  outgoing: UpstreamRequest & { readonly body: Buffer },
  forwarding: Forwarding,
): Promise<UpstreamResponse | null> {
  try {
    return await forward({ ...outgoing, body: removeStreamOptions(outgoing.body) }, forwarding);
  } catch (error) {
    if (error instanceof Problem && !mayBeCharged(error.code)) return null;
    throw error;
  }
}

/** Whether an error answer names the field. */
async function namesField(
  answer: UpstreamResponse,
  context: Pick<Forwarding, 'proxy'> & { readonly memory: MemoryAllocator },
): Promise<boolean> {
  const plain = await bufferForInspection(answer, ERROR_LIMIT, context);
  return plain !== null && /stream.?options|include.?usage/i.test(plain.toString('latin1'));
}

/** Whether an answer may reject `stream_options`, and the request was not sent without it yet. */
export function mayBeRefusal(answer: UpstreamResponse, inFlight: InFlightExchange): boolean {
  return (
    answer.status === 400 && !inFlight.repairs.some(({ code }) => code === 'stream-options-removed')
  );
}
