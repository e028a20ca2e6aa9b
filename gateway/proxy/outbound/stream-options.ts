import { Problem } from '../../../shared/problem.ts';
import type { Reservation, MemoryAllocator } from '../../lib/memory-budget.ts';
import type { InFlightExchange } from '../in-flight-exchange.ts';
import { forward, type Forwarding } from './forward.ts';
import { ERROR_LIMIT, bufferDecodedBody } from '../response/buffer-body.ts';
import { createRepair } from '../repair/create-repair.ts';
import { removeStreamOptions } from '../repair/body.ts';
import type { UpstreamResponse, UpstreamRequest } from '../../http/send.ts';

/**
 * Some models refuse `stream_options` (spec section 4.2). Asks once more without it; when that does not help, the first answer
 * stands. When it helps and the first answer named the field, the model is remembered. A 400 is a refusal, so the first request
 * created no charge.
 */
export async function withoutStreamOptions(
  first: UpstreamResponse,
  outgoing: UpstreamRequest & { readonly body: Buffer },
  forwarding: Forwarding & { readonly memory: Reservation },
): Promise<UpstreamResponse> {
  const { proxy, inFlight, memory } = forwarding;
  // The other body stands beside the first.
  if (!memory.tryGrow(outgoing.body.length)) return first;
  const named = await namesField(first, memory);
  const second = await resendWithout(outgoing, forwarding);
  if (second === null || second.status >= 400) {
    second?.body.discard();
    return first;
  }
  first.body.discard();
  inFlight.addRepairs([createRepair('stream-options-removed', 'stream_options', 'left out')]);
  // A success alone does not show that the field was the reason: the first answer has to name it, too.
  if (named && inFlight.modelSent !== null) proxy.refused.add(inFlight.modelSent, 'stream_options');
  return second;
}

/** The answer without the field; `null` when there is none to be had. */
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

/** Whether a refusal names the field, whatever its words are. */
async function namesField(answer: UpstreamResponse, memory: MemoryAllocator): Promise<boolean> {
  const plain = await bufferDecodedBody(answer, ERROR_LIMIT, memory);
  return plain !== null && /stream.?options|include.?usage/i.test(plain.toString('latin1'));
}

/** Whether an answer may be a refusal of `stream_options` that is still worth a second try. */
export function mayBeRefusal(answer: UpstreamResponse, inFlight: InFlightExchange): boolean {
  return (
    answer.status === 400 && !inFlight.repairs.some(({ code }) => code === 'stream-options-removed')
  );
}
