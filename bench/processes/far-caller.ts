import { once } from 'node:events';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent, request as requestHttps } from 'node:https';
import { z } from 'zod';
import { CHAT_PATH, requestHeaders } from '../data/exchange.ts';
import { serveParent } from './serve-parent.ts';

// This process is a new client: it has no connection to the target, and no session to resume.

const Address = z.object({ url: z.string(), key: z.string() });
const Call = z.object({
  body: z.string(),
  expected: z.string(),
  /** The authority (PEM) that the service's certificate is from. */
  ca: z.string(),
  /** The service without any delay. It is called first, so that loading and compiling the client's code is not measured. */
  near: Address,
  target: Address,
});

serveParent(
  {
    /** Returns the milliseconds from connecting to the first byte of the answer's body. Throws on a wrong answer. */
    'first-byte': async (input) => {
      const call = Call.parse(input);
      await timeFirstByte(call.near, call);
      return await timeFirstByte(call.target, call);
    },
  },
  () => Promise.resolve(),
);

async function timeFirstByte(
  { url, key }: z.infer<typeof Address>,
  { body, expected, ca }: z.infer<typeof Call>,
): Promise<number> {
  const headers = { ...requestHeaders({ key }), 'content-length': Buffer.byteLength(body) };
  const options = { method: 'POST', headers };
  const address = new URL(CHAT_PATH, url);
  const start = performance.now();
  const request =
    address.protocol === 'https:'
      ? requestHttps(address, { ...options, agent: new Agent({ ca }) })
      : requestHttp(address, options);
  request.end(body);
  const [response]: IncomingMessage[] = await once(request, 'response');
  const chunks: Buffer[] = [];
  let firstByteMs = Number.NaN;
  response?.on('data', (chunk: Buffer) => {
    if (chunks.length === 0) firstByteMs = performance.now() - start;
    chunks.push(chunk);
  });
  if (response !== undefined) await once(response, 'end');
  const text = Buffer.concat(chunks).toString();
  if (response?.statusCode !== 200 || text !== expected) {
    throw new Error(`A wrong answer from ${url}: ${response?.statusCode} ${text.slice(0, 200)}`);
  }
  return firstByteMs;
}
