import { Client, Pool } from 'undici';
import { z } from 'zod';
import { receiveStream } from '../calls/streamed.ts';
import {
  ANSWER_BODY,
  CHAT_PATH,
  REQUEST_BODY,
  requestHeaders,
  streamBody,
} from '../data/exchange.ts';
import { readStream } from '../event-stream.ts';
import type { Target } from '../target.ts';

const ChatAnswer = z
  .object({ choices: z.tuple([z.object({ message: z.object({ content: z.string() }) })]) })
  .transform(({ choices }) => choices[0].message.content);
const MessagesAnswer = z
  .object({ content: z.tuple([z.object({ text: z.string() })]) })
  .transform(({ content }) => content[0].text);
const AnswerText = z.union([ChatAnswer, MessagesAnswer]);

const EVENTS = 3;

/** Asks a peer once. Resolves to its answer, which may differ from the service's, but not in the text of the message. */
export async function readAnswer(target: Target): Promise<string> {
  const client = new Client(target.url);
  try {
    const answer = await client.request({
      path: target.path ?? CHAT_PATH,
      method: 'POST',
      headers: requestHeaders(target),
      body: REQUEST_BODY,
    });
    const body = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`It answers ${answer.statusCode}.`);
    if (AnswerText.parse(JSON.parse(body)) !== AnswerText.parse(JSON.parse(ANSWER_BODY))) {
      throw new Error('Its answer has another text than that of the service.');
    }
    return body;
  } finally {
    await client.destroy();
  }
}

/** Reads one stream through a peer. Rejects when it fails or differs from what the service sent. */
export async function checkStream(target: Target): Promise<void> {
  if (target.path !== undefined) {
    throw new Error(
      'It translates streams into another protocol, so that no byte can be compared.',
    );
  }
  const pool = new Pool(target.url);
  try {
    const stream = streamBody({ events: EVENTS, everyMs: 10 });
    readStream(await receiveStream(pool, target, stream), EVENTS);
  } finally {
    await pool.destroy();
  }
}
