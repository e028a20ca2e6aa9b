import { expect, test } from 'vitest';
import { cleanBatch } from '../clean-bodies.ts';
import type { BatchedExchange } from '../protocol.ts';
import { ExchangeId } from '../../../shared/exchange/exchange.ts';
import { SecretMask } from './secret-mask.ts';

const KEY = 'the-key-of-an-account-0123456789';
const PIECES = KEY.match(/.{1,5}/gu) ?? [];
const SECRETS = { serviceKeys: [KEY], localKeys: [] };

const toStream = (events: readonly unknown[]) =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');

/** Cleans exchanges that have one stream each, and returns the texts of these. */
async function cleanStreams(streams: readonly string[], change: { readonly lost?: number } = {}) {
  const cleaned = await cleanBodies(streams, change);
  return cleaned.map((bodies) =>
    bodies instanceof Error ? bodies : bodies.map(({ head }) => String(head)).join(''),
  );
}

async function cleanBodies(streams: readonly string[], change: { readonly lost?: number } = {}) {
  let at = 0;
  const exchanges = streams.map((stream, place): BatchedExchange => {
    const bytes = Buffer.byteLength(stream);
    const isLost = place === change.lost;
    const body = { at: isLost ? 2 ** 40 : at, headBytes: bytes, tailBytes: 0, bytes, marks: [] };
    at += bytes;
    return {
      id: ExchangeId.parse(`ex-${place}`),
      startedAt: 0,
      client: null,
      conversation: null,
      run: null,
      sender: null,
      step: null,
      bodies: [{ ...body, side: 'returned', contentType: 'text/event-stream', coding: null }],
    };
  });
  const batch = { bytes: Buffer.from(streams.join('')), secrets: SECRETS };
  return await cleanBatch(batch, exchanges, new SecretMask());
}

const LOST = expect.stringContaining('This stream is not kept');

test.each([
  ['whose index counts the pieces', PIECES.map((text, index) => ({ chunk_index: index, text }))],
  ['beside an index that counts', PIECES.map((text, index) => ({ index, token: { text } }))],
  [
    'of one of two texts that come in turn',
    PIECES.flatMap((text) => [
      { output_index: 0, text: 'other ' },
      { output_index: 1, text },
    ]),
  ],
  [
    'in an event of two choices',
    PIECES.map((content) => ({
      choices: [
        { index: 1, delta: { content: 'other ' } },
        { index: 0, delta: { content } },
      ],
    })),
  ],
  [
    'of one of two choices below an index that counts',
    PIECES.flatMap((content, at) => [
      { chunk_index: 2 * at, choices: [{ index: 0, delta: { content } }] },
      { chunk_index: 2 * at + 1, choices: [{ index: 1, delta: { content: 'other ' } }] },
    ]),
  ],
  [
    'of one of two texts beside an index that counts every two',
    PIECES.flatMap((text, at) => [
      { event_index: at, output_index: 0, text },
      { event_index: at, output_index: 1, text: 'other ' },
    ]),
  ],
  [
    'of the text whose index is left out',
    PIECES.flatMap((text) => [{ text }, { index: 1, text: 'other ' }]),
  ],
  [
    'after very many indexes',
    [
      ...Array.from({ length: 2_000 }, (_, output_index) => ({ output_index, text: 'x' })),
      ...PIECES.flatMap((text) => [
        { output_index: 0, text },
        { output_index: 1, text: 'other ' },
      ]),
    ],
  ],
  ['of a type that is a text', PIECES.map((delta) => ({ type: 'delta', delta }))],
  ['of a type that is none', PIECES.map((delta) => ({ type: { toString: 1, valueOf: 1 }, delta }))],
])('a stream with a key in pieces %s is left out, and only that', async (_, events) => {
  const other = toStream(['One', ' answer'].map((text, index) => ({ index, text })));
  expect(await cleanStreams([toStream(events), other])).toEqual([LOST, other]);
});

test('a stream of long names and many fields is searched', async () => {
  const names = Array.from({ length: 4_000 }, (_, at) => `field ${at}`);
  const long = {
    type: 'x'.repeat(100_000),
    ...Object.fromEntries(names.map((name) => [name, 'y'])),
  };
  const kept = toStream([long, { text: 'One' }, { text: ' answer' }]);
  const withKey = toStream([long, ...PIECES.map((text) => ({ text }))]);
  expect(await cleanStreams([kept, withKey])).toEqual([kept, LOST]);
});

test('a stream with very many indexes of many names is searched', async () => {
  const names = Array.from({ length: 500 }, (_, at) => `${at}_index`);
  const events = Array.from({ length: 20 }, (_, index) =>
    Object.fromEntries(
      names.flatMap((name) => [
        [name, index],
        [`${name} text`, ` ${index}`],
      ]),
    ),
  );
  const kept = toStream(events);
  const withKey = toStream([...events, ...PIECES.map((text) => ({ text }))]);
  expect(await cleanStreams([kept, withKey])).toEqual([kept, LOST]);
});

test('a stream with too many fields to search is left out, and counts as none with a secret', async () => {
  const fields = toStream([Array.from({ length: 60_000 }, () => 'a'), { text: 'One' }]);
  const other = toStream([{ text: 'One' }, { text: ' answer' }]);
  expect(await cleanBodies([other, fields])).toMatchObject([[{ masked: 0 }], [{ masked: 0 }]]);
  const lost = expect.stringContaining('it has too many fields to search them');
  expect(await cleanStreams([other, fields])).toEqual([other, lost]);
});

test('a stream with very many numbers is searched', async () => {
  const numbers = {
    context: Array.from({ length: 60_000 }, (_, at) => at),
    done: true,
    none: null,
  };
  const kept = toStream([{ text: 'One' }, { text: ' answer' }, numbers]);
  const withKey = toStream([numbers, ...PIECES.map((text) => ({ text }))]);
  expect(await cleanStreams([kept, withKey])).toEqual([kept, LOST]);
});

test('a stream whose events are counted is kept, however many there are', async () => {
  const events = Array.from({ length: 20_000 }, (_, index) => ({
    index,
    token: { text: ` ${index}` },
  }));
  const withKey = [
    ...events,
    ...PIECES.map((text, at) => ({ index: 20_000 + at, token: { text } })),
  ];
  const kept = toStream(events);
  expect(await cleanStreams([kept, toStream(withKey)])).toEqual([kept, LOST]);
});

test('of a batch only the exchange that cannot be searched is left out', async () => {
  const one = toStream([{ text: 'One' }]);
  expect(await cleanStreams([one, one, one], { lost: 1 })).toEqual([one, expect.any(Error), one]);
});
