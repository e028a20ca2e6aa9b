import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { admit } from './access.ts';
import type { Account } from './account.ts';
import { PAGE } from './answer.ts';
import type { Call } from './call.ts';
import { deliver, type Wire } from './deliver.ts';
import { PLAIN_DELIVERY } from './delivery.ts';
import { errorBody, type ErrorShape, invalid, Refusal } from './errors.ts';
import { type FieldNames, OTHER_FIELDS } from './fields.ts';
import { spokenIn } from './conversation.ts';
import { type Intake, readBody } from './intake.ts';
import { findModel } from './models.ts';
import { type Route, ROUTES } from './routes.ts';
import { chooseScenario, type Scenario } from './scenario.ts';
import { scenariosIn } from './scenario-words.ts';
import type { BodyNote } from './seen.ts';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly note: BodyNote;
  readonly account: Account;
}

/** Answers one request: finds the route, admits, reads, misbehaves if asked to, works, delivers. Never rejects. */
export async function answerExchange(exchange: Exchange): Promise<void> {
  const { response, request } = exchange;
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  response.setHeader('x-request-id', randomUUID());
  const acceptEncoding = headerOf(request, 'accept-encoding') ?? '';
  try {
    await work(exchange, { response, acceptEncoding, signal: gone.signal });
  } catch (error) {
    if (gone.signal.aborted || response.headersSent) response.destroy();
    else await refuse(exchange, error);
  }
}

async function work(exchange: Exchange, wire: Wire): Promise<void> {
  const { request, account } = exchange;
  const [path = ''] = (request.url ?? '').split('?');
  const { route, parameter } = findRoute(request.method ?? '', path);
  const place = route.messages ? 'bearer-or-x-api-key' : 'bearer';
  const credential = admit(request, account.key, place);
  const intake = await readBody(exchange, route.takes);
  const scenario = scenarioOf(exchange, {
    credential,
    intake,
    limitRequired: route.messages === true,
  });
  const call: Call = {
    ...intake,
    headers: request.headers,
    parameter,
    scenario,
    fields: fieldsOf(request, account.fields),
    account,
  };
  const answer = scenario.page ? PAGE : route.answer(call);
  if (route.billed && !scenario.page) account.charge();
  await deliver(answer, { ...PLAIN_DELIVERY, ...scenario.delivery }, wire);
}

function findRoute(method: string, path: string): { route: Route; parameter: string } {
  const here = ROUTES.filter((route) => route.path.test(path));
  const asked = method === 'HEAD' ? 'GET' : method;
  const route = here.find((candidate) => candidate.method === asked);
  if (route) return { route, parameter: decode(route.path.exec(path)?.[1] ?? '') };
  if (here.length === 0) {
    throw new Refusal({
      status: 404,
      code: 'not_found',
      message: 'There is nothing at this path.',
    });
  }
  const allow = here.map((candidate) => candidate.method).join(', ');
  throw new Refusal({
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
    throw new Refusal({ status: 404, code: 'not_found', message: 'The path is not well encoded.' });
  }
}

interface Admitted {
  readonly credential: string;
  readonly intake: Intake;
  readonly limitRequired: boolean;
}

function scenarioOf({ request, account }: Exchange, { intake, ...admitted }: Admitted): Scenario {
  const scenario = chooseScenario(scenariosOf(request, intake));
  const token = `${scenario.asked.join(' ')} ${headerOf(request, 'x-sandbox-token') ?? ''}`;
  const refusedBefore = account.refusals.count(token);
  const refusal = scenario.refuse?.({ ...admitted, body: intake.body, refusedBefore });
  if (refusal) {
    account.refusals.add(token);
    throw refusal;
  }
  account.refusals.clear(token);
  return scenario;
}

/** Those of the header; else that of the model and, winning over it, those in the text, the prompt or the name of the file. */
function scenariosOf(request: IncomingMessage, { body, upload }: Intake): readonly string[] {
  const header = headerOf(request, 'x-sandbox-scenario');
  if (header !== undefined) return [header];
  const words = scenariosIn(upload?.name ?? body['prompt'] ?? spokenIn(body));
  const ofModel = findModel(body['model'])?.scenario;
  return ofModel === undefined ? words : [ofModel, ...words];
}

function fieldsOf(request: IncomingMessage, own: FieldNames): FieldNames {
  const asked = headerOf(request, 'x-sandbox-fields');
  if (asked === undefined) return own;
  if (asked !== 'other') throw invalid('x-sandbox-fields may only be "other".');
  return OTHER_FIELDS;
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** Answers with the refusal at once; a body that is still arriving is read to its end, so that the connection can be used again. */
async function refuse(exchange: Exchange, error: unknown): Promise<void> {
  const { request, response } = exchange;
  const refusal =
    error instanceof Refusal
      ? error
      : new Refusal({ status: 500, code: 'sandbox_error', message: String(error) });
  const shape: ErrorShape = request.url?.startsWith('/v1/messages') ? 'messages' : 'plain';
  response.writeHead(refusal.status, { ...refusal.headers, 'content-type': 'application/json' });
  response.end(JSON.stringify(errorBody(refusal, shape)));
  if (request.readableFlowing === null)
    await readBody(exchange, 'nothing').catch(() => response.destroy());
}
