import type { Harness } from '../gateway/harness.ts';
import { type RawRequest, sendRequest } from '../gateway/request.ts';

/** Sends a request, and returns the bodies of its exchange. */
export async function sendAndRead(harness: Harness, request: RawRequest) {
  const { headers, body } = await sendRequest(harness, request);
  const record = await harness.recordOf(headers.get('x-gatehouse-exchange'));
  const answer = Buffer.from(body, 'latin1').toString();
  return { record, answer, bodies: await harness.gateway.readBodies(record.id) };
}

/** Builds a request of Chat Completions with this text. */
export const askChat = (text: string) =>
  ({
    path: '/v1/chat/completions',
    headers: ['content-type: application/json'],
    body: JSON.stringify({
      model: 'aurora/aurora-small',
      messages: [{ role: 'user', content: text }],
    }),
  }) satisfies RawRequest;
