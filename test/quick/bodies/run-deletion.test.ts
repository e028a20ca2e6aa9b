import { expect, test } from 'vitest';
import { beginRequest, type RawRequest } from '../../kit/gateway/request.ts';
import { startScriptedHarness } from '../../kit/gateway/scripted-harness.ts';
import { chunk, LAST_CHUNK, STREAM_HEAD } from '../../kit/net/scripted-upstream.ts';

const EVENT = (content: string) =>
  `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;

/** Makes a streamed request of Chat Completions. */
function toRequest(...texts: readonly string[]): RawRequest {
  const messages = texts.map((content, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content,
  }));
  return {
    path: '/v1/chat/completions',
    headers: ['content-type: application/json'],
    body: JSON.stringify({ model: 'm', stream: true, messages }),
  };
}

test('a deleted run takes its requests in flight with it when they end, and no others', async () => {
  await using both = await startScriptedHarness();
  const { harness, upstream } = both;
  const { gateway } = harness;
  /** Begins a request whose answer has begun. */
  const begin = async (request: RawRequest) => {
    const client = await beginRequest(harness, request);
    const { connection } = await upstream.next();
    connection.send(STREAM_HEAD);
    connection.send(chunk(EVENT('Yes.')));
    return async () => {
      connection.send(chunk('data: [DONE]\n\n'));
      connection.send(LAST_CHUNK);
      await client.rest();
    };
  };
  const listTitles = async () => {
    const { runs } = await gateway.bodies.listRuns({
      filter: { single: true },
      limit: 10,
      before: null,
    });
    return runs.map(({ title, steps }) => `${title}: ${steps}`).toSorted();
  };
  await (
    await begin(toRequest('Rename the function.'))
  )();
  await (
    await begin(toRequest('Write a test.'))
  )();
  await expect.poll(listTitles).toEqual(['Rename the function.: 1', 'Write a test.: 1']);
  const endings = await Promise.all([
    begin(toRequest('Rename the function.', 'Yes.', 'And the file.')),
    begin(toRequest('Rename the function.', 'Yes.', 'And the file.', 'Yes.', 'And its folder.')),
    begin(toRequest('Write a test.', 'Yes.', 'And another one.')),
    begin(toRequest('Explain it.')),
  ]);
  const { runs } = await gateway.bodies.listRuns({
    filter: { single: true, text: 'rename' },
    limit: 10,
    before: null,
  });
  const [run] = runs;
  if (run === undefined) throw new Error('There is no run.');
  expect(await gateway.deleteRun(run.id)).toBe(1);
  expect(gateway.runningExchanges().exchanges).toHaveLength(4);
  let recorded = 0;
  gateway.history.on((written) => (recorded += written));
  await Promise.all(endings.map((end) => end()));
  await expect.poll(() => recorded).toBe(4);
  await expect.poll(listTitles).toEqual(['Explain it.: 1', 'Write a test.: 2']);
  await expect.poll(() => gateway.history.count({}, 10)).toBe(3);
});

test('a request of a deleted run that the end of Gatehouse ends is deleted, too', async () => {
  const both = await startScriptedHarness();
  const { harness, upstream } = both;
  const { gateway } = harness;
  const first = await beginRequest(harness, toRequest('Rename it.'));
  (await upstream.next()).connection.send(
    `${STREAM_HEAD}${chunk(EVENT('Yes.')).toString()}${LAST_CHUNK}`,
  );
  await first.rest();
  const query = { filter: { single: true }, limit: 10, before: null };
  await expect.poll(async () => (await gateway.bodies.listRuns(query)).runs.length).toBe(1);
  await beginRequest(harness, toRequest('Rename it.', 'Yes.', 'And the file.'));
  (await upstream.next()).connection.send(STREAM_HEAD);
  const [run] = (await gateway.bodies.listRuns(query)).runs;
  if (run === undefined) throw new Error('There is no run.');
  await gateway.deleteRun(run.id);
  const deleted: number[] = [];
  gateway.history.on((written) => void deleted.push(written));
  await both[Symbol.asyncDispose]();
  // The record was written, and rows were deleted after it.
  expect(deleted).toEqual([1, 0]);
  expect(harness.logged).toEqual([]);
});
