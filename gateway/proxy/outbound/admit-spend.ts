import type { Client } from '../../../shared/client.ts';
import { isFree } from '../../../shared/money/charge.ts';
import { UNKNOWN_USAGE, type Usage } from '../../../shared/exchange/usage.ts';
import { matchesPattern } from '../../../shared/name-pattern.ts';
import { Problem } from '../../../shared/problem.ts';
import { ByteChunks } from '../../lib/byte-chunks.ts';
import { parseJsonObject } from '../../lib/json-object.ts';
import { type PriceBook, toVideoLength } from '../../prices/prices.ts';
import { countImages, withImages } from '../request-images.ts';
import { measureRequest } from '../../spend-limits/spend-limits.ts';
import type { ExchangeContext } from '../context.ts';
import type { ReadOrder } from '../order-identity/read-order.ts';
import { findSubagent, type InFlightExchange } from '../in-flight-exchange.ts';
import type { Prepared } from './preparation.ts';

/** Models that a refusal names. */
const MAX_NAMED = 10;
/** Longer names match no pattern. */
const MAX_NAME = 256;

/**
 * Counts a request for an answer of a model against the limits of its client, with what it is expected to use. It must be called right
 * before the request is sent for the first time.
 * @throws Problem local_agent_stopped, local_limit_reached, local_rate_reached, local_model_refused
 */
export function admitText({ body, facts }: Prepared, context: ExchangeContext): void {
  const { proxy, inFlight } = context;
  if (inFlight.client !== null) proxy.runaways.admit(inFlight.client);
  const { estimates } = proxy.spendLimits;
  const chunks = body instanceof ByteChunks ? body.chunks : Buffer.isBuffer(body) ? [body] : [];
  inFlight.size = measureRequest(chunks);
  inFlight.images = hasImagePrice(inFlight, proxy.prices) ? countImages(chunks) : null;
  const of = {
    clientId: inFlight.client?.id ?? null,
    model: inFlight.modelSent ?? '',
    run: inFlight.run,
    streamed: inFlight.streamed,
    size: inFlight.size,
  };
  const maxOutput = facts?.maxOutput ?? null;
  const { input, output } = estimates.estimate(of, maxOutput);
  inFlight.expectedOutput = output;
  const reserved = () => ({ input, output: estimates.reserveOutput(of, maxOutput) });
  admit(context, { input, output }, reserved);
}

/** Whether what a request costs depends on its images. */
function hasImagePrice(
  { service, modelSent, startedAt }: InFlightExchange,
  prices: Pick<PriceBook, 'find'>,
): boolean {
  const price = modelSent === null ? null : prices.find(service, modelSent, startedAt);
  return price !== null && [price, ...price.tiers].some((card) => card.prices.image !== null);
}

/** Refuses a request on another route whose client was stopped, or may not use its model. Its use is not known, so limits do not count it. */
export function admitOther({ proxy, inFlight: { client, modelSent } }: ExchangeContext): void {
  if (client === null) return;
  proxy.runaways.admit(client);
  if (modelSent !== null) checkModel(client, modelSent, proxy.command);
}

/** Counts the order of a video in the same way. */
export function admitVideo({ shown }: Pick<ReadOrder, 'shown'>, context: ExchangeContext): void {
  if (context.inFlight.client !== null) context.proxy.runaways.admit(context.inFlight.client);
  const { seconds, resolution } = parseJsonObject(shown.toString()) ?? {};
  context.inFlight.video = toVideoLength(seconds, resolution);
  admit(context, NO_TOKENS, () => NO_TOKENS);
}

type Tokens = Pick<Usage, 'input' | 'output'>;
const NO_TOKENS: Tokens = { input: null, output: null };

/** Admits a request. `expected`: what is recorded of it after a crash; `reserve`: returns what its limits count until it ends. */
function admit(
  { proxy, inFlight }: ExchangeContext,
  expected: Tokens,
  reserve: () => Tokens,
): void {
  const { client, service, id, startedAt } = inFlight;
  if (client === null || inFlight.admission !== null) return;
  checkModel(client, inFlight.modelSent, proxy.command);
  inFlight.admission = proxy.spendLimits.admit({
    clientId: client.id,
    clientName: client.name,
    scope: isFree(service) ? 'sandbox' : 'services',
    service,
    model: inFlight.modelSent?.slice(0, MAX_NAME) ?? null,
    run: inFlight.run,
    subagent: findSubagent(inFlight),
    at: startedAt,
    expected: () => {
      const { input, output } = reserve();
      const media = withImages(null, inFlight.images);
      const usage = { ...UNKNOWN_USAGE, input, output, media, source: 'estimated' } as const;
      return {
        money: proxy.prices.expectCost(inFlight, usage),
        tokens: (input ?? 0) + (output ?? 0),
      };
    },
  });
  inFlight.endOpen = proxy.openExchanges.begin({
    id,
    startedAt,
    service,
    clientId: client.id,
    clientName: client.name,
    conversation: inFlight.conversation,
    run: inFlight.run,
    sender: inFlight.sender,
    route: inFlight.route,
    method: inFlight.method,
    path: inFlight.pathReceived,
    model: inFlight.modelSent,
    streamed: inFlight.streamed,
    bytesIn: inFlight.bytesIn,
    ...expected,
    images: inFlight.images,
    video: inFlight.video,
  });
}

/** Refuses a model that a client may not use; `null` for a request that names none. @throws Problem local_model_refused */
function checkModel({ name, models }: Client, model: string | null, command: string): void {
  if (models === null) return;
  const isShort = model !== null && model.length <= MAX_NAME;
  if (isShort && models.some((pattern) => matchesPattern(pattern, model))) return;
  const asked = model === null ? 'This request names no model' : `It asked for ${quote(model)}`;
  throw new Problem(
    'local_model_refused',
    `${name} may use ${formatList(models)} only. ${asked}. Nothing was sent. Change it in Gatehouse under Clients, or with the command “${command} clients models”.`,
  );
}

function quote(model: string): string {
  return `“${model.slice(0, MAX_NAME)}”`;
}

function formatList(models: readonly string[]): string {
  const named = models.slice(0, MAX_NAMED).map(quote).join(', ');
  const rest = models.length - MAX_NAMED;
  return rest > 0 ? `${named} and ${rest} more` : models.length === 0 ? 'no model' : named;
}
