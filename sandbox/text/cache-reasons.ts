import { createPrint, type Divergence, findDivergence } from '../cache-prints.ts';
import type { Call } from '../call.ts';
import { invalid } from '../http/errors.ts';
import { isObject } from '../json.ts';

/** Refuses what is no id of an answer, as the public Messages protocol does. @throws RefusalError 400 */
export function checkPreviousId({ body, scenario }: Call): void {
  if (!scenario.explainsCache || !isObject(body['diagnostics'])) return;
  const previous = body['diagnostics']['previous_message_id'];
  if (previous == null || (typeof previous === 'string' && previous.startsWith('msg_'))) return;
  throw invalid('"diagnostics.previous_message_id" must be the id of a message, or null.');
}

/** Remembers a request that has `diagnostics`, and returns the member of its answer; nothing without the scenario. */
export function diagnoseMessage({ body, scenario, account }: Call, id: string): object {
  const question = body['diagnostics'];
  if (!scenario.explainsCache || !isObject(question)) return {};
  const print = createPrint(body, { system: 'system', turns: 'messages' });
  account.cachePrints.add(id, print);
  const previous = question['previous_message_id'];
  if (typeof previous !== 'string') return { diagnostics: null };
  const before = account.cachePrints.find(previous);
  if (before === undefined) return withReason({ type: 'previous_message_not_found' });
  const divergence = findDivergence(before, print);
  if (divergence === null) return { diagnostics: null };
  const part = divergence.part === 'turns' ? 'messages' : divergence.part;
  return withReason({ type: `${part}_changed`, cache_missed_input_tokens: divergence.missed });
}

function withReason(reason: object): object {
  return { diagnostics: { cache_miss_reason: reason } };
}

/** Remembers a request, and returns the member of its answer if it asks for it; nothing without the scenario. */
export function diagnoseResponse({ body, scenario, account }: Call, id: string): object {
  if (!scenario.explainsCache) return {};
  const print = createPrint(body, { system: 'instructions', turns: 'input' });
  account.cachePrints.add(id, print);
  const options = body['prompt_cache_options'];
  const compared = isObject(options) ? options['comparison_response_id'] : undefined;
  if (typeof compared !== 'string') return {};
  const before = account.cachePrints.find(compared);
  return {
    prompt_cache_diagnostics:
      before === undefined
        ? { type: 'comparison_response_not_found' }
        : toResult(findDivergence(before, print)),
  };
}

/** In this protocol the system texts are part of the input. */
function toResult(divergence: Divergence | null): object {
  if (divergence === null) return { type: 'cache_hit' };
  const { part, missed } = divergence;
  const reason = part === 'system' || part === 'turns' ? 'input_changed' : `${part}_changed`;
  return { type: 'cache_miss', reason, cache_missed_tokens: missed };
}
