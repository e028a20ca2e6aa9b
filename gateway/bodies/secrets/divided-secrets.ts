import type { TextProtocol } from '../../../shared/chat/chat.ts';
import { assembleResponse } from '../../../shared/parse-bodies/assemble-response.ts';
import type { CleanBody } from '../clean-body.ts';
import type { SecretMask } from './secret-mask.ts';

/** The clean bodies of an exchange, and its protocol; `null` when it asked no model for an answer. */
export interface CleanExchange {
  readonly protocol: TextProtocol | null;
  readonly bodies: readonly CleanBody[];
}

const NOTE = Buffer.from(
  ': This stream is not kept: a secret was in it, divided among its events.\n\n',
);
const SEPARATOR = '\n\n';
const EVENT_STREAM = /^\s*text\/event-stream\b/iu;

/**
 * Removes the streams in which a secret is divided among events, as a model writes it: no event has the whole of it, but the answer
 * that is put together from them would.
 */
export async function removeDividedSecrets(
  exchanges: readonly CleanExchange[],
  mask: Pick<SecretMask, 'hasSecrets'>,
): Promise<readonly (readonly CleanBody[])[]> {
  const texts = exchanges.map(assembleTexts);
  const all = texts.filter((text) => text !== '').join(SEPARATOR);
  if (all === '' || !(await mask.hasSecrets(all))) return exchanges.map(({ bodies }) => bodies);
  return await Promise.all(
    exchanges.map(async ({ bodies }, place) => {
      const text = texts[place] ?? '';
      return text !== '' && (await mask.hasSecrets(text)) ? bodies.map(removeStream) : bodies;
    }),
  );
}

/** Returns the text of a streamed answer; empty when there is none. */
function assembleTexts({ protocol, bodies }: CleanExchange): string {
  const body = bodies.find(isStream);
  if (protocol === null || body === undefined) return '';
  const head = body.head.toString();
  const answer = assembleResponse(protocol, {
    text: head + body.tail.toString(),
    contentType: body.contentType,
    omitted: body.omitted > 0 ? { at: head.length, bytes: body.omitted } : null,
  });
  const parts = answer?.parts ?? [];
  return parts
    .flatMap((part) => {
      if (part.kind === 'call') return [part.input];
      return part.kind === 'text' || part.kind === 'reasoning' ? [part.text] : [];
    })
    .join(SEPARATOR);
}

function isStream({ side, eventTimes, contentType, binary }: CleanBody): boolean {
  const isEvents = eventTimes !== null || EVENT_STREAM.test(contentType ?? '');
  return side === 'returned' && !binary && isEvents;
}

function removeStream(body: CleanBody): CleanBody {
  if (!isStream(body)) return body;
  const masked = body.masked + 1;
  const eventTimes = body.eventTimes === null ? null : [0];
  return { ...body, head: NOTE, tail: Buffer.alloc(0), omitted: 0, masked, eventTimes };
}
