import { createRepair } from '../repair/create-repair.ts';
import type { Readable } from 'node:stream';
import { forward } from './forward.ts';
import { placeFormOrder } from '../videos/submit-form-order.ts';
import { addTaskId } from '../videos/stored-response.ts';
import { placeOrder } from '../videos/submit-order.ts';
import type { ReadOrder } from '../order-identity/read-order.ts';
import type { Prepared } from './prepare.ts';
import { followRedirects } from '../../http/redirect.ts';
import { isOrder, type ResolvedRoute } from '../route.ts';
import type { UpstreamResponse, UpstreamRequest } from '../../http/send.ts';
import { respondInPlace } from '../response/local-response.ts';
import { mayBeRefusal, withoutStreamOptions } from './stream-options.ts';
import { recordStatusResponse } from '../videos/status-poll.ts';
import type { ExchangeContext } from '../context.ts';

export interface UpstreamCall extends ResolvedRoute {
  readonly prepared: Prepared;
}

/** Sends a request to the service in the manner of its route. @throws Problem */
export async function callUpstream(
  upstreamRequest: UpstreamRequest,
  upstreamCall: UpstreamCall,
  context: ExchangeContext,
): Promise<UpstreamResponse> {
  const { prepared, route, target } = upstreamCall;
  const { body } = upstreamRequest;
  if (prepared.order !== null)
    return await order(upstreamRequest, prepared, { ...prepared.order, context });
  const forwarding = toForwarding(body, upstreamCall, context);
  const first = await forward(upstreamRequest, forwarding);
  if (route.name === 'video-status')
    return await recordStatusResponse(first, upstreamCall, context);
  if (context.proxy.strict) return first;
  if (route.name === 'chat' && prepared.facts?.hasStreamOptions === true && Buffer.isBuffer(body)) {
    return mayBeRefusal(first, context.inFlight)
      ? await withoutStreamOptions(
          first,
          { ...upstreamRequest, body },
          { ...forwarding, memory: context.memory },
        )
      : first;
  }
  if (route.name === 'video-content') return await follow(first, upstreamRequest, context);
  return route.name === 'other'
    ? await respondInPlace({ first, upstreamRequest, path: target.path }, context)
    : first;
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
  body: Buffer | Readable | null,
  { route }: UpstreamCall,
  { call, proxy, inFlight }: ExchangeContext,
) {
  const isBuffered = body === null || Buffer.isBuffer(body);
  return { proxy, inFlight, signal: call.signal, retryable: isBuffered && !isOrder(route) };
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
