import type { TextProtocol } from '../../shared/chat/chat.ts';
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UNKNOWN_USAGE } from '../../shared/exchange/usage.ts';
import { type StreamEnd, type Measurement, type MeterOptions, createUsageMeter } from './usage.ts';
import { MemoryBudget } from '../lib/memory-budget.ts';

const memory = new MemoryBudget(1024 ** 3).open();

const bytes = (text: string) => new TextEncoder().encode(text);

function cut(body: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...new Set(places.map((place) => place % (body.length + 1)))];
  const edges = [0, ...ends.toSorted((a, b) => a - b), body.length];
  return edges.slice(1).map((end, i) => body.subarray(edges[i], end));
}

async function measure(
  chunks: readonly Uint8Array[],
  options: Partial<MeterOptions> = {},
): Promise<Measurement> {
  const meter = createUsageMeter({
    protocol: 'chat',
    streamed: true,
    encoding: null,
    memory,
    ...options,
  });
  for (const chunk of chunks) meter.push(chunk);
  return meter.finish();
}

function stream(...events: readonly (object | string)[]): string {
  return events
    .map((event) => {
      if (typeof event === 'string') return `${event}\n\n`;
      const name = 'type' in event ? `event: ${String(event.type)}\n` : '';
      return `${name}data: ${JSON.stringify(event)}\n\n`;
    })
    .join('');
}

const LURE =
  'He said "usage":{"prompt_tokens":1} and "finish_reason":"stop" – naïve 🦊 "type":"message_stop"';

const CHAT = stream(
  {
    id: 'c-1',
    model: 'acme/großes-🦊',
    choices: [{ index: 0, delta: { role: 'assistant', content: '' } }],
    usage: null,
  },
  ': keep-alive',
  {
    id: 'c-1',
    model: 'acme/großes-🦊',
    choices: [{ index: 0, delta: { content: LURE } }],
    usage: null,
  },
  {
    id: 'c-1',
    model: 'acme/großes-🦊',
    choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
    usage: null,
  },
  {
    id: 'c-1',
    model: 'acme/großes-🦊',
    choices: [],
    usage: {
      prompt_tokens: 20,
      completion_tokens: 9,
      total_tokens: 29,
      prompt_tokens_details: { cached_tokens: 12 },
      completion_tokens_details: { reasoning_tokens: 3 },
    },
  },
  'data: [DONE]',
);

const MESSAGES = stream(
  {
    type: 'message_start',
    message: {
      id: 'm-1',
      model: 'acme/großes-🦊',
      usage: {
        input_tokens: 7,
        cache_read_input_tokens: 100,
        cache_creation_input_tokens: 20,
        output_tokens: 1,
      },
    },
  },
  { type: 'ping' },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: LURE } },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 42 } },
  { type: 'message_stop' },
);

const RESPONSES = stream(
  {
    type: 'response.created',
    response: { id: 'r-1', model: 'acme/großes-🦊', usage: null, error: null },
  },
  { type: 'response.output_text.delta', item_id: 'x', delta: LURE },
  {
    type: 'response.completed',
    response: {
      id: 'r-1',
      model: 'acme/großes-🦊',
      error: null,
      usage: {
        input_tokens: 50,
        input_tokens_details: { cached_tokens: 40 },
        output_tokens: 6,
        output_tokens_details: { reasoning_tokens: 2 },
      },
    },
  },
);

const STREAMS: Record<TextProtocol, string> = {
  chat: CHAT,
  messages: MESSAGES,
  responses: RESPONSES,
};
const EXPECTED: Record<TextProtocol, Measurement> = {
  chat: {
    usage: {
      input: 20,
      output: 9,
      cacheRead: 12,
      cacheWrite: null,
      cacheWriteHour: null,
      media: null,
      reasoning: 3,
      source: 'reported',
      reportedPart: null,
    },
    modelServed: 'acme/großes-🦊',
    answerId: 'c-1',
    errorCode: null,
    isPage: false,
  },
  messages: {
    usage: {
      input: 127,
      output: 42,
      cacheRead: 100,
      cacheWrite: 20,
      cacheWriteHour: null,
      media: null,
      reasoning: null,
      source: 'reported',
      reportedPart: null,
    },
    modelServed: 'acme/großes-🦊',
    answerId: 'm-1',
    errorCode: null,
    isPage: false,
  },
  responses: {
    usage: {
      input: 50,
      output: 6,
      cacheRead: 40,
      cacheWrite: null,
      cacheWriteHour: null,
      media: null,
      reasoning: 2,
      source: 'reported',
      reportedPart: null,
    },
    modelServed: 'acme/großes-🦊',
    answerId: 'r-1',
    errorCode: null,
    isPage: false,
  },
};
const PROTOCOLS = ['chat', 'messages', 'responses'] as const;

