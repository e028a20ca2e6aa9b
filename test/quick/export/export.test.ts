import { describe, expect, test } from 'vitest';
import type { ExchangeBodies, StoredBody } from '../../../shared/exchange/body.ts';
import { ExchangeId } from '../../../shared/exchange/exchange.ts';
import { ExportFormat } from '../../../shared/history/export.ts';
import { SILENT_SENDER } from '../../../shared/exchange/sender.ts';
import { NO_MEDIA, UNKNOWN_USAGE } from '../../../shared/exchange/usage.ts';
import { anExchange } from '../../kit/history/an-exchange.ts';
import { exportChunks, joinText, NO_BODIES } from '../../kit/history/export-chunks.ts';
import { type HistoryFolder, NOON, openHistoryFolder } from '../../kit/history/history-folder.ts';
import { Har } from '../../kit/history/har-schema.ts';

/** Lists of names and values in turn. */
const HEADERS = {
  received: ['authorization', 'Bearer secret', 'content-type', 'application/json'],
  sent: null,
  answered: null,
  returned: ['location', '/elsewhere', 'set-cookie', 'session=secret'],
};

const aBody = (text: string, fields: Partial<StoredBody> = {}): StoredBody => ({
  text,
  binary: false,
  bytes: Buffer.byteLength(text),
  contentType: 'application/json',
  omitted: null,
  masked: 0,
  eventTimes: null,
  ...fields,
});

const someBodies = (sent: StoredBody, returned: StoredBody | null = null): ExchangeBodies => ({
  state: 'kept',
  received: null,
  sent,
  returned,
});

const chat = (...messages: readonly (readonly [role: string, content: string])[]): StoredBody =>
  aBody(
    JSON.stringify({
      model: 'm',
      messages: messages.map(([role, content]) => ({ role, content })),
    }),
  );

const answer = (content: string): StoredBody =>
  aBody(
    JSON.stringify({
      choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }],
    }),
  );

async function exportHar(
  folder: HistoryFolder,
  bodies: (id: string) => ExchangeBodies = () => NO_BODIES,
) {
  const text = joinText(await exportChunks(folder, { format: 'har', bodies }));
  return Har.parse(JSON.parse(text)).log.entries;
}

