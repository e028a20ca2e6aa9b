import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { Problem } from '../../shared/problem.ts';
import { admit, headOf } from './admit.ts';
import { type Call, CallerGone } from './call.ts';
import { deliver } from './deliver.ts';
import { Draft } from './draft.ts';
import { answerFromHere, type Located } from './from-here.ts';
import { type Identified, identify } from './identify.ts';
import { asksForWebSocket } from './listener.ts';
import { allowOrigin } from './local-answer.ts';
import { obtain } from './obtain.ts';
import type { ProxyParts } from './parts.ts';
import { type Prepared, prepare } from './prepare.ts';
import { protocolHint, refuse } from './refuse.ts';
import { repairPath } from './repair/path.ts';
import { isOrder, routeOf } from './route.ts';
import type { Incoming, Outgoing } from './send.ts';
import { serviceCredentials } from './service-key.ts';
import { strictPath } from './strict.ts';
import { paused } from './turned-away.ts';
import type { Work } from './work.ts';
import type { Release } from './wrong-keys.ts';

/** One request's way through the gateway, top to bottom. Steps never call each other. Always recorded; rejects only when not even a refusal could be answered. */
export async function exchange(call: Call, parts: ProxyParts): Promise<void> {
  const draft = openDraft(call, parts);
  parts.drafts.add(draft);
  const memory = parts.memory.open();
  const work = { call, parts, draft, memory };
  let protocol = protocolHint(draft);
  let order = false;
  let prepared: Prepared | null = null;
  let incoming: Incoming | null = null;
  try {
    admit(headOf(call.request), parts.gate);
    allowOrigin(call);
    const turnedAway = parts.turnedAway();
    if (turnedAway !== null) throw turnedAway;
    const identified = await identify(call.request, parts, draft);
    memory.assign(draft.client?.id ?? '');
    call.gone.throwIfAborted();
    refuseUpgrade(call.request);
    const located = locate(identified, work);
    parts.onRunning();
    ({ protocol } = located.route);
    order = isOrder(located.route);
    incoming = await answerFromHere(located, work);
    if (incoming === null && parts.paused()) throw paused();
    call.goOn();
    const { headers } = identified;
    const { route } = located;
    prepared = await prepare({ request: call.request, headers, route, parts, draft, memory });
    incoming ??= await obtain(address(prepared, located, work), { ...located, prepared }, work);
    await deliver(incoming, { ...work, route });
  } catch (error) {
    letGo(prepared, incoming);
    // Nothing is awaited before any other refusal: what follows the head may be what cannot be read.
    const release = isWrongKey(error) ? await slowDown(work) : 'answer';
    if (error instanceof CallerGone || call.gone.aborted) draft.endedBy = 'client';
    else if (release === 'end') endUnanswered(work);
    else await refuse(call, error, { parts, draft, protocol, order });
  } finally {
    if (draft.endedBy === 'client' && parts.cutting.aborted) blameGateway(draft);
    memory.release();
    parts.drafts.delete(draft);
    parts.onRunning();
    // Who is not known is turned away before the path is looked at. Its beginning tells its route, and the rest may be long.
    if (draft.client === null) {
      draft.route = routeOf(draft.method, draft.clip(draft.pathReceived)).name;
    }
    parts.unknownCallers.count(draft);
    parts.record(draft.finish(), draft.heads);
  }
}

function isWrongKey(error: unknown): boolean {
  return error instanceof Problem && error.code === 'invalid_local_key';
}

/** Holds the refusal of a wrong local key back when there were many. It is not among the exchanges that are shown as running meanwhile. */
async function slowDown({ call, parts, draft }: Work): Promise<Release> {
  if (!parts.wrongKeys.count(draft.userAgent ?? '')) return 'answer';
  parts.drafts.delete(draft);
  dropHead(call.request, draft);
  return await parts.wrongKeys.hold(call.gone);
}

/** Drops what a refusal does not need of a head, which may have 64 KiB: all but the two fields that tell of a body. */
function dropHead(request: IncomingMessage, draft: Draft): void {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
  draft.shorten();
  request.url = '';
  request.rawHeaders = [];
  request.headers = {
    ...(length === undefined ? {} : { 'content-length': length }),
    ...(coding === undefined ? {} : { 'transfer-encoding': coding }),
  };
}

/** Ends the connection of a refusal that is not held any longer. */
function endUnanswered({ call, draft }: Work): void {
  draft.errorCode = 'invalid_local_key';
  draft.errorMessage =
    'This local key is not known here. The connection was ended without an answer: too many refusals of wrong keys were held back, or Gatehouse was closing.';
  call.request.socket.destroy();
}

/** Whoever seems to leave while the gateway cuts its connections did not leave. */
function blameGateway(draft: Draft): void {
  draft.endedBy = 'gateway';
  draft.errorCode ??= 'shutting_down';
}

/** After a failure nobody reads the client's upload or the service's answer any more. */
function letGo(prepared: Prepared | null, incoming: Incoming | null): void {
  if (prepared?.body instanceof Readable) prepared.body.destroy();
  incoming?.body.abort(new CallerGone('The answer could not be passed on.'));
}

function openDraft({ request }: Call, parts: ProxyParts): Draft {
  const startedAt = parts.now();
  return new Draft({
    id: parts.ids.next(startedAt),
    startedAt,
    method: request.method ?? 'GET',
    // Until its credentials are removed, a query is not recorded.
    path: (request.url ?? '/').replace(/\?.*$/s, ''),
    userAgent: request.headers['user-agent'] ?? null,
    headers: request.rawHeaders,
    redact: parts.redact,
  });
}

function refuseUpgrade(request: IncomingMessage): void {
  if (!asksForWebSocket(request)) return;
  throw new Problem(
    'upgrade_not_supported',
    'Gatehouse speaks HTTP here, not WebSocket. Send the same request with POST; for Codex, set supports_websockets = false for this provider.',
  );
}

function locate(identified: Identified, { call, parts, draft }: Work): Located {
  const base = `http://127.0.0.1:${call.request.socket.localPort}`;
  const { target, repairs } = parts.strict
    ? strictPath(identified.target)
    : repairPath(draft.method, identified.target, base);
  const route = routeOf(draft.method, target);
  draft.route = route.name;
  draft.note(repairs);
  draft.note(identified.credentialAdvice(route));
  return { target, route };
}

function address(prepared: Prepared, located: Located, { parts, draft }: Work): Outgoing {
  const { target, gate } = parts;
  const path = target.basePath + located.target;
  draft.pathSent = path;
  draft.keySent = parts.key.current();
  return {
    origin: target.origin,
    path,
    method: draft.method,
    headers: [
      ...prepared.headers,
      'via',
      `1.1 ${gate.via}`,
      ...serviceCredentials(parts.key, located.route),
    ],
    body: prepared.body,
  };
}