/** Returns the end that the meter reports for a complete text. */
function endingOf(protocol: TextProtocol, text: string): StreamEnd {
  const meter = createUsageMeter({ protocol, streamed: true, encoding: null, memory });
  meter.push(bytes(text));
  meter.end();
  return meter.ending;
}

describe.each(PROTOCOLS)('a %s stream', (protocol) => {
  it('is measured completely', async () => {
    expect(await measure([bytes(STREAMS[protocol])], { protocol })).toEqual(EXPECTED[protocol]);
  });

  it.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('gives an equal result when cut at every byte, with %s', async (_name, lineEnd) => {
    const body = bytes(STREAMS[protocol].replaceAll('\n', lineEnd));
    for (let at = 0; at <= body.length; at += 1) {
      const halves = [body.subarray(0, at), body.subarray(at)];
      expect(await measure(halves, { protocol })).toEqual(EXPECTED[protocol]);
    }
    const single = Array.from(body, (byte) => Uint8Array.of(byte));
    expect(await measure(single, { protocol })).toEqual(EXPECTED[protocol]);
  });

  it('gives an equal result in any chunks', async () => {
    const places = fc.array(fc.nat(10_000), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(places, fc.constantFrom('\n', '\r\n', '\r'), async (where, lineEnd) => {
        const body = bytes(STREAMS[protocol].replaceAll('\n', lineEnd));
        expect(await measure(cut(body, where), { protocol })).toEqual(EXPECTED[protocol]);
      }),
    );
  });

  it('never throws for any input', async () => {
    const junk = fc.array(
      fc.oneof(
        fc.uint8Array({ maxLength: 60 }),
        fc.json().map((json) => bytes(`data: ${json}\n\n`)),
        fc.constantFrom(...STREAMS[protocol].split('\n')).map((line) => bytes(`${line}\n\n`)),
        fc
          .json()
          .map((json) => bytes(`data: {"usage":${json},"error":${json},"choices":${json}}\n\n`)),
      ),
    );
    await fc.assert(
      fc.asyncProperty(junk, async (chunks) => {
        const { usage } = await measure(chunks, { protocol });
        for (const count of [usage.input, usage.output, usage.cacheRead, usage.cacheWrite]) {
          expect(count === null || (Number.isSafeInteger(count) && count >= 0)).toBe(true);
        }
      }),
    );
  });

  it('has ended from its last event on, not before', () => {
    const meter = createUsageMeter({ protocol, streamed: true, encoding: null, memory });
    const text = STREAMS[protocol];
    const last =
      protocol === 'chat' ? text.indexOf('"finish_reason":"stop"}') : text.lastIndexOf('event:');
    meter.push(bytes(text.slice(0, last)));
    expect(meter.ending).toBe('missing');
    meter.push(bytes(text.slice(last)));
    expect(meter.ending).toBe('seen');
  });

  it('that reports an error has ended, with its code', async () => {
    const flat = { type: 'error', code: 'overloaded', message: 'later' };
    const nested = { error: { code: 'overloaded', message: 'later' } };
    const failure = protocol === 'responses' ? flat : { type: 'error', ...nested };
    const body = STREAMS[protocol].slice(0, STREAMS[protocol].indexOf('\n\n') + 2);
    expect(await measure([bytes(body + stream(failure))], { protocol })).toMatchObject({
      errorCode: 'overloaded',
    });
    expect(endingOf(protocol, body + stream(failure))).toBe('seen');
  });

  it('that is compressed is measured at its end', async () => {
    const body = gzipSync(STREAMS[protocol]);
    expect(await measure([body], { protocol, encoding: 'gzip' })).toEqual(EXPECTED[protocol]);
  });
});

function measureDeltas(...usages: readonly object[]): Promise<Measurement> {
  const events = usages.map((usage) => ({ type: 'message_delta', usage }));
  return measure([bytes(stream(...events))], { protocol: 'messages' });
}

describe('a stream that stops early', () => {
  it.each([
    ['chat', 'data: {"id":"c-1","model":"acme/großes-🦊","choices":[{"index":0,"delta":{},'],
    ['messages', 'event: message_stop'],
    ['responses', 'event: response.completed'],
  ] as const)('misses its end: %s', (protocol, end) => {
    const text = STREAMS[protocol];
    expect(endingOf(protocol, text.slice(0, text.indexOf(end)))).toBe('missing');
  });

  it('does not report the first count of a Messages stream as its output', async () => {
    const body = MESSAGES.slice(0, MESSAGES.indexOf('event: message_delta'));
    expect((await measure([bytes(body)], { protocol: 'messages' })).usage).toMatchObject({
      input: 127,
      output: null,
    });
  });

  it('counts a last event whose blank line is missing', async () => {
    expect(await measure([bytes(CHAT.trimEnd())])).toEqual(EXPECTED.chat);
  });

  it('without usage has unknown usage', async () => {
    const body = stream(
      { id: 'c', model: 'm', choices: [{ finish_reason: 'stop' }] },
      'data: [DONE]',
    );
    expect((await measure([bytes(body)])).usage).toEqual(UNKNOWN_USAGE);
  });
});

