import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RunId } from '../../shared/exchange/exchange.ts';
import { measureRequest, UsageEstimates } from './usage-estimates.ts';

const IMAGE = randomBytes(90_000).toString('base64');
const TEXT = 'Please read the file and say which of its lines are wrong. '.repeat(200);
const BODY = JSON.stringify({ text: TEXT, url: `data:image/png;base64,${IMAGE}`, data: IMAGE });

function cut(body: string, size: number): Buffer[] {
  const bytes = Buffer.from(body);
  const count = Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

describe('the size of a request', () => {
  it.each([1_000_000, 65_536, 16_384, 5_000])(
    'leaves out images, in pieces of %i bytes',
    (size) => {
      const measured = measureRequest(cut(BODY, size));
      expect(measured.bytes).toBeGreaterThanOrEqual(TEXT.length);
      // What is left of each image at its beginning and in small pieces.
      expect(measured.bytes).toBeLessThan(TEXT.length + 20_000);
      expect(measured.images).toBeGreaterThanOrEqual(2);
    },
  );

  it('is all of a text', () => {
    const text = JSON.stringify({ text: TEXT });
    expect(measureRequest(cut(text, 4_096))).toEqual({ bytes: text.length, images: 0 });
  });

  it('is never negative, and never more than there is', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 9_000 }), { maxLength: 8 }), (pieces) => {
        const chunks = pieces.map((piece) => Buffer.from(piece));
        const { bytes } = measureRequest(chunks);
        expect(bytes).toBeGreaterThanOrEqual(0);
        expect(bytes).toBeLessThanOrEqual(chunks.reduce((sum, { length }) => sum + length, 0));
      }),
    );
  });
});

describe('estimates', () => {
  const of = {
    clientId: 'c',
    model: 'm',
    run: null,
    streamed: true,
    size: { bytes: 3_000, images: 0 },
  };

  const ofRun = (run: string) => ({ ...of, run: RunId.parse(run) });

  it('follow what the service reports for the client and the model', () => {
    const estimates = new UsageEstimates();
    expect(estimates.estimate(of, null)).toEqual({ input: 750, output: 500 });
    for (let time = 0; time < 30; time += 1)
      estimates.learn({ ...of, bytesOut: 20_000, input: 1_000, output: 100 });
    expect(estimates.estimate(of, null)).toEqual({ input: 1_000, output: 100 });
    expect(estimates.estimate(of, 7).output).toBe(7);
    expect(estimates.estimateOutput({ ...of, bytesOut: 10_000 })).toBe(50);
    expect(estimates.estimate({ ...of, model: 'n' }, null).input).toBe(750);
  });

  it('learn the output of short requests, whose bytes say nothing about their input', () => {
    const estimates = new UsageEstimates();
    const short = { ...of, size: { bytes: 120, images: 0 } };
    estimates.learn({ ...short, bytesOut: 3_000, input: 3, output: 20 });
    expect(estimates.estimate(short, null)).toEqual({ input: 30, output: 20 });
    estimates.learn({ ...of, bytesOut: 3_000, input: 600, output: 20 });
    estimates.learn({ ...short, bytesOut: 6_000, input: 3, output: 40 });
    expect(estimates.estimate(of, null)).toEqual({ input: 715, output: 24 });
    expect(estimates.estimateOutput({ ...of, bytesOut: 3_000 })).toBe(20);
  });

  it('take a request that is much longer than the earlier ones for text', () => {
    const estimates = new UsageEstimates();
    const short = { ...of, size: { bytes: 350, images: 0 } };
    for (let time = 0; time < 20; time += 1)
      estimates.learn({ ...short, bytesOut: 3_000, input: 48, output: 20 });
    expect(estimates.estimate(short, null).input).toBe(48);
    expect(estimates.estimate({ ...of, size: { bytes: 40_000, images: 0 } }, null).input).toBe(
      10_000,
    );
  });

  it('are counts, whatever is learned', () => {
    const count = fc.integer({ min: 0, max: 1e9 });
    const facts = fc.record({
      bytes: count,
      images: fc.nat(50),
      bytesOut: count,
      input: count,
      output: count,
    });
    fc.assert(
      fc.property(fc.array(facts, { maxLength: 10 }), count, (list, bytesOut) => {
        const estimates = new UsageEstimates();
        for (const { bytes, images, ...rest } of list)
          estimates.learn({ ...of, ...rest, size: { bytes, images } });
        const { input, output } = estimates.estimate(of, null);
        for (const tokens of [input, output, estimates.estimateOutput({ ...of, bytesOut })]) {
          expect(Number.isSafeInteger(tokens) && tokens >= 0 && tokens <= 1e9).toBe(true);
        }
      }),
    );
  });

  it('reserve the 95th percentile of the responses of a run, and never more than the request allows', () => {
    const estimates = new UsageEstimates();
    const [long, short] = [ofRun('run-1'), ofRun('run-2')];
    expect(estimates.reserveOutput(long, null)).toBe(2_000);
    expect(estimates.reserveOutput(long, 128_000)).toBe(2_000);
    expect(estimates.reserveOutput(long, 10)).toBe(10);
    const learn = (from: typeof of | typeof long, output: number) =>
      estimates.learn({ ...from, bytesOut: 20_000, input: 1_000, output });
    for (let output = 1; output <= 100; output += 1) learn(long, output * 100);
    // Of the latest 40, from 6,100 to 10,000.
    expect(estimates.reserveOutput(long, null)).toBe(9_800);
    expect(estimates.reserveOutput(long, 128_000)).toBe(9_800);
    // A new run begins with what its client and model took, and so does a request without a session.
    expect(estimates.reserveOutput(short, 128_000)).toBe(9_800);
    expect(estimates.reserveOutput(of, null)).toBe(9_800);
    learn(short, 30);
    expect(estimates.reserveOutput(short, 128_000)).toBe(30);
    expect(estimates.reserveOutput({ ...short, run: null, model: 'n' }, null)).toBe(2_000);
  });

  it('forget the run that was used longest ago', () => {
    const estimates = new UsageEstimates();
    const learn = (run: string, output = 7) =>
      estimates.learn({ ...ofRun(run), bytesOut: 9, input: 1, output });
    learn('first', 5);
    learn('second', 6);
    for (let run = 0; run < 999; run += 1) {
      learn(`run-${run}`);
      learn('first', 5);
    }
    expect(estimates.reserveOutput(ofRun('first'), null)).toBe(5);
    expect(estimates.reserveOutput(ofRun('second'), null)).toBe(7);
  });
});
