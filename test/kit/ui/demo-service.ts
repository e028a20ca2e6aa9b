import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';

/** A service with models of the real world behind it, for pictures: it lists them, streams until it is closed, and renders videos that are never finished. */
export interface DemoService extends AsyncDisposable {
  readonly url: string;
}

/** The models that it has: real names, for the length of names matters on a screen. */
export const MODEL_IDS = [
  'anthropic/claude-sonnet-4.5',
  'qwen/qwen3-coder-480b-a35b-instruct-fp8',
  'openai/gpt-5.1',
  'anthropic/claude-opus-4.5',
  'deepseek/deepseek-v3.2-exp',
  'moonshotai/kimi-k2-thinking',
  'zai-org/glm-4.6',
  'openai/gpt-oss-120b',
  'google/gemini-2.5-pro',
  'mistralai/mistral-large-2411',
  'meta-llama/llama-4-maverick-17b-128e-instruct-fp8',
  'anthropic/claude-haiku-4.5',
  'openai/gpt-5-mini',
  'nvidia/llama-3.3-nemotron-super-49b-v1.5',
] as const;

const CREATED = 1_762_000_000;
const PAUSE_MS = 300;

/** Starts it on a free port of this machine. */
export async function openDemoService(): Promise<DemoService> {
  let films = 0;
  const server = createServer((request, response) => {
    request.resume();
    const { method, url = '' } = request;
    if (method === 'POST' && url === '/v1/videos') films += 1;
    if (/^\/v1\/(?:videos|files)/u.test(url)) film(`${method} ${url}`, films, response);
    else if (method === 'GET') listModels(response);
    else stream(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('It listens on no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function listModels(response: ServerResponse): void {
  const data = MODEL_IDS.map((id, place) => ({
    id,
    object: 'model',
    created: CREATED + place * 86_400,
    owned_by: id.slice(0, id.indexOf('/')),
    context_length: place % 3 === 0 ? 1_000_000 : 262_144,
    max_output_tokens: 65_536,
    capabilities: { tools: true, vision: place % 2 === 0, reasoning: place % 4 !== 1 },
    pricing: { input_per_million: '3.00', output_per_million: '15.00' },
  }));
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ object: 'list', data }));
}

/** Videos in the public convention, each further on than the one that was ordered after it. */
function film(ask: string, films: number, response: ServerResponse): void {
  const [, number] = /video_68f2d(\d+)$/u.exec(ask) ?? [];
  const task = { id: `video_68f2d${number ?? films}`, object: 'video', model: 'h3' };
  const progress = Math.max(4, 68 - 41 * (Number(number ?? 1) - 1));
  response.setHeader('content-type', 'application/json');
  if (ask === 'POST /v1/files') {
    response.end('{"id":"file-7d21","object":"file","url":"https://files.example.com/f/7d21.png"}');
  } else if (ask === 'POST /v1/videos') {
    response.end(JSON.stringify({ ...task, status: 'queued' }));
  } else if (number === undefined) {
    response.statusCode = 404;
    response.end('{"error":{"message":"There is no such video.","code":"not_found"}}');
  } else response.end(JSON.stringify({ ...task, status: 'in_progress', progress }));
}

const ANSWER = `Three ways, from the smallest change to the largest.

**1. Cache the token.** You ask for a new one on every call, although it is good for an hour:

\`\`\`typescript
/** The token, fetched anew a minute before it ends. */
async function token(now: number): Promise<string> {
  if (kept !== null && kept.until - now > 60_000) return kept.text;
  kept = await fetchToken();
  return kept.text;
}
\`\`\`

That alone takes about 180 ms off every request. **2. Keep the connection.** The client opens a new one each time because the body of the last
answer is never read to its end. Read it, or cancel it, and the agent can use the connection again. **3. Ask once.** Both panels fetch the
same list, a few milliseconds apart; let the second wait for the first. I would begin with the token, measure, and then decide whether the
rest is worth it. If the p95 is still above 400 ms after that, look at the `.split(/(?<=\s)/u);
/** Number of characters of one chunk. */
const AT_ONCE = 100;

/** Something to read at once, then one word after the other, for as long as somebody listens. */
function stream(response: ServerResponse): void {
  response.setHeader('content-type', 'text/event-stream');
  let position = AT_ONCE;
  const say = (content: string) =>
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`);
  for (const word of ANSWER.slice(0, AT_ONCE)) say(word);
  const timer = setInterval(() => say(ANSWER[position++ % ANSWER.length] ?? ''), PAUSE_MS);
  response.on('close', () => clearInterval(timer));
}
