import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { admit } from './access.ts';
import type { Account } from '../account.ts';
import { HTML_PAGE } from './answer.ts';
import type { Call } from '../call.ts';
import { sendAnswer, type OutgoingResponse } from './send-answer.ts';
import { PLAIN_DELIVERY } from './delivery.ts';
import { errorBody, type ErrorShape, invalid, RefusalError } from './errors.ts';
import { type FieldNames, OTHER_FIELDS } from '../fields.ts';
import { findLastUserText } from '../text/conversation.ts';
import { type ReceivedBody, readBody } from './request-body.ts';
import { type Route, ROUTES } from './routes.ts';
import { chooseScenario, type Scenario } from '../scenarios/scenario.ts';
import { findScenarios } from '../scenarios/scenario-words.ts';
import type { BodyRecorder } from './request-recorder.ts';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly recorder: BodyRecorder;
  readonly account: Account;
}

/** Answers one request: finds the route, authorizes, reads the body, applies the scenario, and sends the answer. Never rejects. */
export async function answerExchange(exchange: Exchange): Promise<void> {
  const { response, request } = exchange;
  const disconnect = new AbortController();
  response.once('close', () => disconnect.abort());
  response.setHeader('x-request-id', randomUUID());
  const acceptEncoding = singleHeader(request, 'accept-encoding') ?? '';
  try {
    await handleRequest(exchange, { response, acceptEncoding, signal: disconnect.signal });
  } catch (error) {
    if (disconnect.signal.aborted || response.headersSent) response.destroy();
    else await sendRefusal(exchange, error);
  }
}

async function handleRequest(
  exchange: Exchange,
  outgoing: Omit<OutgoingResponse, 'entry' | 'gates'>,
): Promise<void> {
  const { request, account } = exchange;
  const [path = ''] = (request.url ?? '').split('?');
  const { route, parameter } = findRoute(request.method ?? '', path);
  const place = route.messages ? 'bearer-or-x-api-key' : 'bearer';
  const credential = admit(request, account.key, place);
  const received = await readBody(exchange, route.takes);
  const scenario = resolveScenario(exchange, {
    credential,
    received,
    limitRequired: route.messages === true,
  });
  if (scenario.opens !== undefined) account.gates.open(scenario.opens);
  const call: Call = {
    ...received,
    headers: request.headers,
    parameter,
    scenario,
    fields: fieldNamesFor(request, account.fields),
    account,
  };
  const answer = scenario.page ? HTML_PAGE : route.answer(call);
  const entry =
    route.billed && !scenario.page
      ? account.books.enter({
          url: request.url ?? '',
          model: typeof received.body['model'] === 'string' ? received.body['model'] : '',
          usage: answer.usage ?? null,
        })
      : null;
  await sendAnswer(
    answer,
    { ...PLAIN_DELIVERY, ...scenario.delivery },
    { ...outgoing, entry, gates: account.gates },
  );
}

function findRoute(method: string, path: string): { route: Route; parameter: string } {
  const routes = ROUTES.filter((route) => route.path.test(path));
  const requested = method === 'HEAD' ? 'GET' : method;
  const route = routes.find((candidate) => candidate.method === requested);
  if (route) return { route, parameter: decode(route.path.exec(path)?.[1] ?? '') };
  if (routes.length === 0) {
    throw new RefusalError({
      status: 404,
      code: 'not_found',
      message: 'There is nothing at this path.',
    });
  }
  const allow = routes.map((candidate) => candidate.method).join(', ');
  throw new RefusalError({
    status: 405,
    code: 'method_not_allowed',
    message: `This path takes ${allow}.`,
    headers: { allow },
  });
}

function decode(parameter: string): string {
  try {
    return decodeURIComponent(parameter);
  } catch {
    throw new RefusalError({
      status: 404,
      code: 'not_found',
      message: 'The path is not well encoded.',
    });
  }
}

interface Admitted {
  readonly credential: string;
  readonly received: ReceivedBody;
  readonly limitRequired: boolean;
}

function resolveScenario(
  { request, account }: Exchange,
  { received, ...admitted }: Admitted,
): Scenario {
  const scenario = chooseScenario(requestedScenarios(request, received, account));
  const token = `${scenario.requested.join(' ')} ${singleHeader(request, 'x-sandbox-token') ?? ''}`;
  const refusedBefore = account.refusals.count(token);
  const refusal = scenario.refuse?.({ ...admitted, body: received.body, refusedBefore });
  if (refusal) {
    account.refusals.add(token);
    throw refusal;
  }
  account.refusals.clear(token);
  return scenario;
}

/**
 * Lists the scenarios of the header; without one that of the model, followed by those in the text, the prompt or the file name. With a
 * fixture only the header counts, because the fixture decides how a request is answered.
 */
function requestedScenarios(
  request: IncomingMessage,
  { body, upload }: ReceivedBody,
  { models, playback }: Account,
): readonly string[] {
  const header = singleHeader(request, 'x-sandbox-scenario');
  if (header !== undefined) return [header];
  if (playback !== undefined) return [];
  const textScenarios = findScenarios(upload?.name ?? body['prompt'] ?? findLastUserText(body));
  const modelScenario = models.find(body['model'])?.scenario;
  return modelScenario === undefined ? textScenarios : [modelScenario, ...textScenarios];
}

function fieldNamesFor(request: IncomingMessage, own: FieldNames): FieldNames {
  const selected = singleHeader(request, 'x-sandbox-fields');
  if (selected === undefined) return own;
  if (selected !== 'other') throw invalid('x-sandbox-fields may only be "other".');
  return OTHER_FIELDS;
}

function singleHeader(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** Sends the refusal immediately; reads a body that is still arriving to its end, so that the connection can be reused. */
async function sendRefusal(exchange: Exchange, error: unknown): Promise<void> {
  const { request, response } = exchange;
  const refusal =
    error instanceof RefusalError
      ? error
      : new RefusalError({ status: 500, code: 'sandbox_error', message: String(error) });
  const shape: ErrorShape = request.url?.startsWith('/v1/messages') ? 'messages' : 'plain';
  response.writeHead(refusal.status, { ...refusal.headers, 'content-type': 'application/json' });
  response.end(JSON.stringify(errorBody(refusal, shape)));
  if (request.readableFlowing === null)
    await readBody(exchange, 'nothing').catch(() => response.destroy());
}
