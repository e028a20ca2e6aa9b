import type { Readable } from 'node:stream';
import { forward } from './forward.ts';
import { placeFormOrder } from './form-order.ts';
import type { Located } from './from-here.ts';
import { withTaskId } from './kept-answer.ts';
import { placeOrder } from './order.ts';
import type { ReadOrder } from './order-identity/read-order.ts';
import type { Prepared } from './prepare.ts';
import { followRedirects } from './redirect.ts';
import { isOrder } from './route.ts';
import type { Incoming, Outgoing } from './send.ts';
import { standIn } from './stand-in.ts';
import { mayBeRefusal, withoutStreamOptions } from './stream-options.ts';
import { hearStatus } from './video-status.ts';
import type { Work } from './work.ts';

export interface Asking extends Located {
  readonly prepared: Prepared;
}

/** Asks the service, in the way that the route wants it. Throws Problem. */
export async function obtain(outgoing: Outgoing, asking: Asking, work: Work): Promise<Incoming> {
  const { prepared, route, target } = asking;
  const { body } = outgoing;
  if (prepared.order !== null) return await order(outgoing, prepared, { ...prepared.order, work });
  const forwarding = forwardingOf(body, asking, work);
  const first = await forward(outgoing, forwarding);
  if (route.name === 'video-status') return await hearStatus(first, target, work);
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
  return route.name === 'other' ? await standIn({ first, outgoing, target }, work) : first;
}

async function order(
  outgoing: Outgoing,
  { body, form }: Prepared,
  { identity, shown, work }: ReadOrder & { readonly work: Work },
): Promise<Incoming> {
  if (form !== null) {
    const ordered = await placeFormOrder({ outgoing, form, identity }, work);
    const { incoming, taskId } = ordered;
    return taskId === null ? incoming : withTaskId(ordered, taskId, work.draft);
  }
  if (body !== null && !Buffer.isBuffer(body)) throw new Error('An order was not held.');
  const placed = { outgoing: { ...outgoing, body }, identity, shown, form: false };
  return (await placeOrder(placed, work)).incoming;
}

function forwardingOf(
  body: Buffer | Readable | null,
  { route }: Asking,
  { call, parts, draft }: Work,
) {
  const held = body === null || Buffer.isBuffer(body);
  return { parts, draft, gone: call.gone, repeatable: held && !isOrder(route) };
}

/** Follows the redirect of a video's content (spec section 4.8). */
async function follow(
  first: Incoming,
  outgoing: Outgoing,
  { call, parts, draft }: Work,
): Promise<Incoming> {
  const { connections, ownPorts } = parts;
  const caller = { client: draft.client?.id ?? null, isRetry: false, onLeave: () => undefined };
  const situation = { connections, ownPorts, gone: call.gone, caller };
  const { incoming, repairs } = await followRedirects(first, outgoing, situation);
  draft.note(repairs);
  return incoming;
}
