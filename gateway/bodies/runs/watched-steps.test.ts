import { expect, test } from 'vitest';
import type { StepFacts } from '../../../shared/run/run.ts';
import { ExchangeId } from '../../../shared/exchange/exchange.ts';
import { UNKNOWN_USAGE } from '../../../shared/exchange/usage.ts';
import type { PlacedStep } from './report-step.ts';
import { WatchedSteps } from './watched-steps.ts';

const STEP: StepFacts = {
  protocol: 'chat',
  clientName: 'Agent',
  model: 'm',
  status: 200,
  errorCode: null,
  endedBy: 'service',
  durationMs: 1,
  firstByteMs: 1,
  usage: UNKNOWN_USAGE,
};
const toId = (place: number) => ExchangeId.parse(`ex-${place.toString(16).padStart(16, '0')}`);
const toFacts = (place: number, step: StepFacts | null = STEP) => ({
  id: toId(place),
  startedAt: 5,
  openedAt: place,
  clientId: 'c',
  conversation: null,
  run: null,
  sender: null,
  isSent: true,
  step,
});
const toPlaced = (place: number): PlacedStep => ({
  id: toId(place),
  run: 'run-1',
  sequence: 1,
  text: null,
  answered: true,
  calls: null,
  startsAgent: false,
  tools: ['bash'],
});

test('an exchange of this process is reported once, with the monotonic time at which it came', () => {
  const watched = new WatchedSteps();
  watched.add(toFacts(7));
  const { id: _id, tools: _tools, ...placed } = toPlaced(7);
  const reported = { ...placed, clientId: 'c', clientName: 'Agent', at: 7 };
  expect(watched.take([toPlaced(7), toPlaced(7), toPlaced(8)])).toEqual([reported]);
  expect(watched.take([toPlaced(7)])).toEqual([]);
});

test('requests that no service has seen are not reported', () => {
  const watched = new WatchedSteps();
  watched.add(toFacts(1, null));
  watched.add({ ...toFacts(2, { ...STEP, errorCode: 'local_agent_stopped' }), isSent: false });
  watched.add({ ...toFacts(3, { ...STEP, errorCode: 'service_key_missing' }), isSent: false });
  watched.add({ ...toFacts(4), clientId: null });
  expect(watched.take([1, 2, 3, 4].map(toPlaced))).toEqual([]);
});

test('of exchanges that get no place the latest 5,000 are remembered, and not all of them', () => {
  const watched = new WatchedSteps();
  for (let place = 0; place < 17_500; place += 1) watched.add(toFacts(place));
  const latest = Array.from({ length: 5_000 }, (_, index) => 12_500 + index);
  expect(watched.take(latest.map(toPlaced)).map(({ at }) => at)).toEqual(latest);
  expect(watched.take([0, 1, 7_499].map(toPlaced))).toEqual([]);
});
