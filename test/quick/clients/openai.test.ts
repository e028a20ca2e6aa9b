import { APIUserAbortError, toFile } from 'openai';
import { describe, expect, test } from 'vitest';
import { DEFAULT_FIELDS, OTHER_FIELDS } from '../../../sandbox/fields.ts';
import { latestRequest } from '../../kit/gateway/sandbox-requests.ts';
import { startHarness } from '../../kit/gateway/harness.ts';
import {
  ASKING_FOR_TOOL,
  GOOD,
  MESSAGES,
  MODEL,
  onlyRecord,
  openai,
  QUESTION,
  reported,
  TOOL_SCHEMA,
} from './sdks.ts';
import { submitVideo } from './video.ts';

describe('The models', () => {
  test.for([
    ['models', DEFAULT_FIELDS],
    ['entries', OTHER_FIELDS],
    ['data', { ...DEFAULT_FIELDS, modelList: 'data' }],
  ] as const)('are listed when the service wraps them as "%s"', async ([wrapper, fields]) => {
    await using harness = await startHarness({ sandbox: { fields } });
    const { data } = await openai(harness).models.list();
    expect(data).toContainEqual(
      expect.objectContaining({ id: MODEL, object: 'model', owned_by: 'aurora' }),
    );
    expect(await onlyRecord(harness)).toMatchObject({
      clientName: 'Test',
      route: 'models',
      userAgent: expect.stringMatching(/^OpenAI\/JS 7/),
      repairs: wrapper === 'data' ? [] : [{ code: 'models-wrapper' }],
      usage: { source: 'unknown' },
    });
  });

  test('are retrieved one by one, also with slashes in their ids', async () => {
    await using harness = await startHarness();
    const client = openai(harness);
    for (const id of [MODEL, 'dune/open/dune-7b']) {
      expect(await client.models.retrieve(id)).toMatchObject({ id });
    }
  });
});

