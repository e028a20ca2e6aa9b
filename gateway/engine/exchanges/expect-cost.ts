import type { ClientId } from '../../../shared/client.ts';
import { NO_MEDIA, UNKNOWN_USAGE, type Usage } from '../../../shared/exchange/usage.ts';
import type { LaneSize } from '../../chat/chat.ts';
import type { Repositories } from '../../repositories.ts';
import type { UpstreamSessions } from '../../upstreams/upstream-sessions.ts';

/** Tokens of a request that are known before it is sent. `first`: those of an earlier one and its size, of which only what differs is estimated. */
export interface KnownTokens extends Partial<Pick<Usage, 'input' | 'output'>> {
  readonly first?: FirstRequest;
}

type RequestSize = Pick<LaneSize, 'bytes' | 'images'>;

interface FirstRequest extends RequestSize {
  readonly input: number;
}

interface CostOptions {
  readonly repositories: Pick<Repositories, 'aliases' | 'host' | 'openSpendLimits' | 'prices'>;
  readonly sessions: Pick<UpstreamSessions, 'current'>;
}

/** What a request would cost, in millionths of the currency; `null` when its price is not known. `model`: the one that it would be sent to. */
export interface ExpectedCost {
  readonly model: string;
  readonly amount: number | null;
}

/**
 * Returns a function that says what a request of a client would cost at the service in use. Tokens that are known, such as those of an equal request, precede estimated ones.
 */
export async function createCostEstimate(
  clientId: ClientId,
  { repositories, sessions }: CostOptions,
): Promise<(size: LaneSize, known?: KnownTokens) => ExpectedCost> {
  const { aliases, prices, host } = repositories;
  const { estimates } = await repositories.openSpendLimits();
  return ({ model: name, maxTokens, bytes, images }, { first, ...known } = {}) => {
    const size = { bytes, images };
    const { binding, models: offered } = sessions.current;
    const isOffered = offered.has(name) || offered.known().length === 0;
    const fallback = isOffered ? null : aliases.findDefault(clientId);
    const model = (aliases.find(clientId, name) ?? fallback)?.model ?? name;
    const of = { clientId, model, streamed: true, size };
    const media = { ...NO_MEDIA, images: size.images };
    const estimateInput = (part: RequestSize) => estimates.estimate({ ...of, size: part }, 0).input;
    const usage = {
      ...UNKNOWN_USAGE,
      ...estimates.estimate(of, maxTokens),
      ...(first !== undefined && { input: expectInput(first, size, estimateInput) }),
      ...known,
      media,
    };
    const models = { modelAsked: name, modelSent: model, modelServed: null };
    const request = {
      service: binding.service,
      route: 'chat',
      startedAt: host.now(),
      ...models,
      video: null,
    } as const;
    return { model, amount: prices.expectCost(request, { ...usage, source: 'estimated' }) };
  };
}

/** Adds the tokens of what is new since the first request, and takes off those of what is gone, at most down to those of the request alone. */
function expectInput(
  first: FirstRequest,
  size: RequestSize,
  estimate: (part: RequestSize) => number,
): number {
  const added = estimate(subtract(size, first)) - estimate(subtract(first, size));
  const least = Math.min(first.input, estimate(size));
  return Math.max(least, first.input + added);
}

/** Returns how much larger a request is than another one. */
function subtract(size: RequestSize, other: RequestSize): RequestSize {
  return {
    bytes: Math.max(0, size.bytes - other.bytes),
    images: Math.max(0, size.images - other.images),
  };
}
