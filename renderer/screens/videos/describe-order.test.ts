import { expect, test } from 'vitest';
import { DEFAULT_VIDEO_REQUEST } from '../../../shared/video/video.ts';
import { toOrderFacts } from '../../../shared/video/order-facts.ts';
import { describeCost, describeTask } from './describe-order.ts';

const REQUEST = { ...DEFAULT_VIDEO_REQUEST, prompt: 'A fox' };

test('an order is summarized as it will be sent: additional fields replace the others', () => {
  expect(toOrderFacts(REQUEST)).toEqual({
    model: 'h3',
    task: 'ref2va',
    seconds: '4',
    resolution: '480p',
    more: null,
  });
  const more = { model: 'other/video-2', seconds: 12, resolution: null, prompt: 'A cat', seed: 7 };
  expect(toOrderFacts({ ...REQUEST, more })).toEqual({
    model: 'other/video-2',
    task: 'ref2va',
    seconds: '12',
    resolution: null,
    more: '{"seed":7}',
  });
});

test('the cost is that of the latest equal order, or else as listed, and never a guess', () => {
  const order = toOrderFacts(REQUEST);
  const longer = { request: { ...REQUEST, seconds: '8' }, cost: '0.80' };
  const silent = { request: REQUEST, cost: null };
  const equal = { request: { ...REQUEST, prompt: 'A cat' }, cost: '0.40' };
  const older = { request: REQUEST, cost: '0.35' };
  const prices = [{ label: 'second', value: '0.1' }];
  const known = { isFree: false, earlier: [longer, silent, equal, older], prices, estimate: null };
  expect(describeCost(order, known)).toBe(
    '0.40 for the last one like this, as reported by the service',
  );
  expect(describeCost(order, { ...known, earlier: [longer, silent] })).toBe(
    'second 0.1, as listed by the service in its own unit',
  );
  expect(describeCost(order, { ...known, earlier: [longer], prices: [] })).toBe('no price known');
  expect(describeCost(order, { ...known, estimate: '$0.20' })).toBe('about $0.20');
  const free = { ...known, isFree: true };
  expect(describeCost(order, free)).toBe('no charge (sandbox)');
  expect(describeCost(order, { ...free, estimate: '$0.20' })).toBe('$0.20 (sandbox, not charged)');
});

test('a task whose meaning is known is explained', () => {
  expect(describeTask('ref2va')).toBe('ref2va (a video from an image)');
  expect(describeTask('t2v')).toBe('t2v');
  expect(describeTask(null)).toBeNull();
});
