import type { Draft } from './draft.ts';
import { forward, type Forwarding } from './forward.ts';
import { advise } from './repair/advice.ts';
import { removeStreamOptions } from './repair/body.ts';
import type { Incoming, Outgoing } from './send.ts';

const MOST_REFUSAL_BYTES = 64 * 1024;
const PATIENCE_MS = 2_000;

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
  const named = await namesField(refusedAnswer);
  const body = removeStreamOptions(outgoing.body);
  const second = await forward({ ...outgoing, body }, forwarding);
  if (second.status === 400) return second;
  draft.note([advise('stream-options-removed', 'stream_options', 'left out')]);
  // A success alone does not show that the field was the reason: the first answer has to name it, too.
  if (named && second.status < 400 && draft.modelSent !== null) {
    parts.refused.add(draft.modelSent, 'stream_options');
  }
  return second;
}

/** Whether a refusal names the field, whatever its words are. */
async function namesField({ body }: Incoming): Promise<boolean> {
  try {
    const { bytes } = await body.collect(MOST_REFUSAL_BYTES, PATIENCE_MS);
    return /stream.?options|include.?usage/i.test(bytes.toString('latin1'));
  } catch {
    // It broke off: then it named nothing.
    return false;
  } finally {
    body.discard();
  }
}

/** Whether an answer may be a refusal of `stream_options` that is still worth a second try. */
export function mayBeRefusal(answer: Incoming, draft: Draft): boolean {
  return (
    answer.status === 400 && !draft.repairs.some(({ code }) => code === 'stream-options-removed')
  );
}
