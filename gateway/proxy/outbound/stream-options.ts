import { Problem } from '../../../shared/problem.ts';
import type { Reservation, MemoryAllocator } from '../../lib/memory-budget.ts';
import type { InFlightExchange } from '../in-flight-exchange.ts';
import { forward, type Forwarding } from './forward.ts';
import { ERROR_LIMIT, bufferDecodedBody } from '../response/inspect-response.ts';
import { createRepair } from '../repair/create-repair.ts';
import { removeStreamOptions } from '../repair/body/body.ts';
import type { UpstreamResponse, UpstreamRequest } from '../../http/send.ts';

/**
 * Sends a request again without `stream_options`, which some models reject (spec section 4.2). Returns the first answer when that does
 * not help. When it helps and the first answer named the field, the model is remembered. The first request was not charged, because it
 * was answered with 400.
 */
export async function withoutStreamOptions(
  first: UpstreamResponse,
  outgoing: UpstreamRequest & { readonly body: Buffer },
  forwarding: Forwarding & { readonly memory: Reservation },
): Promise<UpstreamResponse> {
  const { proxy, inFlight, memory } = forwarding;
  // Both bodies are in memory.
  if (!memory.tryGrow(outgoing.body.length)) return first;
  const isNamed = await namesField(first, memory);
  const second = await resendWithout(outgoing, forwarding);
  if (second === null || second.status >= 400) {
    second?.body.discard();
    return first;
  }
  first.body.discard();
  inFlight.addRepairs([createRepair('stream-options-removed', 'stream_options', 'left out')]);
  // Success alone does not show that the field was the reason.
  if (isNamed && inFlight.modelSent !== null)
    proxy.refused.add(inFlight.modelSent, 'stream_options');
  return second;
}

/** Sends the request without the field; `null` when no answer comes. */
async function resendWithout(
  outgoing: UpstreamRequest & { readonly body: Buffer },
  forwarding: Forwarding,
): Promise<UpstreamResponse | null> {
  try {
    return await forward({ ...outgoing, body: removeStreamOptions(outgoing.body) }, forwarding);
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

/** Whether an error answer names the field. */
async function namesField(answer: UpstreamResponse, memory: MemoryAllocator): Promise<boolean> {
  const plain = await bufferDecodedBody(answer, ERROR_LIMIT, memory);
  return plain !== null && /stream.?options|include.?usage/i.test(plain.toString('latin1'));
}

/** Whether an answer may reject `stream_options`, and the request was not sent without it yet. */
export function mayBeRefusal(answer: UpstreamResponse, inFlight: InFlightExchange): boolean {
  return (
    answer.status === 400 && !inFlight.repairs.some(({ code }) => code === 'stream-options-removed')
  );
}
