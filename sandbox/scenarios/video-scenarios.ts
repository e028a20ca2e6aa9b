import type { Effect, ScenarioDefinition, TaskEffect } from './effect.ts';

const WEEK_MS = 604_800_000;
const MANY_TIMES = 1_000_000;

/** All scenarios of an upload or a video task, which apply for its whole lifetime. */
export const VIDEO_SCENARIOS: readonly ScenarioDefinition[] = [
  {
    name: 'two-urls',
    description: 'Upload: the answer has two addresses, and one of them gives the file back.',
    effect: () => ({ addresses: 'several' }),
  },
  {
    name: 'twin-urls',
    description: 'Upload: the answer has two addresses, and both give the file back.',
    effect: () => ({ addresses: 'twins' }),
  },
  {
    name: 'no-url',
    description: 'Upload: the answer has no address.',
    effect: () => ({ addresses: 'none' }),
  },
  {
    name: 'file-once',
    description: 'Upload: the file is good for one order only; the next one gets 400.',
    effect: () => ({ fileOnce: true }),
  },
  {
    name: 'render-ms',
    description: 'The render takes N milliseconds.',
    number: { default: 60_000, max: WEEK_MS },
    effect: (n) => onTask({ renderMs: n }),
  },
  {
    name: 'order-error',
    description: 'The order is taken, then answered with 500.',
    effect: () => onTask({ order: 'error' }),
  },
  {
    name: 'order-broken',
    description: 'The order is taken; the answer is half a JSON document.',
    effect: () => onTask({ order: 'broken' }),
  },
  {
    name: 'order-huge',
    description: 'The order is taken; the answer is 4 MiB long.',
    effect: () => onTask({ order: 'huge' }),
  },
  {
    name: 'no-id',
    description: 'The answer to the order has no task id.',
    effect: () => onTask({ ids: 'none' }),
  },
  {
    name: 'two-ids',
    description: 'The answer to the order has two ids, and both name the task.',
    effect: () => onTask({ ids: 'several' }),
  },
  {
    name: 'decoy-ids',
    description: 'The answer to the order has more ids than that of the task.',
    effect: () => onTask({ ids: 'decoys' }),
  },
  {
    name: 'numeric-id',
    description:
      'The task id is a number of N digits. With more than 15 it is more exact than a JavaScript number.',
    number: { default: 9, min: 6, max: 19 },
    effect: (n) => onTask({ idDigits: n }),
  },
  {
    name: 'error-polls',
    description: 'The first N polls get 500.',
    number: { default: 3, max: MANY_TIMES },
    effect: (n) => onTask({ firstPolls: { kind: 'error', times: n } }),
  },
  {
    name: 'html-polls',
    description: 'The first N polls get an HTML page with status 200.',
    number: { default: 3, max: MANY_TIMES },
    effect: (n) => onTask({ firstPolls: { kind: 'page', times: n } }),
  },
  {
    name: 'broken-polls',
    description: 'The first N polls get half a JSON document.',
    number: { default: 3, max: MANY_TIMES },
    effect: (n) => onTask({ firstPolls: { kind: 'broken', times: n } }),
  },
  {
    name: 'huge-polls',
    description: 'The first N polls get 4 MiB of JSON.',
    number: { default: 3, max: MANY_TIMES },
    effect: (n) => onTask({ firstPolls: { kind: 'huge', times: n } }),
  },
  {
    name: 'busy-polls',
    description: 'For N milliseconds after the order polls get 429 with Retry-After: 1.',
    number: { default: 120_000, max: WEEK_MS },
    effect: (n) => onTask({ busyMs: n }),
  },
  {
    name: 'forgets-task',
    description: 'From its Nth poll on the task is not found: 404.',
    number: { default: 2, min: 1, max: MANY_TIMES },
    effect: (n) => onTask({ forgottenFrom: n }),
  },
  {
    name: 'own-words',
    description: 'The status words are brewing, painting and spoiled.',
    effect: () => onTask({ ownWords: true }),
  },
  {
    name: 'other-reason',
    description: 'The render fails, and the answer has two texts besides the state.',
    effect: () => onTask({ otherReason: true }),
  },
  {
    name: 'tells-progress',
    description: 'Polls report the progress of the render, from 0 to 100.',
    effect: () => onTask({ progress: true }),
  },
  {
    name: 'tells-cost',
    description: 'Polls report the cost of the video.',
    effect: () => onTask({ cost: true }),
  },
  {
    name: 'local-link',
    description: 'The content redirects to port N of 127.0.0.1.',
    number: { default: 9, min: 1, max: 65_535 },
    effect: (n) => onTask({ linkPort: n }),
  },
  {
    name: 'link-expires',
    description: 'An address of the content works for N milliseconds, then gets 403.',
    number: { default: 0, max: WEEK_MS },
    effect: (n) => onTask({ linkMs: n }),
  },
  {
    name: 'link-once',
    description: 'An address of the content works once, then gets 403.',
    effect: () => onTask({ linkOnce: true }),
  },
  {
    name: 'html-content',
    description: 'The first N downloads are an HTML page with status 200.',
    number: { default: MANY_TIMES, max: MANY_TIMES },
    effect: (n) => onTask({ firstDownloads: { kind: 'page', times: n } }),
  },
  {
    name: 'error-content',
    description: 'The first N downloads get 500.',
    number: { default: 3, max: MANY_TIMES },
    effect: (n) => onTask({ firstDownloads: { kind: 'error', times: n } }),
  },
  {
    name: 'slow-content',
    description: 'The content comes at N bytes per second.',
    number: { default: 5000, min: 1, max: 999_999_999 },
    effect: (n) => onTask({ bytesPerSecond: n }),
  },
  {
    name: 'cut-content',
    description: 'The connection of every download dies after N bytes.',
    number: { default: 10_000, max: 999_999_999 },
    effect: (n) => onTask({ cutAfter: n }),
  },
  {
    name: 'no-range',
    description: 'The content knows no ranges: every download begins at the beginning.',
    effect: () => onTask({ wholeOnly: true }),
  },
];

function onTask(task: TaskEffect): Effect {
  return { task };
}
