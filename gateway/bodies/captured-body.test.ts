import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { CaptureBudget, type CaptureKind, CapturedBody, isText } from './captured-body.ts';
import { CapturedExchange } from './captured-exchange.ts';

const HEAD = 768 * 1024;
const TAIL = 256 * 1024;

function captureAll(
  chunks: readonly Uint8Array[],
  budget = new CaptureBudget(2 ** 30),
  kind: CaptureKind = 'whole',
) {
  const captured = new CapturedBody(budget, kind);
  for (const chunk of chunks) captured.push(chunk);
  return { captured, budget, parts: captured.parts() };
}

test('a body of any size in any chunks keeps its beginning and its end, and gives everything back', () => {
  const sizes = fc.array(fc.oneof(fc.nat(40), fc.nat(9_000), fc.nat(900_000)), { maxLength: 40 });
  fc.assert(
    fc.property(sizes, fc.constantFrom('whole' as const, 'events' as const), (lengths, kind) => {
      let next = 0;
      const chunks = lengths.map((length) => Buffer.alloc(length, `${(next += 7)},`));
      const whole = Buffer.concat(chunks);
      const { captured, budget, parts } = captureAll(chunks, new CaptureBudget(2 ** 30), kind);
      const head = Buffer.concat(parts?.head ?? []);
      const tail = Buffer.concat(parts?.tail ?? []);
      expect(parts?.bytes).toBe(whole.length);
      expect(head.equals(whole.subarray(0, HEAD))).toBe(true);
      expect(tail.length).toBe(parts?.tailBytes);
      if (whole.length <= HEAD) expect(tail.length).toBe(0);
      else {
        expect(tail.length).toBe(Math.min(TAIL, whole.length - HEAD));
        expect(whole.subarray(whole.length - tail.length).equals(tail)).toBe(true);
      }
      const marked = 8 * (parts?.marks.length ?? 0);
      // Chunks are held as a whole.
      const most = head.length + tail.length + marked + Math.max(0, ...lengths);
      expect(budget.held).toBeGreaterThanOrEqual(head.length + tail.length + marked);
      expect(budget.held).toBeLessThanOrEqual(most);
      captured.release();
      captured.release();
      expect(budget.held).toBe(0);
    }),
    { numRuns: 60 },
  );
});

test('small events that their owner changes later do not change what was captured', () => {
  const chunk = Buffer.from('data: one\n\n');
  const captured = new CapturedBody(new CaptureBudget(1_000), 'events');
  captured.push(chunk);
  chunk.fill(0);
  expect(Buffer.concat(captured.parts()?.head ?? []).toString()).toBe('data: one\n\n');
});

test('the chunks at the end of a long body are kept as they came, without copies', () => {
  const chunks = Array.from({ length: 40 }, () => Buffer.alloc(64 * 1024));
  const { parts } = captureAll(chunks);
  expect(parts?.tail.every((chunk, place) => chunk === chunks.slice(-4)[place])).toBe(true);
  expect(parts?.tail).toHaveLength(4);
});

test('a request that is sent on unchanged, also a second time, is captured once', () => {
  const budget = new CaptureBudget(10);
  const captured = new CapturedExchange(budget);
  const body = Buffer.alloc(10);
  captured.receive(body, null);
  for (let times = 0; times < 2; times += 1) {
    captured.send(body);
    expect(captured.isIncomplete).toBe(false);
    expect(captured.received).toBe(null);
    expect(captured.sent?.parts()?.headBytes).toBe(10);
  }
  captured.release();
  expect(budget.held).toBe(0);
});

test('a request that is changed before it is sent, and later not, has both forms', () => {
  const budget = new CaptureBudget(100);
  const captured = new CapturedExchange(budget);
  const body = Buffer.alloc(10);
  captured.receive(body, null);
  captured.send(body);
  captured.send(Buffer.alloc(7));
  expect(captured.received?.parts()?.headBytes).toBe(10);
  expect(captured.sent?.parts()?.headBytes).toBe(7);
  captured.send(body);
  expect(captured.received?.parts()?.headBytes).toBe(10);
  expect(captured.sent?.parts()?.headBytes).toBe(10);
  captured.release();
  expect(budget.held).toBe(0);
});

test('a used-up budget drops the whole body, and nothing stays held', () => {
  const budget = new CaptureBudget(10);
  const { captured, parts } = captureAll([Buffer.alloc(6), Buffer.alloc(6)], budget);
  expect(parts).toBe(null);
  expect(budget.held).toBe(0);
  captured.push(Buffer.alloc(3));
  expect(captured.parts()).toBe(null);
  expect(budget.held).toBe(0);
});

test('text is recognised also where a character is cut off', () => {
  const text = Buffer.from('größer 🙂');
  for (let end = 0; end <= text.length; end += 1) expect(isText(text.subarray(0, end))).toBe(true);
  expect(isText(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff]))).toBe(false);
});

test('of media only the size is kept, and UTF-16 is no text', () => {
  const captured = new CapturedBody(new CaptureBudget(10), 'counted');
  captured.push(Buffer.alloc(5_000));
  expect(captured.parts()).toMatchObject({ bytes: 5_000, headBytes: 0, tailBytes: 0 });
  expect(isText(Buffer.from('a key', 'utf16le'))).toBe(false);
});
