import { DEFAULT_VIDEO_REQUEST, type NewVideo } from '../../../shared/video.ts';
import type { Chance } from './chance.ts';

/** A video that somebody wants. Its prompt is like no other, so the service's orders can be told apart. */
export interface Wish {
  readonly prompt: string;
  readonly who: 'person' | 'client';
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
const CLIENTS = 0.25;

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

/** What a story is about: some videos of a person, some that a client orders through the proxy. */
export function makeWishes(chance: Chance, story: string, count: number): readonly Wish[] {
  return Array.from({ length: count }, (_, number) => {
    const treatment = chance.is(0.5) ? chance.pick(TREATMENTS) : null;
    const words = ['render-ms=100', ...(treatment === null ? [] : [treatment])];
    return {
      prompt: `Video ${story}-${number}. ${words.map((word) => `[scenario ${word}]`).join(' ')}`,
      who: chance.is(CLIENTS) ? 'client' : 'person',
      atOnce: chance.is(0.7),
      fails: treatment === 'other-reason',
      image: chance.below(2),
    };
  });
}

/** As it is described in the window. */
export function videoOf({ prompt }: Wish): Omit<NewVideo, 'image'> {
  return { ...DEFAULT_VIDEO_REQUEST, prompt, seconds: String(SECONDS), waitMinutes: 5 };
}
