import type { Cost } from '../../shared/money/cost.ts';
import type { ExchangeRecord, RouteName, VideoLength } from '../../shared/exchange/exchange.ts';
import { mayBeOrdered, reachedService } from '../../shared/exchange/outcome.ts';
import { type Price, type Prices, selectPrices } from '../../shared/money/price.ts';
import type { ProblemCode } from '../../shared/problem.ts';
import type { Usage } from '../../shared/exchange/usage.ts';

/** The facts of an exchange that decide what it costs. */
export type CostFacts = Pick<
  ExchangeRecord,
  | 'service'
  | 'route'
  | 'status'
  | 'errorCode'
  | 'attempts'
  | 'startedAt'
  | 'modelSent'
  | 'modelAsked'
  | 'modelServed'
  | 'usage'
  | 'video'
>;

/** Reads the length of an ordered video from its members (spec section 4.6); `null` when it cannot be told. */
export function toVideoLength(seconds: unknown, resolution: unknown): VideoLength | null {
  const count = typeof seconds === 'string' && seconds.trim() !== '' ? Number(seconds) : seconds;
  if (typeof count !== 'number' || !(count > 0 && count <= MAX_SECONDS)) return null;
  const text = typeof resolution === 'string' ? resolution : '';
  // A part of a longer text would keep all of that in memory.
  return { seconds: count, resolution: Buffer.from(text.slice(0, MAX_RESOLUTION)).toString() };
}

/** No price is for a longer one. */
const MAX_RESOLUTION = 40;

/** A day; bounds what a video can cost. */
const MAX_SECONDS = 86_400;

/** Finds the price of a model at a service, at a Unix time in milliseconds; `null` when there is none. */
export type FindPrice = (service: string | null, model: string, at: number) => Price | null;

/** A request whose answer has not come. */
export type ExpectedRequest = Omit<CostFacts, 'status' | 'errorCode' | 'attempts' | 'usage'>;

/** Returns the facts of a request as if it were answered with this usage. */
export function toAnswered(request: ExpectedRequest, usage: Usage): CostFacts {
  const { service, route, startedAt, modelSent, modelAsked, modelServed, video } = request;
  const answered = { status: 200, errorCode: null, attempts: 1, usage };
  return { service, route, startedAt, modelSent, modelAsked, modelServed, video, ...answered };
}

const PAID_ROUTES: ReadonlySet<RouteName> = new Set([
  'chat',
  'responses',
  'messages',
  'video-submit',
]);

/** More than any request costs; bounds what a sum can be. */
const MAX_COST = 1e12;

const MILLION = 1_000_000n;

/** Returns the cost of an exchange; `null` when there is nothing to pay. */
export function costOf(facts: CostFacts, findPrice: FindPrice): Cost | null {
  if (!isPaid(facts)) return null;
  const model = facts.modelSent ?? facts.modelAsked ?? facts.modelServed;
  const price = model === null ? null : findPrice(facts.service, model, facts.startedAt);
  if (price === null) return { amount: null, source: 'unpriced', priceId: null };
  return facts.route === 'video-submit' ? videoCost(facts, price) : textCost(facts, price);
}

/**
 * Returns whether a service may charge an exchange that reached it: it was neither refused nor redirected. A client that left before the
 * answer pays, too, one whose answer was lost, and one whose order of a video got an answer that does not say whether it was taken.
 * The caller knows from the connection whether it reached the service: the error code of an answer may be the word of the service.
 */
export function isPaid({
  route,
  status,
  attempts,
  errorCode,
}: Pick<CostFacts, 'route' | 'status' | 'attempts' | 'errorCode'>): boolean {
  if (!PAID_ROUTES.has(route) || attempts === 0) return false;
  // Without an answer the code can only be ours.
  if (status === null) return reachedService({ attempts, status, errorCode, cost: null });
  if (status < 300) return true;
  if (route === 'video-submit') return mayBeOrdered(status);
  return errorCode !== null && mayBeCharged(errorCode);
}

/** Returns whether the service may have taken a request that ended with this error of Gatehouse. */
export function mayBeCharged(errorCode: string): boolean {
  return MAY_BE_CHARGED.has(errorCode);
}

const MAY_BE_CHARGED: ReadonlySet<string> = new Set<ProblemCode>([
  'upstream_connection_lost',
  'upstream_invalid_answer',
  'internal_error',
]);