describe('Chat Completions', () => {
  test('answers without a stream', async () => {
    await using harness = await startHarness();
    const { choices, usage } = await openai(harness).chat.completions.create({
      model: MODEL,
      messages: MESSAGES,
    });
    expect(choices[0]?.message.content).toContain(QUESTION);
    expect(await onlyRecord(harness)).toMatchObject({
      ...GOOD,
      route: 'chat',
      pathReceived: '/v1/chat/completions',
      streamed: false,
      usage: reported(usage?.prompt_tokens, usage?.completion_tokens),
    });
    expect(harness.sandbox.charges).toBe(1);
  });

  test.for(['aurora/aurora-large', 'sandbox/usage-apart', 'sandbox/odd-chunks', 'sandbox/gzip'])(
    'answers in a stream, with usage: %s',
    async (model) => {
      await using harness = await startHarness();
      const stream = openai(harness).chat.completions.stream({
        model,
        messages: MESSAGES,
        stream_options: { include_usage: true },
      });
      const { choices, usage } = await stream.finalChatCompletion();
      expect(choices[0]?.message.content).toContain(QUESTION);
      expect(usage?.prompt_tokens).toBeGreaterThan(0);
      expect(await onlyRecord(harness)).toMatchObject({
        ...GOOD,
        modelAsked: model,
        modelSent: model,
        modelServed: model,
        repairs: model.endsWith('gzip') ? [{ code: 'stream-decoded' }] : [],
        route: 'chat',
        streamed: true,
        usage: reported(usage?.prompt_tokens, usage?.completion_tokens),
      });
    },
  );

  test('streams without usage when none is requested, and its usage is known nevertheless', async () => {
    await using harness = await startHarness();
    const stream = openai(harness).chat.completions.stream({ model: MODEL, messages: MESSAGES });
    const { usage } = await stream.finalChatCompletion();
    expect(usage).toBeUndefined();
    expect(await onlyRecord(harness)).toMatchObject({
      ...GOOD,
      streamed: true,
      usage: { source: 'reported' },
    });
  });

  test('calls a tool, with and without a stream, and accepts its result', async () => {
    await using harness = await startHarness();
    const { completions } = openai(harness).chat;
    const tools = [
      { type: 'function' as const, function: { name: 'weather', parameters: TOOL_SCHEMA } },
    ];
    const ask = { model: MODEL, messages: ASKING_FOR_TOOL, tools };
    const whole = await completions.create(ask);
    const streamed = await completions.stream(ask).finalChatCompletion();
    for (const { choices } of [whole, streamed]) {
      expect(choices[0]?.finish_reason).toBe('tool_calls');
      expect(choices[0]?.message.tool_calls).toMatchObject([
        { type: 'function', function: { name: 'weather', arguments: '{"city":"sandbox"}' } },
      ]);
    }
    const message = whole.choices[0]?.message;
    if (message === undefined) throw new Error('There was no message.');
    const result = { role: 'tool' as const, tool_call_id: 'x', content: 'Rain' };
    const next = await completions.create({
      model: MODEL,
      messages: [...ASKING_FOR_TOOL, message, result],
      tools,
    });
    expect(next.choices[0]?.finish_reason).toBe('stop');
    for (const record of await harness.recorded(3)) expect(record).toMatchObject(GOOD);
  });

  test('reports the cached and the reasoning tokens of a model that has them', async () => {
    await using harness = await startHarness();
    const { usage } = await openai(harness).chat.completions.create({
      model: 'cirrus/cirrus-thinking',
      messages: MESSAGES,
    });
    expect(usage?.completion_tokens_details?.reasoning_tokens).toBeGreaterThan(0);
    expect((await onlyRecord(harness)).usage).toMatchObject({
      input: usage?.prompt_tokens,
      output: usage?.completion_tokens,
      cacheRead: usage?.prompt_tokens_details?.cached_tokens,
      reasoning: usage?.completion_tokens_details?.reasoning_tokens,
      source: 'reported',
    });
  });

  test('stops at the service when the stream is aborted', async () => {
    await using harness = await startHarness();
    const stream = openai(harness).chat.completions.stream({
      model: 'sandbox/keep-open',
      messages: MESSAGES,
      stream_options: { include_usage: false },
    });
    stream.once('content', () => stream.abort());
    await expect(stream.done()).rejects.toThrow(APIUserAbortError);
    expect(await latestRequest(harness).closed).toBe('aborted');
    expect(await onlyRecord(harness)).toMatchObject({ route: 'chat', streamed: true, status: 200 });
  });

  test('stops at the service when it is aborted before the first byte', async () => {
    await using harness = await startHarness();
    const client = openai(harness);
    // The model list is known, so the next request to the service is the one that is aborted.
    await client.models.list();
    const arriving = harness.sandbox.nextRequest();
    const leaving = new AbortController();
    const asked = client.chat.completions.create(
      { model: MODEL, messages: MESSAGES },
      { signal: leaving.signal, headers: { 'x-sandbox-scenario': 'slow-first-byte=600000' } },
    );
    const failed = expect(asked).rejects.toThrow(APIUserAbortError);
    const { closed } = await arriving;
    leaving.abort();
    await failed;
    expect(await closed).toBe('aborted');
    const [record] = await harness.recorded(2);
    expect(record).toMatchObject({ route: 'chat', status: null, endedBy: 'client' });
  });

  test('aborted in the middle is recorded as left by the client', async () => {
    await using harness = await startHarness();
    const stream = openai(harness).chat.completions.stream(
      { model: MODEL, messages: MESSAGES },
      { headers: { 'x-sandbox-scenario': 'silent-stream' } },
    );
    stream.once('content', () => stream.abort());
    await expect(stream.done()).rejects.toThrow(APIUserAbortError);
    expect(await latestRequest(harness).closed).toBe('aborted');
    expect(await onlyRecord(harness)).toMatchObject({
      endedBy: 'client',
      errorCode: null,
      status: 200,
      streamed: true,
    });
  });
});