const chunkOf = (index: number, rest: object) => ({ choices: [{ index, ...rest }] });
const says = (index: number) => chunkOf(index, { delta: { content: LURE }, finish_reason: null });
const stops = (index: number) => chunkOf(index, { delta: {}, finish_reason: 'stop' });

describe('the end of a chat stream', () => {
  it('is not an empty finish_reason', () => {
    const chunk = chunkOf(0, { delta: { content: 'a' }, finish_reason: '' });
    expect(endingOf('chat', stream(chunk, chunk))).toBe('missing');
    expect(endingOf('chat', stream(chunk, chunk, stops(0)))).toBe('seen');
  });

  it('is not the first of several choices that finish', () => {
    const head = { ...says(0), id: 'c', model: 'm' };
    const both = stream(head, says(1), says(0), stops(0));
    expect(endingOf('chat', both)).toBe('missing');
    expect(endingOf('chat', both + stream(says(1), stops(1)))).toBe('seen');
    expect(endingOf('chat', both + stream('data: [DONE]'))).toBe('seen');
  });

  it('comes when every seen choice has finished, in any order', () => {
    const steps = fc.array(fc.tuple(fc.nat(4), fc.boolean()), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(steps, (list) => {
        const seen = new Set(list.map(([index]) => index));
        const finished = new Set(list.filter(([, last]) => last).map(([index]) => index));
        const text = stream(...list.map(([index, last]) => (last ? stops(index) : says(index))));
        expect(endingOf('chat', text)).toBe(finished.size === seen.size ? 'seen' : 'missing');
      }),
    );
  });

  it('is not delayed by a call of a second tool', () => {
    const call = chunkOf(0, { delta: { tool_calls: [{ index: 1, id: 't' }] } });
    expect(endingOf('chat', stream(says(0), call, stops(0)))).toBe('seen');
  });
});

describe('the end of a Responses stream', () => {
  const created = { type: 'response.created', response: { id: 'r', status: 'in_progress' } };
  const unnamed = `data: ${JSON.stringify(created)}\n\n`;

  it.each(['completed', 'incomplete', 'failed', 'cancelled', 'done'])('is response.%s', (last) => {
    const event = { type: `response.${last}`, response: { id: 'r' } };
    expect(endingOf('responses', stream(created, event))).toBe('seen');
    expect(endingOf('responses', `${unnamed}data: ${JSON.stringify(event)}\n\n`)).toBe('seen');
  });

  it('is missing if it comes after response events in another form', () => {
    expect(endingOf('responses', unnamed)).toBe('missing');
    const part = { type: 'response.output_text.done', text: LURE };
    expect(endingOf('responses', stream(created, part))).toBe('missing');
    expect(endingOf('responses', stream(created, part, 'data: [DONE]'))).toBe('seen');
  });

  it('is unknown for a stream of other events', () => {
    expect(endingOf('responses', '')).toBe('unknown');
    expect(endingOf('responses', stream({ type: 'step', text: LURE }))).toBe('unknown');
  });
});

describe('a last event whose blank line is missing', () => {
  it.each(PROTOCOLS)('counts when the stream ends, not before: %s', (protocol) => {
    const meter = createUsageMeter({ protocol, streamed: true, encoding: null, memory });
    const text = STREAMS[protocol].replace(/"finish_reason":"stop"/, '"finish_reason":null');
    meter.push(bytes(text.trimEnd()));
    expect(meter.ending).toBe('missing');
    meter.end();
    expect(meter.ending).toBe('seen');
  });
});

describe('the counts of a stream', () => {
  it('are totals: later ones win, but a zero does not replace an earlier count', async () => {
    const { usage } = await measureDeltas(
      { input_tokens: 5, output_tokens: 3, cache_read_input_tokens: 8 },
      { input_tokens: 0, output_tokens: 9, cache_read_input_tokens: 8 },
    );
    expect(usage).toMatchObject({ input: 13, output: 9, cacheRead: 8 });
  });

  it.each([-1, 1.5, '7', null, 2 ** 60, 1e9 + 1, Number.MAX_SAFE_INTEGER, {}])(
    'are not parsed from the invalid value %j',
    async (nonsense) => {
      const { usage } = await measureDeltas({ input_tokens: nonsense, output_tokens: nonsense });
      expect(usage).toEqual(UNKNOWN_USAGE);
    },
  );
});

