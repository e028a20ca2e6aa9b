import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { UsageFilter } from './usage-filter.ts';

const USAGE = 'data: {"id":"c","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2}}';
const KEPT = [
  'data: {"id":"c","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}',
  'data: {"id":"c","choices":[{"index":0,"delta":{"content":"say \\"usage\\":{} and \\"choices\\":[]"}}]}',
  'data: {"id":"c","choices":[],"prompt_filter_results":[]}',
  ': keep-alive',
  'event: x\ndata: {"usage":{}}',
  'data: 🦊 no JSON',
  'data: [DONE]',
] as const;

/** Last chunks with choices and usage, and what is left of them. */
const LAST: ReadonlyMap<string, string> = new Map([
  ['data: {"choices":[{"index":0}],"usage":null}', 'data: {"choices":[{"index":0}]}'],
  [
    'data: {"id":"c","choices":[{"index":0,"finish_reason":"stop"}], "usage":{"prompt_tokens":7}}',
    'data: {"id":"c","choices":[{"index":0,"finish_reason":"stop"}]}',
  ],
  ['data:{"usage":{"a":1}, "choices":[{"text":"ü"}]}', 'data:{"choices":[{"text":"ü"}]}'],
]);

function filter(bytes: Buffer, places: readonly number[]): string {
  const cuts = [...new Set(places.map((place) => place % (bytes.length + 1)))].toSorted(
    (one, other) => one - other,
  );
  const stripped = new UsageFilter();
  const parts = [0, ...cuts].map((start, index) => bytes.subarray(start, cuts[index]));
  const passed = parts.map((part) => stripped.push(part));
  return Buffer.concat([...passed, stripped.end()]).toString();
}

const anEvent = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<string>(...KEPT) },
  { weight: 1, arbitrary: fc.constantFrom(USAGE, ...LAST.keys()) },
  { weight: 1, arbitrary: fc.constant(`data: {"long":"${'x'.repeat(70_000)}"}`) },
);

it('takes out the usage and nothing else, in any chunks and with any line ends', () => {
  const events = fc.array(anEvent, { maxLength: 12 });
  const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
  const places = fc.array(fc.nat(200_000), { maxLength: 30 });
  fc.assert(
    fc.property(events, lineEnd, places, (list, end, where) => {
      const write = (some: readonly string[]) =>
        some.map((event) => `${event.replaceAll('\n', end)}${end}${end}`).join('');
      const got = filter(Buffer.from(write(list)), where);
      expect(got).toBe(
        write(list.filter((event) => event !== USAGE).map((event) => LAST.get(event) ?? event)),
      );
    }),
  );
});

it('passes on whatever is no event stream as it is', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.array(fc.nat(400)), (bytes, places) => {
      const text = Buffer.from(bytes);
      expect(filter(text, places)).toBe(text.toString());
    }),
  );
});

it('passes on an event that the stream did not complete, but for a complete chunk with usage', () => {
  expect(filter(Buffer.from('data: {"choices":[{"del'), [])).toBe('data: {"choices":[{"del');
  expect(filter(Buffer.from(USAGE), [])).toBe('');
});

it('passes on a long event while it comes, and holds few of its bytes', () => {
  const stripped = new UsageFilter();
  let passed = 0;
  for (let sent = 0; sent < 64; sent += 1) passed += stripped.push(Buffer.alloc(65_536, 97)).length;
  expect(passed).toBeGreaterThanOrEqual(64 * 65_536 - 70_000);
});
