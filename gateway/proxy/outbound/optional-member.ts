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
 * Sends a request again without a member that its first answer may refuse. Where the client sent it and that does not help, returns the
 * first answer; otherwise the second one, because it answers what the client sent. The first request was not charged: it was refused.
 * @throws Problem when there is no answer to the second request; it may be charged if it was sent.
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
    second = await resend({ ...outgoing, body }, forwarding, isOurs);
  } catch (failure) {
    first.body.discard();
    throw failure;
  }
  const isHelped = second !== null && second.status < 400;
  if (second === null || (!isHelped && !isOurs)) {
    second?.body.discard();
    return first;
  }
  first.body.discard();
  onLeftOut(isHelped ? error : null);
  return second;
}

/** Sends a request; `null` when it did not reach the service and the first answer is still one for the client. @throws Problem */
async function resend(
  outgoing: UpstreamRequest,
  forwarding: Forwarding,
  isOurs: boolean,
): Promise<UpstreamResponse | null> {
  try {
    return await forward(outgoing, forwarding);
  } catch (error) {
    if (!isOurs && error instanceof Problem && !mayBeCharged(error.code)) return null;
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