describe('An export of the history', () => {
  test('in JSONL has every exchange with its headers and bodies on a line, newest first', async () => {
    await using folder = await openHistoryFolder();
    const all = Array.from({ length: 60 }, (_, at) =>
      anExchange(`e${at}`, { startedAt: NOON - at, pathReceived: '/a\n"b' }),
    );
    await folder.record(...all, anExchange('other', { clientName: 'Codex' }));
    folder.history.record(anExchange('heads', { startedAt: NOON + 1 }), HEADERS);
    await folder.history.flush();
    const bodies = someBodies(chat(['user', 'Hello\u2028']), answer('Hi'));
    const chunks = await exportChunks(folder, {
      format: 'jsonl',
      filter: { clients: ['Cline'] },
      bodies: (id) => (id === 'e3' ? bodies : NO_BODIES),
    });
    const lines = joinText(chunks).trimEnd().split('\n');
    const [first, ...others] = lines.map((line): unknown => JSON.parse(line));
    expect(first).toMatchObject({
      id: 'heads',
      headers: {
        returned: [
          ['location', '/elsewhere'],
          ['set-cookie', '••••'],
        ],
      },
    });
    expect(others).toEqual(
      all.map((record) => ({
        ...record,
        mark: null,
        headers: null,
        bodies: record.id === 'e3' ? bodies : NO_BODIES,
      })),
    );
    expect(chunks.map(({ exchanges }) => exchanges)).toEqual([25, 50, 61]);
    expect(joinText(chunks)).not.toContain('secret');
  });

  test('in CSV has a line of names, and quotes where needed', async () => {
    await using folder = await openHistoryFolder();
    await folder.record(
      anExchange('a', { pathReceived: '/a,"b"', errorMessage: 'one\ntwo' }),
      ...Array.from({ length: 260 }, (_, at) => anExchange(`e${at}`, { startedAt: NOON - 1 })),
    );
    const chunks = await exportChunks(folder, { format: 'csv' });
    expect(chunks.map(({ exchanges }) => exchanges)).toEqual([250, 261]);
    const text = joinText(chunks);
    expect(text.split('\r\n')[0]).toMatch(/^id,started_at,service,client,/);
    expect(text).toContain(
      `a,${new Date(NOON).toISOString()},https://models.example.com,Cline,conversation-1,`,
    );
    expect(text).toContain('"/a,""b"""');
    expect(text).toContain('"one\ntwo"');
    expect(text).toMatch(/,reported,1,[^,]+Z,,{14,}no,,,,none,EUR\r\n$/);
  });

  test('in CSV has whose request it was, and how its run and each number is known', async () => {
    await using folder = await openHistoryFolder();
    const sender = {
      ...SILENT_SENDER,
      agent: 'a1',
      requestClass: 'main',
      project: '/projects/shop',
    };
    const media = { ...NO_MEDIA, images: 2 };
    const usage = { ...UNKNOWN_USAGE, input: 7, output: 5, cacheWriteHour: 4, media };
    await folder.record(
      anExchange('guessed', { run: 'run-1', conversation: null, startedAt: NOON - 1 }),
      anExchange('named', {
        run: 'run-1',
        sender,
        usage: { ...usage, source: 'estimated', reportedPart: 'input' },
        video: { seconds: 5, resolution: '480p' },
      }),
    );
    const text = joinText(await exportChunks(folder, { format: 'csv' }));
    const [names = [], ...rows] = text.split('\r\n').map((line) => line.split(','));
    const read = (row: number, ...columns: readonly string[]) =>
      columns.map((name) => rows[row]?.[names.indexOf(name)]);
    expect(read(0, 'id', 'run', 'run_source')).toEqual(['named', 'run-1', 'client']);
    expect(read(1, 'id', 'run', 'run_source')).toEqual(['guessed', 'run-1', 'messages']);
    expect(read(0, 'agent', 'request_class', 'project')).toEqual(['a1', 'main', '/projects/shop']);
    expect(read(0, 'usage_source', 'reported_part', 'tokens_cache_write_hour', 'images')).toEqual([
      'estimated',
      'input',
      '4',
      '2',
    ]);
    expect(read(0, 'video_seconds', 'video_resolution')).toEqual(['5', '480p']);
  });

  test('in CSV has the cost with how it is known, and times to a microsecond', async () => {
    await using folder = await openHistoryFolder();
    const cost = { amount: 12_345, source: 'estimated', priceId: 1 } as const;
    const unpriced = { amount: null, source: 'unpriced', priceId: null } as const;
    await folder.record(
      anExchange('a', {
        cost,
        durationMs: 98.411_174_000_008_03,
        firstByteMs: 7,
        overheadMs: null,
      }),
      anExchange('b', { cost: unpriced, startedAt: NOON - 1 }),
    );
    const text = joinText(await exportChunks(folder, { format: 'csv' }));
    const [head = '', ...rows] = text.trimEnd().split('\r\n');
    const cells = rows.map((row) => {
      const values = row.split(',');
      return Object.fromEntries(head.split(',').map((name, place) => [name, values[place]]));
    });
    expect(cells).toMatchObject([
      {
        first_byte_ms: '7',
        duration_ms: '98.411',
        overhead_ms: '',
        cost: '0.012345',
        cost_source: 'estimated',
        currency: 'EUR',
      },
      { cost: '', cost_source: 'unpriced' },
    ]);
  });

  test.each([
    ['csv', 'yes,bug later,"\'=1+1\nagain"'],
    ['jsonl', String.raw`"mark":{"pinned":true,"note":"=1+1\nagain","tags":["bug","later"]`],
    ['har', String.raw`"comment":"=1+1\nagain"`],
    ['html', '<dt>Tags</dt><dd>bug, later</dd></div><div><dt>Note</dt><dd>=1+1\nagain</dd>'],
    ['md', '- Pinned: yes\n- Tags: ` bug `, ` later `\n- Note: ` =1+1 again `'],
  ] as const)('in %s has the mark', async (format, part) => {
    await using folder = await openHistoryFolder();
    await folder.record(anExchange('a'));
    const change = { pinned: true, note: '=1+1\nagain', addTags: ['bug', 'later'] };
    await folder.history.mark(ExchangeId.parse('a'), change);
    expect(joinText(await exportChunks(folder, { format }))).toContain(part);
    if (format === 'har') expect(await exportHar(folder)).toHaveLength(1);
  });

  test.each(['=1+1', '+1', '-1', '@a', '\tx', '\rx', '＝1'])(
    'in CSV lets no spreadsheet evaluate %j',
    async (model) => {
      await using folder = await openHistoryFolder();
      await folder.record(anExchange('a', { modelSent: model, userAgent: model }));
      const text = joinText(await exportChunks(folder, { format: 'csv' }));
      const [, cells = ''] = text.split('\r\n');
      expect(cells.match(/,"?'[=+\-@\t\r＝]/g)).toHaveLength(2);
    },
  );

  test('is a complete file even when nothing matches', async () => {
    await using folder = await openHistoryFolder();
    const read = async (format: ExportFormat) => joinText(await exportChunks(folder, { format }));
    expect(await read('csv')).toMatch(/^id,.*\r\n$/);
    expect(await read('jsonl')).toBe('');
    expect(await read('md')).toBe('# Requests and responses\n\n');
    expect(await read('html')).toMatch(/^<!doctype html>[^]*<main>\n<\/main>[^]*<\/html>\n$/u);
    expect(await exportHar(folder)).toEqual([]);
  });

  test.each(ExportFormat.options)('in %s ends when its signal is aborted', async (format) => {
    await using folder = await openHistoryFolder();
    await folder.record(...Array.from({ length: 600 }, (_, at) => anExchange(`e${at}`)));
    const ending = new AbortController();
    const chunks = await exportChunks(folder, {
      format,
      signal: ending.signal,
      bodies: () => {
        ending.abort();
        return NO_BODIES;
      },
    });
    expect(chunks.at(-1)?.exchanges).toBe(format === 'csv' ? 600 : 25);
  });

  test('of some exchanges has those that match, in their order', async () => {
    await using folder = await openHistoryFolder();
    const ids = Array.from({ length: 60 }, (_, at) => anExchange(`e${at}`).id).toReversed();
    await folder.record(
      ...ids.map((id, at) => anExchange(id, { startedAt: NOON - at, streamed: at !== 7 })),
      anExchange('other'),
    );
    const read = async (query: { streamed?: boolean }) => {
      const text = joinText(
        await exportChunks(folder, {
          format: 'jsonl',
          ids: [...ids, ExchangeId.parse('deleted')],
          filter: query,
        }),
      );
      return text
        .trimEnd()
        .split('\n')
        .map((line) => /"id":"(\w+)"/.exec(line)?.[1]);
    };
    expect(await read({})).toEqual(ids);
    expect(await read({ streamed: true })).toEqual(ids.toSpliced(7, 1));
  });
});

describe('An HTTP archive', () => {
  test('is valid, and has the exchange as it was between the client and Gatehouse', async () => {
    await using folder = await openHistoryFolder();
    const exchange = anExchange('a', { pathReceived: '/v1/x?limit=2&q=%C3%A4', status: 307 });
    folder.history.record(exchange, HEADERS);
    await folder.history.flush();
    const sent = chat(['user', 'as sent']);
    const [entry] = await exportHar(folder, () => ({
      ...someBodies(sent, answer('Hi')),
      received: aBody('as received'),
    }));
    expect(entry).toMatchObject({
      startedDateTime: new Date(NOON).toISOString(),
      time: 99.25,
      timings: { blocked: 0.5, wait: 12, receive: 86.75 },
      request: {
        method: 'POST',
        url: 'http://127.0.0.1:6417/v1/x?limit=2&q=%C3%A4',
        headers: [
          { name: 'authorization', value: 'Bearer ••••' },
          { name: 'content-type', value: 'application/json' },
        ],
        queryString: [
          { name: 'limit', value: '2' },
          { name: 'q', value: 'ä' },
        ],
        postData: { mimeType: 'application/json', text: 'as received' },
        bodySize: 100,
      },
      response: {
        status: 307,
        statusText: 'Temporary Redirect',
        redirectURL: '/elsewhere',
        content: { text: answer('Hi').text, size: answer('Hi').bytes },
        bodySize: 2000,
      },
      _gatehouse: exchange,
      _requestSent: { text: sent.text },
    });
    expect(JSON.stringify(entry)).not.toContain('secret');
  });

  test('names what is not there: cut, binary, masked, missing and unanswered', async () => {
    await using folder = await openHistoryFolder();
    await folder.record(
      anExchange('absent', { startedAt: NOON, status: null, firstByteMs: null, overheadMs: null }),
      anExchange('cut', { startedAt: NOON - 1 }),
    );
    const cut = aBody('{"a":"z"}', { omitted: { at: 5, bytes: 3 * 2 ** 20 }, masked: 2 });
    const binary = aBody('', { binary: true, bytes: 700, contentType: 'video/mp4' });
    const [absent, kept] = await exportHar(folder, (id) =>
      id === 'cut' ? someBodies(cut, binary) : NO_BODIES,
    );
    expect(absent).toMatchObject({
      request: { comment: 'Its headers are not stored. Its body is not stored.' },
      response: {
        status: 0,
        comment: 'The client disconnected before a response.',
        content: { size: 2000, comment: 'It is not stored.' },
      },
    });
    expect(kept?.request.postData).toEqual({
      mimeType: 'application/json',
      text: '{"a":\n… 3.0 MiB in the middle are not kept …\n"z"}',
      comment: '3.0 MiB in the middle are not kept. 2 secrets were masked.',
    });
    expect(kept?.response.content).toEqual({
      size: 700,
      mimeType: 'video/mp4',
      comment: 'It is not text; only its size is kept.',
    });
  });

  test.each(['', '*', '@other.example/x', '//other.example/x', '/a\n"b', '/%zz', 'http://x:y/'])(
    'has an address of Gatehouse for the path %j',
    async (pathReceived) => {
      await using folder = await openHistoryFolder();
      await folder.record(anExchange('a', { pathReceived }));
      const [entry] = await exportHar(folder);
      expect(new URL(entry?.request.url ?? '').host).toBe('127.0.0.1:6417');
    },
  );
});

test.each(['md', 'html'] as const)(
  'an export as %s marks what was rebuilt before the messages that were sent',
  async (format) => {
    await using folder = await openHistoryFolder();
    await folder.record(anExchange('a', { route: 'responses' }));
    const items = JSON.stringify([
      { role: 'user', content: 'My cat is Mia.' },
      { role: 'assistant', content: 'Noted.' },
    ]);
    const flags = { start: 'whole', gap: null, isCutOff: false, isAmbiguous: false } as const;
    const sent = aBody(JSON.stringify({ input: 'Who?', previous_response_id: 'resp_1' }));
    const bodies = () => ({ ...someBodies(sent), earlier: { items, count: 2, ...flags } });
    const text = joinText(await exportChunks(folder, { format, bodies }));
    const mark =
      '2 earlier messages, rebuilt from the requests before, which the service has stored.';
    const places = ['My cat is Mia.', mark, 'Who?'].map((part) => text.lastIndexOf(part));
    expect(places[0]).toBeGreaterThan(0);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(text.split('This request sent only what follows.')).toHaveLength(2);
  },
);

test('a page says how many secrets are masked at most in what was rebuilt', async () => {
  await using folder = await openHistoryFolder();
  await folder.record(anExchange('a', { route: 'responses' }));
  const items = JSON.stringify([{ role: 'user', content: 'Use <key>, or <service key>.' }]);
  const flags = { start: 'whole', gap: null, isCutOff: false, isAmbiguous: false } as const;
  const sent = aBody(JSON.stringify({ input: 'Who?', previous_response_id: 'resp_1' }));
  const bodies = () => ({ ...someBodies(sent), earlier: { items, count: 1, ...flags } });
  const text = joinText(await exportChunks(folder, { format: 'html', bodies }));
  expect(text).toContain('At most 2 secrets are masked here.');
  expect(text).toContain('At most 2 secrets are masked in these requests and responses.');
});

test('a page counts secrets that are masked in what was rebuilt of a request which is not in it', async () => {
  await using folder = await openHistoryFolder();
  const ids = ['one', 'late'].map((id) => ExchangeId.parse(id));
  await folder.record(...ids.map((id) => anExchange(id, { route: 'responses' })));
  const first = { role: 'user', content: 'Begin.' };
  const items = JSON.stringify([first, { role: 'user', content: 'Use <key>.' }]);
  const earlier = { items, count: 2, start: 'whole', gap: null, isCutOff: false } as const;
  const bodies = (id: string) =>
    id === 'one'
      ? someBodies(aBody(JSON.stringify({ input: [first] })))
      : {
          ...someBodies(aBody(JSON.stringify({ input: 'Who?', previous_response_id: 'resp_1' }))),
          earlier: { ...earlier, isAmbiguous: false },
        };
  const text = joinText(await exportChunks(folder, { format: 'html', ids, bodies }));
  expect(text.match(/Use &lt;key&gt;/gu)).toHaveLength(1);
  expect(text).toContain('1 message of <a href="#one">one</a> is left out.');
  expect(text).toContain('At most 1 secret is masked in these requests and responses.');
});

test.each(['md', 'html'] as const)(
  'an export as %s shows the result that a request sent below the mark',
  async (format) => {
    await using folder = await openHistoryFolder();
    await folder.record(anExchange('a', { route: 'responses' }));
    const call = { type: 'function_call', call_id: 'c1', name: 'ls', arguments: '{}' };
    const flags = { start: 'whole', gap: null, isCutOff: false, isAmbiguous: false } as const;
    const input = [{ type: 'function_call_output', call_id: 'c1', output: 'a.txt' }];
    const sent = aBody(JSON.stringify({ input, previous_response_id: 'resp_1' }));
    const earlier = { items: JSON.stringify([call]), count: 1, ...flags };
    const text = joinText(
      await exportChunks(folder, { format, bodies: () => ({ ...someBodies(sent), earlier }) }),
    );
    const [above = '', below = ''] = text.split('This request sent only what follows.');
    expect(above).not.toContain('a.txt');
    expect(below).toMatch(/Result of (?:` )?ls \(\{\}\)[\s\S]*a\.txt/u);
  },
);

describe('Markdown', () => {
  const steps: Readonly<Record<string, ExchangeBodies>> = {
    a: someBodies(
      chat(['system', 'Be brief.'], ['user', '```\nRead it.']),
      answer('I **read** it.'),
    ),
    b: someBodies(
      chat(
        ['system', 'Be brief.'],
        ['user', '```\nRead it.'],
        ['assistant', 'I **read** it.'],
        ['user', 'Go on.'],
      ),
      answer('<details>\n```\nunclosed'),
    ),
    c: someBodies(chat(['user', 'Another task.']), null),
  };

  test('has the messages of each exchange once, and no text changes what follows it', async () => {
    await using folder = await openHistoryFolder();
    const ids = ['a', 'b', 'c'].map((id) => anExchange(id).id);
    await folder.record(...ids.map((id) => anExchange(id)));
    const text = joinText(
      await exportChunks(folder, { format: 'md', ids, bodies: (id) => steps[id] ?? NO_BODIES }),
    );
    expect(text.match(/Be brief\./g)).toHaveLength(1);
    expect(text).toContain('````\n```\nRead it.\n````');
    expect(text).toContain('> I **read** it.');
    expect(text).toContain(
      '*It begins with all messages of the exchange before (a), which are left out here.*',
    );
    expect(text).toContain('> <details>\n> ```\n> unclosed');
    expect(text).toContain('#### user\n\n```\nAnother task.\n```');
    expect(text).toContain('No body was returned, or it is not stored.');
    expect(text.match(/^## Chat, 2026-11-21 12:00:00 \(\w\)$/gm)).toHaveLength(3);
  });

  test('has what the service says of its cache', async () => {
    await using folder = await openHistoryFolder();
    await folder.record(anExchange('a', { route: 'messages' }));
    const diagnostics = { cache_miss_reason: { type: 'tools_changed' } };
    const returned = aBody(JSON.stringify({ role: 'assistant', content: 'Yes.', diagnostics }));
    const bodies = () => someBodies(chat(['user', 'Hi.']), returned);
    const text = joinText(await exportChunks(folder, { format: 'md', bodies }));
    expect(text).toContain('\n\nThe service says: the tools changed.\n\n');
  });

  test('has calls of tools with their results, and says what is missing', async () => {
    await using folder = await openHistoryFolder();
    await folder.record(anExchange('a', { route: 'messages' }));
    const sent = aBody(
      JSON.stringify({
        model: 'm',
        max_tokens: 5,
        tools: [{ name: 'read', input_schema: {} }],
        messages: [
          {
            role: 'assistant',
            content: [
              { type: 'tool_use', id: 't', name: 'read', input: { a: 1 } },
              { type: 'tool_use', id: 'u', name: 'run', input: {} },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 't', content: 'Gone.', is_error: true },
              { type: 'tool_result', tool_use_id: 'u', content: '' },
            ],
          },
        ],
      }),
      { masked: 1 },
    );
    const bodies = () => someBodies(sent, aBody('not JSON at all'));
    const text = joinText(await exportChunks(folder, { format: 'md', bodies }));
    expect(text).toContain('1 secret was masked.');
    expect(text).toContain('` model m `, ` max_tokens 5 `\n\nTools: ` read `');
    expect(text).toContain(
      'Call of ` read `:\n\n```\n{\n  "a": 1\n}\n```\n\nResult, an error:\n\n```\nGone.',
    );
    expect(text).toMatch(/^Call of ` run `:\n\n[^]*?\n\nResult: empty\.$/mu);
    expect(text).toContain('### Response\n\n```\nnot JSON at all\n```');
    const none = joinText(await exportChunks(folder, { format: 'md' }));
    expect(none).toContain('The request and the response are not stored.');
  });
});
