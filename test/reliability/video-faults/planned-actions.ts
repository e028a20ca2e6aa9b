import { DEFAULT_VIDEO_REQUEST, type NewVideo } from '../../../shared/video/video.ts';
import type { Random } from '../../kit/random.ts';
import type { Feature } from './features.ts';
import { HOLDS, REFUSES } from './engine/service-front.ts';

/** The encoding of a client's order. */
export interface OrderHabit {
  /** Number of copies sent at once. */
  readonly copies: number;
  readonly body: 'JSON' | 'gzip' | 'form';
}

/** A video to order. Its prompt is unique, so that the service's orders can be told apart. */
export interface Plan {
  readonly prompt: string;
  readonly who: 'person' | 'client';
  /** How the client sends the order; unused for a user's own video. */
  readonly habit: OrderHabit;
  /** Whether it is confirmed together with its creation. */
  readonly atOnce: boolean;
  /** Whether the render fails. */
  readonly fails: boolean;
  /** Index of the reference image. */
  readonly image: number;
}

/** Long enough for a download to be resumed. */
export const SECONDS = 40;
/** Share of videos that a client orders through the proxy. */
const CLIENTS = 0.35;
const COPIES = [2, 3, 10];

/** Scenarios of the sandbox, one of which is applied to half of the orders. */
const TREATMENTS: readonly string[] = [
  'lost-answer',
  'order-error',
  'order-broken',
  'decoy-ids',
  'two-ids',
  'numeric-id=9',
  'numeric-id=19',
  'error-polls=2',
  'html-polls=2',
  'broken-polls=2',
  'huge-polls=1',
  'busy-polls=300',
  'cut-content=110000',
  'cut-content=150000',
  'no-range',
  'slow-content=500000',
  'link-once',
  'link-expires=50',
  'html-content=1',
  'error-content=2',
  'rate-limit=1',
  'own-words',
  'tells-progress',
  'other-reason',
];

export interface PlanOptions {
  readonly random: Random;
  /** Distinguishes this scenario's videos from those of others. */
  readonly scenarioId: string;
  readonly count: number;
  readonly features: ReadonlySet<Feature>;
  /** Whether the service treats every order normally. */
  readonly calm: boolean;
}

/** Creates the videos of a scenario: some by a user, some that a client orders through the proxy. */
export function planActions(options: PlanOptions): readonly Plan[] {
  const { random, scenarioId, count, calm } = options;
  return Array.from({ length: count }, (_, number) => {
    const treatment = !calm && random.is(0.5) ? random.pick(TREATMENTS) : null;
    const scenarios = ['render-ms=100', ...(treatment === null ? [] : [treatment])];
    const who = random.is(CLIENTS) ? 'client' : 'person';
    const habit = pickHabit(options);
    const words = [
      ...scenarios.map((word) => `[scenario ${word}]`),
      ...(who === 'client' ? pickFrontMarkers(options, habit) : []),
    ];
    return {
      prompt: `Video ${scenarioId}-${number}. ${words.join(' ')}`,
      who,
      habit,
      atOnce: random.is(0.7),
      fails: treatment === 'other-reason',
      image: random.below(2),
    };
  });
}

function pickHabit({ random, features }: PlanOptions): OrderHabit {
  const several = random.is(0.6);
  const copies = random.pick(COPIES);
  const body = random.pick(['JSON', 'JSON', 'gzip', 'form'] as const);
  const repeats = features.has('twins') || features.has('refusals');
  return {
    copies: several && repeats ? copies : 1,
    body: features.has('bodies') ? body : 'JSON',
  };
}

/** Marks the prompt of some orders. Only an order with several copies is rejected, because a single one would end with that. */
function pickFrontMarkers(
  { random, features }: PlanOptions,
  { copies }: OrderHabit,
): readonly string[] {
  const refuses = random.is(0.4);
  const status = random.pick([400, 429]);
  if (features.has('refusals') && refuses && copies > 1) return [REFUSES(status)];
  return features.has('waiting') && random.is(0.4) ? [HOLDS] : [];
}

/** Builds the input as the window sends it. */
export function toNewVideo({ prompt }: Plan): Omit<NewVideo, 'image'> {
  return { ...DEFAULT_VIDEO_REQUEST, prompt, seconds: String(SECONDS), waitMinutes: 5 };
}
