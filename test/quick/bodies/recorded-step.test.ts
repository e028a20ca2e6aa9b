import { expect, test } from 'vitest';
import type { ExchangeBodies, StoredBody } from '../../../shared/exchange/body.ts';
import type { TextProtocol } from '../../../shared/chat/chat.ts';
import type { StepFacts } from '../../../shared/run/run.ts';
import { UNKNOWN_USAGE } from '../../../shared/exchange/usage.ts';
import { recordStep } from '../../../gateway/bodies/runs/record-step.ts';
import { FIXTURE_FORMAT } from '../../../sandbox/fixture/fixture.ts';
import { parseFixture } from '../../../sandbox/fixture/parse-fixture.ts';
import { Playback } from '../../../sandbox/fixture/playback.ts';
import type { JsonObject } from '../../../sandbox/json.ts';
import { collectNewestTexts } from '../../../sandbox/text/conversation.ts';
import { offersTools } from '../../../sandbox/text/tools.ts';

const REMINDER = { type: 'text', text: '<system-reminder>Today is Monday.</system-reminder>' };
const RESULT = {
  type: 'tool_result',
  tool_use_id: 'c',
  content: [
    { type: 'text', text: 'Line 1' },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: '' } },
    { type: 'text', text: 'is empty.' },
  ],
};
const CALL = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };

const PLAIN = { messages: [{ role: 'user', content: 'Hello' }] };

/** Requests with what makes it hard to find the same text in them twice. */
const REQUESTS: readonly (readonly [TextProtocol, JsonObject, string | undefined])[] = [
  [
    'messages',
    {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Fix it' },
            REMINDER,
            { type: 'text', text: 'and <b>test</b>' },
          ],
        },
      ],
    },
    'and <b>test<',
  ],
  ['messages', { messages: [{ role: 'user', content: [RESULT, REMINDER] }] }, 'is empty.'],
  [
    'messages',
    { messages: [{ role: 'user', content: [{ ...REMINDER, text: `${REMINDER.text}Explain.` }] }] },
    'Explain.',
  ],
  [
    'chat',
    {
      tools: [{ type: 'function', function: { name: 'f' } }],
      messages: [
        { role: 'system', content: 'You are an agent for everything.' },
        { role: 'user', content: 'The first question' },
        { role: 'assistant', content: null, tool_calls: [CALL] },
        { role: 'tool', tool_call_id: 'c', content: '42' },
        { role: 'system', content: 'Be brief from now on.' },
      ],
    },
    undefined,
  ],
  ['chat', { functions: [{ name: 'f' }], messages: [{ role: 'user', content: 'Hi' }] }, 'Hi'],
  ['responses', { instructions: 'Be brief.', input: 'What  is\nit?' }, 'What is it?'],
  [
    'responses',
    {
      stream: true,
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'The first question' }] },
        { type: 'reasoning', summary: [] },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: 'It is sunny.' },
      ],
    },
    'It is sunny.',
  ],
];

function body(text: string, contentType: string): StoredBody {
  const facts = { binary: false, bytes: text.length, omitted: null, masked: 0, eventTimes: null };
  return { text, contentType, ...facts };
}

function record(protocol: TextProtocol, request: JsonObject, returned: StoredBody | null) {
  const facts: StepFacts = {
    protocol,
    clientName: 'Agent',
    model: 'm',
    status: 200,
    errorCode: null,
    endedBy: 'service',
    durationMs: 1,
    firstByteMs: 1,
    usage: UNKNOWN_USAGE,
  };
  const sent = body(JSON.stringify(request), 'application/json');
  const bodies: ExchangeBodies = { state: 'kept', received: null, sent, returned };
  return recordStep(bodies, facts);
}

test.each(REQUESTS)('a %s request gets its own step again: %j', (protocol, request, contains) => {
  const step = record(protocol, request, body('{}', 'application/json'));
  const text = `{"format":"${FIXTURE_FORMAT}","steps":[${step?.json}]}`;
  const { steps } = parseFixture(text);
  expect(steps[0]?.when.contains).toBe(contains);
  const facts = {
    protocol,
    model: 'm',
    tools: offersTools(request),
    stream: request['stream'] === true,
    newest: collectNewestTexts(request).join('\n'),
  };
  expect(new Playback(steps).play(facts, ({ kind }) => kind)).toBe('recorded');
});

test('a fixture can have what a service sent, whatever it is', () => {
  const events = 'data: 1\r\n\r\n: ping\n\n\ndata: 2';
  const odd = record('messages', { ...PLAIN, model: 'm'.repeat(300) }, body(events, 'text/évent'));
  expect(odd?.models).toEqual([]);
  const fixture = parseFixture(`{"format":"${FIXTURE_FORMAT}","steps":[${odd?.json}]}`);
  expect(fixture.steps[0]).toMatchObject({ response: { pieces: [events], isStream: false } });
  const stream = record('messages', PLAIN, body(events, 'text/event-stream; charset=utf-8'));
  const { steps } = parseFixture(`{"format":"${FIXTURE_FORMAT}","steps":[${stream?.json}]}`);
  const [step] = steps;
  expect(step?.kind === 'recorded' ? step.response.pieces.join('') : null).toBe(events);
  expect(step).toMatchObject({ response: { isStream: true, isCut: false } });
});

test('a step whose response is not kept whole is none', () => {
  const whole = body('{}', 'application/json');
  expect(record('messages', PLAIN, { ...whole, omitted: { at: 1, bytes: 9 } })).toBeNull();
  expect(record('messages', PLAIN, { ...whole, binary: true })).toBeNull();
  expect(record('messages', PLAIN, null)?.json).toContain('"body": ""');
});
