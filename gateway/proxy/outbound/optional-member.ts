import { Problem } from '../../../shared/problem.ts';
import { mayBeCharged } from '../../prices/prices.ts';
import type { Reservation, MemoryAllocator } from '../../lib/memory-budget.ts';
import type { ByteChunks } from '../../lib/byte-chunks.ts';
import { forward, type Forwarding } from './forward.ts';
import { ERROR_LIMIT, bufferForInspection } from '../response/inspect-response.ts';
import type { UpstreamResponse, UpstreamRequest } from '../../http/send.ts';

/** A member of a request that not every model accepts, and without which the request is sent again when it may have been refused. */
export interface OptionalMember {
  /** Whether its client did not send it, and only Gatehouse has added it. */
  readonly isOurs: boolean;
  /** Whether an answer with this status may refuse it. */
  readonly mayBeRefusedBy: (status: number) => boolean;
  /** Returns the body without it; `null` when there is no memory for that. */
  readonly leaveOut: () => Buffer | ByteChunks | null;
  /** Is called when the client gets the answer to the request without it. `error`: the text of the refusal; `null` when the second request failed, too. */
  readonly onLeftOut: (error: string | null) => void;
}

/**
 * Sends a request again without a member that its first answer may refuse. Returns the second answer when that helps. Where only Gatehouse
 * added the member, returns it also when it refuses what the client sent, but not where SDKs would repeat the request because of it:
 * otherwise returns the first answer. The first request was not charged: it was refused.
 * @throws Problem when the service may have taken the second request, but its answer was lost: it may be charged.
 */
export async function sendWithout(
  first: UpstreamResponse,
  outgoing: UpstreamRequest,
  { isOurs, leaveOut, onLeftOut }: OptionalMember,
  forwarding: Forwarding & { readonly memory: Reservation },
): Promise<UpstreamResponse> {
  const body = leaveOut();
  if (body === null) return first;
  const error = await readError(first, forwarding);
  let second: UpstreamResponse | null;
  try {
    second = await resend({ ...outgoing, body }, forwarding);
  } catch (failure) {
    first.body.discard();
    throw failure;
  }
  const status = second === null ? 0 : second.status;
  const isHelped = status < 400;
  const isFinal = isHelped || (isOurs && status < 500 && status !== 429);
  if (second === null || !isFinal) {
    second?.body.discard();
    return first;
  }
  first.body.discard();
  onLeftOut(isHelped ? error : null);
  return second;
}

/** Sends a request; `null` when it did not reach the service. @throws Problem when its answer was lost */
async function resend(
  outgoing: UpstreamRequest,
  forwarding: Forwarding,
): Promise<UpstreamResponse | null> {
  try {
    return await forward(outgoing, forwarding);
  } catch (error) {
    if (error instanceof Problem && !mayBeCharged(error.code)) return null;
    throw error;
  }
}

/** Returns the text of an error; an empty one when it is too long or cannot be decoded. */
async function readError(
  answer: UpstreamResponse,
  context: Pick<Forwarding, 'proxy'> & { readonly memory: MemoryAllocator },
): Promise<string> {
  const plain = await bufferForInspection(answer, ERROR_LIMIT, context);
  return plain === null ? '' : plain.toString('latin1');
}
