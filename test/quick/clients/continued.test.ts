import { expect, test } from 'vitest';
import { startHarness } from '../../kit/gateway/harness.ts';
import { MODEL, openai } from './sdks.ts';

test('a conversation that the service stores is rebuilt, whole and streamed', async () => {
  await using harness = await startHarness();
  const { responses } = openai(harness);
  const base = { model: MODEL, instructions: 'Be brief.' };
  const first = await responses.create({ ...base, input: 'My cat is Mia.' });
  const stream = await responses.create({
    ...base,
    input: 'And my dog is Rex.',
    previous_response_id: first.id,
    stream: true,
  });
  let id = '';
  for await (const event of stream) if (event.type === 'response.completed') id = event.response.id;
  const last = await responses.create({ ...base, input: 'Who?', previous_response_id: id });
  expect(last.usage?.input_tokens).toBeGreaterThan(3 * (first.usage?.input_tokens ?? 0));

  const { gateway } = harness;
  const records = await harness.recorded(3);
  const [whole, , third] = records.toSorted((one, other) => one.startedAt - other.startedAt);
  if (third === undefined || whole === undefined) throw new Error('An exchange is missing.');
  const { earlier, sent, received } = await gateway.readBodies(third.id);
  expect(earlier).toMatchObject({ start: 'whole', count: 4, gap: null, isCutOff: false });
  expect(earlier?.items).toContain('My cat is Mia.');
  expect((sent ?? received)?.text).not.toContain('Mia');
  expect((await gateway.readBodies(whole.id)).earlier).toBeUndefined();
  expect(await gateway.bodies.findPlace(third.id)).toMatchObject({
    title: 'My cat is Mia.',
    number: 3,
    step: { change: null, earlier: { count: 4 }, comparison: { isWhole: true } },
  });
});

test('a response that the service does not have is refused, and shown as not kept', async () => {
  await using harness = await startHarness();
  const { responses } = openai(harness);
  const { id } = await responses.create({ model: MODEL, input: 'One.', store: false });
  const next = { model: MODEL, input: 'Two.' };
  await expect(responses.create({ ...next, previous_response_id: id })).rejects.toMatchObject({
    status: 400,
    code: 'previous_response_not_found',
  });
  const unknown = { ...next, previous_response_id: 'resp_unknown' };
  await expect(responses.create(unknown)).rejects.toMatchObject({ status: 400 });
  const { gateway } = harness;
  const records = await harness.recorded(3);
  const exchange = records.toSorted((one, other) => one.startedAt - other.startedAt).at(-1);
  if (exchange === undefined) throw new Error('The exchange is missing.');
  const { earlier } = await gateway.readBodies(exchange.id);
  expect(earlier).toMatchObject({ start: 'not kept', count: 0 });
});