function videoCost(facts: CostFacts, { id, prices }: Price): Cost {
  const { video } = facts;
  const isBySecond = Object.keys(prices.videoSecond).length > 0;
  if (isBySecond && video === null) return { amount: null, source: 'unknown', priceId: id };
  const second = video === null ? null : findSecondPrice(prices, video.resolution);
  if (second === null && prices.request === null)
    return { amount: null, source: 'unpriced', priceId: id };
  const amount = Math.round((video?.seconds ?? 0) * (second ?? 0)) + (prices.request ?? 0);
  const source = isAnswered(facts) ? 'reported' : 'estimated';
  return { amount: Math.min(amount, MAX_COST), source, priceId: id };
}

/** Whether a whole answer came, so that it is certain that the service charges. */
function isAnswered({ status, errorCode }: CostFacts): boolean {
  return status !== null && status < 300 && errorCode === null;
}

function findSecondPrice({ videoSecond }: Prices, resolution: string): number | null {
  return videoSecond[Object.hasOwn(videoSecond, resolution) ? resolution : '*'] ?? null;
}

/** Returns whether a price decides what a video of this resolution costs. */
export function hasVideoPrice(price: Price | null, resolution: string): boolean {
  if (price === null) return false;
  return findSecondPrice(price.prices, resolution) !== null || price.prices.request !== null;
}

function textCost(facts: CostFacts, price: Price): Cost {
  const { usage } = facts;
  const { id: priceId } = price;
  const prices = selectPrices(price, usage.input ?? 0);
  const images = usage.media?.images ?? null;
  const perRequest = (prices.request ?? 0) + (images ?? 0) * (prices.image ?? 0);
  const isCounted = prices.image === null || images !== null;
  if (!hasTokenPrice(prices)) {
    if (!hasRequestPrice(prices)) return { amount: null, source: 'unpriced', priceId };
    if (prices.request === null && !isCounted) return { amount: null, source: 'unknown', priceId };
    const source = isCounted && isAnswered(facts) ? 'reported' : 'estimated';
    return { amount: Math.min(perRequest, MAX_COST), source, priceId };
  }
  if (usage.source === 'unknown') return { amount: null, source: 'unknown', priceId };
  const amount = tokenCost(usage, prices) + perRequest;
  const isWhole =
    usage.source === 'reported' && usage.input !== null && usage.output !== null && isCounted;
  return {
    amount: Math.min(amount, MAX_COST),
    source: isWhole ? 'reported' : 'estimated',
    priceId,
  };
}

/** Returns whether a price decides what a request for text costs, whatever its length. */
export function hasTextPrice(price: Price | null): boolean {
  if (price === null) return false;
  const all = [price.prices, ...price.tiers.map(({ prices }) => prices)];
  return all.every((prices) => hasTokenPrice(prices) || hasRequestPrice(prices));
}

function hasRequestPrice({ request, image }: Prices): boolean {
  return request !== null || image !== null;
}

function hasTokenPrice({ input, output }: Prices): boolean {
  return input !== null || output !== null;
}

/** Returns the cost of tokens in millionths, rounded once at the end. */
function tokenCost(usage: Usage, prices: Prices): number {
  const { cacheRead, cacheWrite, cacheWriteHour, reasoning } = usage;
  const read = Math.min(cacheRead ?? 0, usage.input ?? 0);
  const written = Math.min(cacheWrite ?? 0, (usage.input ?? 0) - read);
  const forHour = Math.min(cacheWriteHour ?? 0, written);
  const thought = Math.min(reasoning ?? 0, usage.output ?? 0);
  const inputPrice = prices.input ?? 0;
  const outputPrice = prices.output ?? 0;
  const writePrice = prices.cacheWrite ?? inputPrice;
  const total =
    times((usage.input ?? 0) - read - written, inputPrice) +
    times(read, prices.cacheRead ?? inputPrice) +
    times(written - forHour, writePrice) +
    times(forHour, prices.cacheWriteHour ?? writePrice) +
    times((usage.output ?? 0) - thought, outputPrice) +
    times(thought, prices.reasoning ?? outputPrice);
  return Number((total + MILLION / 2n) / MILLION);
}

/** The product may exceed the exact integers of a number. */
function times(tokens: number, price: number): bigint {
  return BigInt(tokens) * BigInt(price);
}
