import type { Effect, Line, TaskEffect } from './effect.ts';

const WEEK_MS = 604_800_000;
const OFTEN = 1_000_000;

/** Every way in which an upload or a video goes wrong, for as long as it lives. */
export const VIDEO_SCENARIOS: readonly Line[] = [
  {
    name: 'two-urls',
    says: 'Upload: the answer has two addresses, and one of them gives the file back.',
    effect: () => ({ addresses: 'several' }),
  },
  {
    name: 'twin-urls',
    says: 'Upload: the answer has two addresses, and both give the file back.',
    effect: () => ({ addresses: 'twins' }),
  },
  {
    name: 'no-url',
    says: 'Upload: the answer has no address.',
    effect: () => ({ addresses: 'none' }),
  },
  {
    name: 'file-once',
    says: 'Upload: the file is good for one order only; the next one gets 400.',
    effect: () => ({ fileOnce: true }),
  },
  {
    name: 'render-ms',
    says: 'The render takes N milliseconds.',
    number: { usual: 60_000, most: WEEK_MS },
    effect: (n) => onTask({ renderMs: n }),
  },
  {
    name: 'order-error',
    says: 'The order is taken and charged, then answered with 500.',
    effect: () => onTask({ order: 'error' }),
  },
  {
    name: 'order-broken',
    says: 'The order is taken and charged; the answer is half a JSON document.',
    effect: () => onTask({ order: 'broken' }),
  },
  {
    name: 'order-huge',
    says: 'The order is taken and charged; the answer is 4 MiB long.',
    effect: () => onTask({ order: 'huge' }),
  },
  {
    name: 'no-id',
    says: 'The answer to the order has no task id.',
    effect: () => onTask({ ids: 'none' }),
  },
  {
    name: 'two-ids',
    says: 'The answer to the order has two ids, and both name the task.',
    effect: () => onTask({ ids: 'several' }),
  },
  {
    name: 'decoy-ids',
    says: 'The answer to the order has more ids than that of the task.',
    effect: () => onTask({ ids: 'decoys' }),
  },
  {
    name: 'numeric-id',
    says: 'The task id is a number of N digits. With more than 15 it is more exact than a JavaScript number.',
    number: { usual: 9, least: 6, most: 19 },
    effect: (n) => onTask({ idDigits: n }),
  },
  {
    name: 'error-polls',
    says: 'The first N polls get 500.',
    number: { usual: 3, most: OFTEN },
    effect: (n) => onTask({ firstPolls: { are: 'error', times: n } }),
  },
  {
    name: 'html-polls',
    says: 'The first N polls get a page for people, with status 200.',
    number: { usual: 3, most: OFTEN },
    effect: (n) => onTask({ firstPolls: { are: 'page', times: n } }),
  },
  {
    name: 'broken-polls',
    says: 'The first N polls get half a JSON document.',
    number: { usual: 3, most: OFTEN },
    effect: (n) => onTask({ firstPolls: { are: 'broken', times: n } }),
  },
  {
    name: 'huge-polls',
    says: 'The first N polls get 4 MiB of JSON.',
    number: { usual: 3, most: OFTEN },
    effect: (n) => onTask({ firstPolls: { are: 'huge', times: n } }),
  },
  {
    name: 'busy-polls',
    says: 'For N milliseconds after the order polls get 429 with Retry-After: 1.',
    number: { usual: 120_000, most: WEEK_MS },
    effect: (n) => onTask({ busyMs: n }),
  },
  {
    name: 'forgets-task',
    says: 'From its Nth poll on the task is not there: 404.',
    number: { usual: 2, least: 1, most: OFTEN },
    effect: (n) => onTask({ forgottenFrom: n }),
  },
  {
    name: 'own-words',
    says: 'The status words are brewing, painting and spoiled.',
    effect: () => onTask({ ownWords: true }),
  },
  {
    name: 'other-reason',
    says: 'The render goes wrong, and there are two texts beside the state.',
    effect: () => onTask({ otherReason: true }),
  },
  {
    name: 'tells-progress',
    says: 'Polls tell how far the render is, from 0 to 100.',
    effect: () => onTask({ progress: true }),
  },
  {
    name: 'tells-cost',
    says: 'Polls tell what the video costs.',
    effect: () => onTask({ cost: true }),
  },
  {
    name: 'local-link',
    says: 'The content redirects to port N of 127.0.0.1.',
    number: { usual: 9, least: 1, most: 65_535 },
    effect: (n) => onTask({ linkPort: n }),
  },
  {
    name: 'link-expires',
    says: 'An address of the content works for N milliseconds, then gets 403.',
    number: { usual: 0, most: WEEK_MS },
    effect: (n) => onTask({ linkMs: n }),
  },
  {
    name: 'link-once',
    says: 'An address of the content works once, then gets 403.',
    effect: () => onTask({ linkOnce: true }),
  },
  {
    name: 'html-content',
    says: 'The first N downloads are a page for people, with status 200.',
    number: { usual: OFTEN, most: OFTEN },
    effect: (n) => onTask({ firstDownloads: { are: 'page', times: n } }),
  },
  {
    name: 'error-content',
    says: 'The first N downloads get 500.',
    number: { usual: 3, most: OFTEN },
    effect: (n) => onTask({ firstDownloads: { are: 'error', times: n } }),
  },
  {
    name: 'slow-content',
    says: 'The content comes at N bytes per second.',
    number: { usual: 5000, least: 1, most: 999_999_999 },
    effect: (n) => onTask({ bytesPerSecond: n }),
  },
  {
    name: 'cut-content',
    says: 'The connection of every download dies after N bytes.',
    number: { usual: 10_000, most: 999_999_999 },
    effect: (n) => onTask({ cutAfter: n }),
  },
  {
    name: 'no-range',
    says: 'The content knows no ranges: every download begins at the beginning.',
    effect: () => onTask({ wholeOnly: true }),
  },
];

function onTask(task: TaskEffect): Effect {
  return { task };
}
