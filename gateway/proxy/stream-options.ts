import { Problem } from '../../shared/problem.ts';
import type { Reservation, Room } from '../memory-budget.ts';
import type { Draft } from './draft.ts';
import { forward, type Forwarding } from './forward.ts';
import { HOLD_ERROR, holdPlain } from './hold.ts';
import { advise } from './repair/advice.ts';
import { removeStreamOptions } from './repair/body.ts';
import type { Incoming, Outgoing } from './send.ts';

/**
 * Some models refuse `stream_options` (spec section 4.2). Asks once more without it; when that does not help, the first answer
 * stands. When it helps and the first answer named the field, the model is remembered. A 400 is a refusal, so the first request
 * created no charge.
 */
export async function withoutStreamOptions(
  first: Incoming,
  outgoing: Outgoing & { readonly body: Buffer },
  forwarding: Forwarding & { readonly memory: Reservation },
): Promise<Incoming> {
  const { parts, draft, memory } = forwarding;
  // The other body stands beside the first.
  if (!memory.tryGrow(outgoing.body.length)) return first;
  const named = await namesField(first, memory);
  const second = await secondAnswer(outgoing, forwarding);
  if (second === null || second.status >= 400) {
    second?.body.discard();
    return first;
  }
  first.body.discard();
  draft.note([advise('stream-options-removed', 'stream_options', 'left out')]);
  // A success alone does not show that the field was the reason: the first answer has to name it, too.
  if (named && draft.modelSent !== null) parts.refused.add(draft.modelSent, 'stream_options');
  return second;
}

/** The answer without the field; `null` when there is none to be had. */
async function secondAnswer(
  outgoing: Outgoing & { readonly body: Buffer },
  forwarding: Forwarding,
): Promise<Incoming | null> {
  try {
    return await forward({ ...outgoing, body: removeStreamOptions(outgoing.body) }, forwarding);
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

/** Whether a refusal names the field, whatever its words are. */
async function namesField(answer: Incoming, memory: Room): Promise<boolean> {
  const plain = await holdPlain(answer, HOLD_ERROR, memory);
  return plain !== null && /stream.?options|include.?usage/i.test(plain.toString('latin1'));
}

/** Whether an answer may be a refusal of `stream_options` that is still worth a second try. */
export function mayBeRefusal(answer: Incoming, draft: Draft): boolean {
  return (
    answer.status === 400 && !draft.repairs.some(({ code }) => code === 'stream-options-removed')
  );
}
