import { createRepair } from '../repair/create-repair.ts';
import { Readable } from 'node:stream';
import type { ByteChunks } from '../../lib/byte-chunks.ts';
import { admitOther, admitText } from './admit-spend.ts';
import { forward } from './forward.ts';
import { placeFormOrder } from '../videos/place-form-order.ts';
import { addTaskId } from '../videos/stored-response.ts';
import { placeOrder } from '../videos/place-order.ts';
import type { ReadOrder } from '../order-identity/read-order.ts';
import type { Prepared } from './preparation.ts';
import { followRedirects } from '../../http/redirect.ts';
import { isOrder, type ResolvedRoute } from '../route.ts';
import type { UpstreamResponse, UpstreamRequest } from '../../http/send.ts';
import { respondInPlace } from '../response/local-response.ts';
import { createCacheQuestion } from './cache-question.ts';
import { type OptionalMember, sendWithout } from './optional-member.ts';
import { createStreamOptions } from './stream-options.ts';
import { recordStatusResponse } from '../videos/status-poll.ts';
import type { ExchangeContext } from '../context.ts';

export interface UpstreamCall extends ResolvedRoute {
  readonly prepared: Prepared;
}

/** Sends a request to the service in the manner of its route. @throws Problem */
export function callUpstream(
  upstreamRequest: UpstreamRequest,
  upstreamCall: UpstreamCall,
  context: ExchangeContext,
): Promise<UpstreamResponse> {
  const { prepared, route } = upstreamCall;
  if (prepared.order !== null)
    return order(upstreamRequest, prepared, { ...prepared.order, context });
  const isText = route.protocol !== null && route.name !== 'other';
  if (isText) admitText(prepared, context);
  else admitOther(context);
  const first = forward(upstreamRequest, toForwarding(upstreamRequest.body, upstreamCall, context));
  const mayNeedMore = !isText || hasOptionalMember(prepared, context);
  return mayNeedMore ? adaptResponse(first, { ...upstreamCall, upstreamRequest, context }) : first;
}

interface AdaptedCall extends UpstreamCall {
  readonly upstreamRequest: UpstreamRequest;
  readonly context: ExchangeContext;
}

/** Sends a request again, or answers it in another way, where its route and its first response need that. */
async function adaptResponse(
  answering: Promise<UpstreamResponse>,
  call: AdaptedCall,
): Promise<UpstreamResponse> {
  const first = await answering;
  try {
    return await adapt(first, call);
  } catch (error) {
    // Nobody else would end it. A complete one stays as it is.
    first.body.abort(error instanceof Error ? error : new Error(String(error)));
    throw error;
  }
}

async function adapt(first: UpstreamResponse, call: AdaptedCall): Promise<UpstreamResponse> {
  const { route, target, upstreamRequest, context } = call;
  const { body } = upstreamRequest;
  if (route.name === 'video-status') return await recordStatusResponse(first, call, context);
  if (context.proxy.strict) return first;
  const member = isBuffered(body) ? findOptionalMember(body, call) : null;
  if (member?.mayBeRefusedBy(first.status) === true) {
    const forwarding = { ...toForwarding(body, call, context), memory: context.memory };
    return await sendWithout(first, upstreamRequest, member, forwarding);
  }
  context.inFlight.dropUnasked();
  if (route.name === 'video-content') return await follow(first, upstreamRequest, context);
  return route.name === 'other'
    ? await respondInPlace({ first, upstreamRequest, path: target.path }, context)
    : first;
}

/** Whether a request is sent with a member that its model may refuse, its client's or ours. */
function hasOptionalMember({ facts }: Prepared, { inFlight }: ExchangeContext): boolean {
  if (facts?.hasStreamOptions === true || inFlight.isUsageAsked) return true;
  return inFlight.cacheQuestion !== null && inFlight.cacheQuestion.unasked !== null;
}

/** Returns the member of a request that its model may refuse; there is one at most, because one is of chat and one of the other protocols. */
function findOptionalMember(
  body: Buffer | ByteChunks,
  { route, prepared, context }: AdaptedCall,
): OptionalMember | null {
  if (route.name !== 'chat') return createCacheQuestion(context);
  const isClients = prepared.facts?.hasStreamOptions === true;
  if (!isClients && !context.inFlight.isUsageAsked) return null;
  return createStreamOptions(body, isClients, context);
}

async function order(
  upstreamRequest: UpstreamRequest,
  { body, form }: Prepared,
  { identity, shown, context }: ReadOrder & { readonly context: ExchangeContext },
): Promise<UpstreamResponse> {
  if (form !== null) {
    const ordered = await placeFormOrder({ upstreamRequest, form, identity }, context);
    const { upstreamResponse, taskId } = ordered;
    return taskId === null ? upstreamResponse : addTaskId(ordered, taskId, context.inFlight);
  }
  if (body !== null && !Buffer.isBuffer(body))
    throw new Error('The body of an order was not buffered.');
  const placed = { outgoing: { ...upstreamRequest, body }, identity, shown, form: false };
  return (await placeOrder(placed, context)).upstreamResponse;
}

function toForwarding(
  body: UpstreamRequest['body'],
  { route }: UpstreamCall,
  { call, proxy, inFlight }: ExchangeContext,
) {
  const retryable = (body === null || isBuffered(body)) && !isOrder(route);
  return { proxy, inFlight, signal: call.signal, retryable };
}

function isBuffered(body: UpstreamRequest['body']): body is Buffer | ByteChunks {
  return body !== null && !(body instanceof Readable);
}

/** Follows the redirect of a video's content (spec section 4.8). */
async function follow(
  first: UpstreamResponse,
  upstreamRequest: UpstreamRequest,
  { call, proxy, inFlight }: ExchangeContext,
): Promise<UpstreamResponse> {
  const { connections, ownPorts } = proxy;
  const caller = { client: inFlight.client?.id ?? null, isRetry: false, onLeave: () => undefined };
  const redirectContext = { connections, ownPorts, signal: call.signal, caller };
  const { response, redirectedTo } = await followRedirects(first, upstreamRequest, redirectContext);
  if (redirectedTo !== null) {
    inFlight.addRepairs([createRepair('redirect-followed', 'redirect', redirectedTo)]);
  }
  return response;
}
