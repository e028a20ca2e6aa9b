import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { CHAT_PATH, MODELS_BODY, MODELS_PATH } from './data/exchange.ts';
import { TEXT_KINDS, type TextKind, makeText } from './data/texts.ts';

/** Length and pace of a streamed answer. */
export interface StreamSpeed {
  readonly bytes: number;
  readonly chunkBytes: number;
  readonly everyMs: number;
}

const PROMPT_PREFIX = 'Say it: ';

/** Returns the prompt for a text of this kind. */
export function promptFor(kind: TextKind): string {
  return `${PROMPT_PREFIX}${kind}`;
}

/** Opens a service that streams long texts, of the kind requested last (spec section 6.1). */
export interface TextService extends AsyncDisposable {
  readonly url: string;
}

export async function openTextService(speed: StreamSpeed): Promise<TextService> {
  const server = createServer((request, response) => {
    void (async () => {
      const kind = findKind((await request.toArray()).join(''));
      if (request.url === MODELS_PATH) response.end(MODELS_BODY);
      else if (request.url === CHAT_PATH && kind !== null) await streamText(response, kind, speed);
      else response.writeHead(404).end('{}');
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Splits a text into the chunks in which it is streamed. */
export function splitIntoChunks(text: string, { chunkBytes: pieceBytes }: StreamSpeed): string[] {
  const count = Math.ceil(text.length / pieceBytes);
  return Array.from({ length: count }, (_, n) => text.slice(n * pieceBytes, (n + 1) * pieceBytes));
}

function findKind(body: string): TextKind | null {
  const match = [...body.matchAll(new RegExp(`${PROMPT_PREFIX}(?<kind>\\w+)`, 'gu'))].at(-1);
  return TEXT_KINDS.find((kind) => kind === match?.groups?.['kind']) ?? null;
}

async function streamText(
  response: ServerResponse,
  kind: TextKind,
  speed: StreamSpeed,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const content of splitIntoChunks(makeText(kind, speed.bytes), speed)) {
    response.write(chunk({ content }, null));
    await pause(speed.everyMs);
  }
  response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
}

function chunk(delta: object, finish: string | null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: 'a', object: 'chat.completion.chunk', choices })}\n\n`;
}