describe('an oversized event', () => {
  it('never throws, and makes the end of the stream unknown', async () => {
    const meter = createUsageMeter({ protocol: 'chat', streamed: true, encoding: null, memory });
    const piece = new Uint8Array(1024 * 1024).fill(97);
    meter.push(bytes('data: {"text":"'));
    for (let i = 0; i < 10; i += 1) meter.push(piece);
    meter.push(bytes(`"}\n\n${CHAT}`));
    expect(meter.ending).toBe('unknown');
    expect(await meter.finish()).toMatchObject({ usage: UNKNOWN_USAGE });
  });
});

describe('a response without a stream', () => {
  const answers: Record<TextProtocol, object> = {
    chat: {
      id: 'c-1',
      model: 'acme/großes-🦊',
      choices: [{ message: { content: LURE } }],
      usage: {
        prompt_tokens: 20,
        completion_tokens: 9,
        prompt_tokens_details: { cached_tokens: 12 },
        completion_tokens_details: { reasoning_tokens: 3 },
      },
    },
    messages: {
      id: 'm-1',
      model: 'acme/großes-🦊',
      usage: {
        input_tokens: 7,
        cache_read_input_tokens: 100,
        cache_creation_input_tokens: 20,
        output_tokens: 42,
      },
    },
    responses: {
      id: 'r-1',
      model: 'acme/großes-🦊',
      error: null,
      usage: {
        input_tokens: 50,
        input_tokens_details: { cached_tokens: 40 },
        output_tokens: 6,
        output_tokens_details: { reasoning_tokens: 2 },
      },
    },
  };

  it.each(PROTOCOLS)('is measured in any chunks: %s', async (protocol) => {
    const body = bytes(JSON.stringify(answers[protocol], null, 1));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(10_000), { maxLength: 9 }), async (places) => {
        const measured = await measure(cut(body, places), { protocol, streamed: false });
        expect(measured).toEqual(EXPECTED[protocol]);
      }),
    );
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ])('is decompressed first: %s', async (encoding, encode) => {
    const body = encode(bytes(JSON.stringify(answers.chat)));
    expect(await measure([body], { streamed: false, encoding })).toEqual(EXPECTED.chat);
  });

  it('decodes a list of codings from the last to the first', async () => {
    const body = gzipSync(brotliCompressSync(bytes(JSON.stringify(answers.chat))));
    expect(await measure([body], { streamed: false, encoding: 'br, gzip' })).toEqual(EXPECTED.chat);
  });

  it('that exceeds its limit, is damaged or has an unknown coding has unknown usage', async () => {
    const bomb = gzipSync(new Uint8Array(33 * 1024 * 1024));
    const cases: [Uint8Array, string][] = [
      [bomb, 'gzip'],
      [bytes('no gzip'), 'gzip'],
      [bytes('{}'), 'compress'],
    ];
    for (const [body, encoding] of cases) {
      expect((await measure([body], { streamed: false, encoding })).usage).toEqual(UNKNOWN_USAGE);
    }
  });

  it('larger than 8 MiB is not buffered', async () => {
    const piece = new Uint8Array(1024 * 1024);
    const chunks = Array.from({ length: 9 }, () => piece);
    expect(await measure(chunks, { streamed: false })).toMatchObject({ usage: UNKNOWN_USAGE });
  });

  it.each([
    [
      { error: { message: 'm', type: 'invalid_request_error', code: 'model_not_found' } },
      'model_not_found',
    ],
    [{ error: { message: 'm', type: 'rate_limit_error', code: null } }, 'rate_limit_error'],
    [{ type: 'error', error: { type: 'overloaded_error', message: 'm' } }, 'overloaded_error'],
    [{ error: { message: 'm', code: 1234 } }, '1234'],
    [{ error: { message: 'm' } }, null],
  ])('names the error of %j', async (body, errorCode) => {
    for (const protocol of [...PROTOCOLS, null]) {
      const measured = await measure([bytes(JSON.stringify(body))], { protocol, streamed: false });
      expect(measured).toMatchObject({ errorCode });
    }
  });

  it('never throws for any input', async () => {
    const options = fc.record({
      protocol: fc.constantFrom(...PROTOCOLS, null),
      encoding: fc.constantFrom(null, 'gzip', 'br', 'zstd', 'deflate', 'x'),
    });
    const bodies = fc.oneof(fc.uint8Array(), fc.json().map(bytes));
    await fc.assert(
      fc.asyncProperty(bodies, options, async (body, choice) => {
        const measured = await measure([body], { streamed: false, ...choice });
        expect(measured.usage.source).toBe('unknown');
      }),
    );
  });
});
