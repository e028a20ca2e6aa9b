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
  /** Whether the text of an error says that the model does not take it. */
  readonly isNamedBy: (error: string) => boolean;
  /** Is called when the request is sent without it. */
  readonly onLeftOut: () => void;
  /** Is called when the answer to the request without it is no refusal of what the client sent. `error`: the text of the first refusal. */
  readonly onAnswered: (error: string, isHelped: boolean) => void;
}

/** The statuses below 500 after which the official SDKs repeat a request. */
const REPEATED: ReadonlySet<number> = new Set([408, 409, 429]);

/**
 * Sends a request again without a member that its first answer may refuse. Returns the second answer when that helps. Where only Gatehouse
 * added the member, also returns it when the first one names the member, about which its client must not hear, and when it refuses what
 * the client sent; but not where SDKs would repeat the request because of it. Otherwise returns the first answer. The first request was
 * not charged: it was refused.
 * @throws Problem when the second request has no answer: the service may have taken it, so it may be charged, or the first answer names a member of ours.
 */
export async function sendWithout(
  first: UpstreamResponse,
  outgoing: UpstreamRequest,
  { isOurs, leaveOut, isNamedBy, onLeftOut, onAnswered }: OptionalMember,
  forwarding: Forwarding & { readonly memory: Reservation },
): Promise<UpstreamResponse> {
  const body = leaveOut();
  if (body === null) return first;
  const error = await readError(first, forwarding);
  onLeftOut();
  const isOurFault = isOurs && isNamedBy(error);
  let second: UpstreamResponse;
  try {
    second = await forward({ ...outgoing, body }, forwarding);
  } catch (failure) {
    if (!isOurFault && failure instanceof Problem && !mayBeCharged(failure.code)) return first;
    first.body.discard();
    throw failure;
  }
  const isHelped = second.status < 400;
  const isRefusal = !isHelped && second.status < 500 && !REPEATED.has(second.status);
  if (!isRefusal) onAnswered(error, isHelped);
  const isFinal = isOurs && isRefusal;
  const [given, other] = isHelped || isOurFault || isFinal ? [second, first] : [first, second];
  other.body.discard();
  return given;
}

/** Returns the text of an error; an empty one when it is too long or cannot be decoded. */
async function readError(
  answer: UpstreamResponse,
  context: Pick<Forwarding, 'proxy'> & { readonly memory: MemoryAllocator },
): Promise<string> {
  const plain = await bufferForInspection(answer, ERROR_LIMIT, context);
  return plain === null ? '' : plain.toString('latin1');
}
