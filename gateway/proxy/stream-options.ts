import type { Draft } from './draft.ts';
import { forward, type Forwarding } from './forward.ts';
import { advise } from './repair/advice.ts';
import { removeStreamOptions } from './repair/body.ts';
import type { Incoming, Outgoing } from './send.ts';

/**
 * Some models refuse `stream_options` (spec section 4.2). Asks once more without it and, when that helps, remembers the model.
 * A 400 is a refusal, so the first request created no charge.
 */
export async function withoutStreamOptions(
  refusedAnswer: Incoming,
  outgoing: Outgoing & { readonly body: Buffer },
  forwarding: Forwarding,
): Promise<Incoming> {
  const { parts, draft } = forwarding;
  refusedAnswer.body.discard();
  const body = removeStreamOptions(outgoing.body);
  const second = await forward({ ...outgoing, body }, forwarding);
  if (second.status === 400) return second;
  draft.note([advise('stream-options-removed', 'stream_options', 'left out')]);
  // Only a success shows that the field was the reason.
  if (second.status < 400 && draft.modelSent !== null) {
    parts.refused.add(draft.modelSent, 'stream_options');
  }
  return second;
}

/** Whether an answer may be a refusal of `stream_options` that is still worth a second try. */
export function mayBeRefusal(answer: Incoming, draft: Draft): boolean {
  return (
    answer.status === 400 && !draft.repairs.some(({ code }) => code === 'stream-options-removed')
  );
}
