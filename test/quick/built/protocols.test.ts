import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROTOCOLS, question, sendRequest } from '../../kit/gateway/request.ts';
import {
  openTestMachine,
  type RunningServer,
  type TestMachine,
} from '../../kit/process/test-machine.ts';

/** The text that ends an answer of each protocol, and that ends its stream. */
const ENDS = {
  chat: ['"finish_reason":"stop"', 'data: [DONE]'],
  responses: ['"status":"completed"', 'event: response.completed'],
  messages: ['"stop_reason":"end_turn"', 'event: message_stop'],
} as const;

let machine: TestMachine;
let server: RunningServer;
beforeAll(async () => {
  machine = await openTestMachine();
  server = await machine.serve();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await machine[Symbol.asyncDispose]();
});

describe.each(PROTOCOLS)('The built program answers a question of %s', (protocol) => {
  test.each([
    ['whole', false, ENDS[protocol][0]],
    ['as a stream', true, ENDS[protocol][1]],
  ] as const)('%s', async (_, stream, end) => {
    const { status, body } = await sendRequest(server, question(protocol, { stream }));
    expect([status, body]).toEqual([200, expect.stringContaining(end)]);
  });
});