describe('Responses', () => {
  test('answers with and without a stream, with equal text and usage', async () => {
    await using harness = await startHarness();
    const { responses } = openai(harness);
    const whole = await responses.create({ model: MODEL, input: QUESTION });
    const streamed = await responses.stream({ model: MODEL, input: QUESTION }).finalResponse();
    expect(whole.output_text).toContain(QUESTION);
    expect(streamed.output_text).toBe(whole.output_text);
    expect(streamed.usage).toEqual(whole.usage);
    const [second, first] = await harness.recorded(2);
    const usage = reported(whole.usage?.input_tokens, whole.usage?.output_tokens);
    expect(first).toMatchObject({ ...GOOD, route: 'responses', streamed: false, usage });
    expect(second).toMatchObject({ ...GOOD, route: 'responses', streamed: true, usage });
  });

  test('calls a tool', async () => {
    await using harness = await startHarness();
    const tools = [
      { type: 'function' as const, name: 'weather', parameters: TOOL_SCHEMA, strict: false },
    ];
    const { output } = await openai(harness)
      .responses.stream({ model: MODEL, input: 'Use the tool.', tools })
      .finalResponse();
    expect(output[0]).toMatchObject({
      type: 'function_call',
      name: 'weather',
      arguments: '{"city":"sandbox"}',
    });
  });

  test('stops at the service when the stream is aborted', async () => {
    await using harness = await startHarness();
    const stream = openai(harness).responses.stream(
      { model: MODEL, input: QUESTION },
      { headers: { 'x-sandbox-scenario': 'silent-stream' } },
    );
    stream.on('event', ({ type }) => {
      if (type === 'response.output_text.delta') stream.abort();
    });
    await expect(stream.done()).rejects.toThrow(APIUserAbortError);
    expect(await latestRequest(harness).closed).toBe('aborted');
    expect(await onlyRecord(harness)).toMatchObject({ endedBy: 'client', errorCode: null });
  });
});

describe('Files and videos', () => {
  test('a file arrives complete, with its type unchanged', async () => {
    await using harness = await startHarness();
    const file = await toFile(Buffer.alloc(300_000, 'p\u0000ng\r\n'), 'cat.png', {
      type: 'image/png',
    });
    const stored = await openai(harness).files.create({ file, purpose: 'user_data' });
    expect(stored).toMatchObject({ bytes: 300_000, filename: 'cat.png' });
    const record = await onlyRecord(harness);
    expect(record).toMatchObject({ route: 'files', status: 200, repairs: [], endedBy: 'service' });
    expect(record.bytesIn).toBeGreaterThan(300_000);
  });

  test('a video is ordered, polled and downloaded', async () => {
    await using harness = await startHarness();
    const client = openai(harness);
    const id = await submitVideo(client, { 'x-sandbox-render-ms': '0' });
    const task = await client.videos.retrieve(id);
    expect(task.status).toBe('completed');
    const content = await client.videos.downloadContent(id);
    const bytes = Buffer.from(await content.arrayBuffer());
    expect(bytes.toString('latin1', 4, 8)).toBe('ftyp');
    const last = await harness.recordOf(content.headers.get('x-gatehouse-exchange'));
    expect(last).toMatchObject({
      route: 'video-content',
      status: 200,
      bytesOut: bytes.length,
      repairs: [{ code: 'redirect-followed' }],
    });
    // The queue may fetch the file at the same time, under its own name.
    const asked = (await harness.records()).filter(
      ({ clientName }) => clientName === last.clientName,
    );
    expect(asked.map(({ route }) => route)).toEqual([
      'video-content',
      'video-status',
      'video-submit',
      'files',
    ]);
    expect(harness.sandbox.charges).toBe(1);
  });
});
