import { DEFAULT_VIDEO_REQUEST, type NewVideo } from '../../../shared/video.ts';
import type { Chance } from './chance.ts';
import type { Feature } from './features.ts';
import { HOLDS, REFUSES } from './engine/service-front.ts';

/** How a client sends an order. */
export interface OrderHabit {
  /** So many times at the same moment. */
  readonly copies: number;
  readonly body: 'JSON' | 'gzip' | 'form';
}

/** A video that somebody wants. Its prompt is like no other, so the service's orders can be told apart. */
export interface Wish {
  readonly prompt: string;
  readonly who: 'person' | 'client';
  /** Of the client. */
  readonly habit: OrderHabit;
  /** Whether it is confirmed together with being described. */
  readonly atOnce: boolean;
  /** Whether the render goes wrong. */
  readonly fails: boolean;
  /** Which of the reference images. */
  readonly image: number;
}

/** Long enough for a download to be gone on with. */
export const SECONDS = 40;
/** So many of the wishes are a client's, which orders through the proxy. */
const CLIENTS = 0.35;
const COPIES = [2, 3, 10];

/** How the service treats an order; nothing special for half of them. */
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

export interface WishesOptions {
  readonly chance: Chance;
  /** Tells this story's wishes from those of others. */
  readonly story: string;
  readonly count: number;
  readonly features: ReadonlySet<Feature>;
  /** Nothing is treated badly. */
  readonly calm: boolean;
}

/** What a story is about: some videos of a person, some that a client orders through the proxy. */
export function createWishes(options: WishesOptions): readonly Wish[] {
  const { chance, story, count, calm } = options;
  return Array.from({ length: count }, (_, number) => {
    const treatment = !calm && chance.is(0.5) ? chance.pick(TREATMENTS) : null;
    const scenarios = ['render-ms=100', ...(treatment === null ? [] : [treatment])];
    const who = chance.is(CLIENTS) ? 'client' : 'person';
    const habit = pickHabit(options);
    const words = [
      ...scenarios.map((word) => `[scenario ${word}]`),
      ...(who === 'client' ? frontWordsOf(options, habit) : []),
    ];
    return {
      prompt: `Video ${story}-${number}. ${words.join(' ')}`,
      who,
      habit,
      atOnce: chance.is(0.7),
      fails: treatment === 'other-reason',
      image: chance.below(2),
    };
  });
}

function pickHabit({ chance, features }: WishesOptions): OrderHabit {
  const several = chance.is(0.6);
  const copies = chance.pick(COPIES);
  const body = chance.pick(['JSON', 'JSON', 'gzip', 'form'] as const);
  const repeats = features.has('twins') || features.has('refusals');
  return {
    copies: several && repeats ? copies : 1,
    body: features.has('bodies') ? body : 'JSON',
  };
}

/** Of one alone nothing would be ordered after a refusal that says that it is wrong. */
function frontWordsOf(
  { chance, features }: WishesOptions,
  { copies }: OrderHabit,
): readonly string[] {
  const refuses = chance.is(0.4);
  const status = chance.pick([400, 429]);
  if (features.has('refusals') && refuses && copies > 1) return [REFUSES(status)];
  return features.has('waiting') && chance.is(0.4) ? [HOLDS] : [];
}

/** As it is described in the window. */
export function toNewVideo({ prompt }: Wish): Omit<NewVideo, 'image'> {
  return { ...DEFAULT_VIDEO_REQUEST, prompt, seconds: String(SECONDS), waitMinutes: 5 };
}
