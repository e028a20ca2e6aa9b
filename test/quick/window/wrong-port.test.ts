import { expect, test } from 'vitest';
import { startWindow } from '../../kit/gateway/window.ts';

test.each([
  ['POST', '/v1/chat/completions'],
  ['GET', '/v1/models'],
  ['GET', '/v1'],
  ['DELETE', '/v1/anything?x=1'],
])(
  'a client that requests %s %s from the port of the window is told which port to use',
  async (method, path) => {
    await using window = await startWindow();
    const answer = await fetch(`${window.url}${path}`, { method });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toEqual({
      error: {
        message: `This is the port of the window. Clients use http://127.0.0.1:${window.gateway.port}/v1.`,
        type: 'not_found_error',
        code: 'unknown_path',
      },
    });
  },
);

test('a client of the Messages protocol gets this error in that form', async () => {
  await using window = await startWindow();
  const answer = await fetch(`${window.url}/v1/messages`, { method: 'POST', body: '{}' });
  expect([answer.status, await answer.json()]).toMatchObject([404, { type: 'error' }]);
});
