import { createRepair } from '../repair/create-repair.ts';
import type { Readable } from 'node:stream';
import { forward } from './forward.ts';
import { placeFormOrder } from '../videos/submit-form-order.ts';
import type { ResolvedRoute } from '../videos/local-video-response.ts';
import { addTaskId } from '../videos/stored-response.ts';
import { placeOrder } from '../videos/submit-order.ts';
import type { ReadOrder } from '../order-identity/read-order.ts';
import type { Prepared } from './prepare.ts';
import { followRedirects } from '../../http/redirect.ts';
import { isOrder } from '../route.ts';
import type { UpstreamResponse, UpstreamRequest } from '../../http/send.ts';
import { respondInPlace } from '../response/local-response.ts';
import { mayBeRefusal, withoutStreamOptions } from './stream-options.ts';
import { recordStatusResponse } from '../videos/status-poll.ts';
import type { ExchangeContext } from '../exchange-context.ts';

export interface UpstreamCall extends ResolvedRoute {
  readonly prepared: Prepared;
}

/** Asks the service, in the way that the route wants it. Throws Problem. */
export async function callUpstream(
  outgoing: UpstreamRequest,
  asking: UpstreamCall,
  work: ExchangeContext,
): Promise<UpstreamResponse> {
  const { prepared, route, target } = asking;
  const { body } = outgoing;
  if (prepared.order !== null) return await order(outgoing, prepared, { ...prepared.order, work });
  const forwarding = toForwarding(body, asking, work);
  const first = await forward(outgoing, forwarding);
  if (route.name === 'video-status') return await recordStatusResponse(first, target, work);
  if (work.parts.strict) return first;
  if (route.name === 'chat' && prepared.facts?.hasStreamOptions === true && Buffer.isBuffer(body)) {
    return mayBeRefusal(first, work.draft)
      ? await withoutStreamOptions(
          first,
          { ...outgoing, body },
          { ...forwarding, memory: work.memory },
        )
      : first;
  }
  if (route.name === 'video-content') return await follow(first, outgoing, work);
  return route.name === 'other' ? await respondInPlace({ first, outgoing, target }, work) : first;
}

async function order(
  outgoing: UpstreamRequest,
  { body, form }: Prepared,
  { identity, shown, work }: ReadOrder & { readonly work: ExchangeContext },
): Promise<UpstreamResponse> {
  if (form !== null) {
    const ordered = await placeFormOrder({ outgoing, form, identity }, work);
    const { incoming, taskId } = ordered;
    return taskId === null ? incoming : addTaskId(ordered, taskId, work.draft);
  }
  if (body !== null && !Buffer.isBuffer(body)) throw new Error('An order was not held.');
  const placed = { outgoing: { ...outgoing, body }, identity, shown, form: false };
  return (await placeOrder(placed, work)).incoming;
}

function toForwarding(
  body: Buffer | Readable | null,
  { route }: UpstreamCall,
  { call, parts, draft }: ExchangeContext,
) {
  const held = body === null || Buffer.isBuffer(body);
  return { parts, draft, gone: call.gone, repeatable: held && !isOrder(route) };
}

/** Follows the redirect of a video's content (spec section 4.8). */
async function follow(
  first: UpstreamResponse,
  outgoing: UpstreamRequest,
  { call, parts, draft }: ExchangeContext,
): Promise<UpstreamResponse> {
  const { connections, ownPorts } = parts;
  const caller = { client: draft.client?.id ?? null, isRetry: false, onLeave: () => undefined };
  const situation = { connections, ownPorts, gone: call.gone, caller };
  const { response, redirectedTo } = await followRedirects(first, outgoing, situation);
  if (redirectedTo !== null) {
    draft.addRepairs([createRepair('redirect-followed', 'redirect', redirectedTo)]);
  }
  return response;
}
