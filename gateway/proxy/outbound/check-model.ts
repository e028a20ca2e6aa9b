import type { Client } from '../../../shared/client.ts';
import { matchesPattern } from '../../../shared/name-pattern.ts';
import { Problem } from '../../../shared/problem.ts';

/** Models that a refusal names. */
const MAX_NAMED = 10;
/** Longer names match no pattern. */
const MAX_NAME = 256;

/** Refuses a model that a client may not use; `null` for a request that names none. @throws Problem local_model_refused */
export function checkModel({ name, models }: Client, model: string | null): void {
  if (models === null) return;
  const isShort = model !== null && model.length <= MAX_NAME;
  if (isShort && models.some((pattern) => matchesPattern(pattern, model))) return;
  const asked = model === null ? 'This request names no model' : `It asked for ${quote(model)}`;
  throw new Problem(
    'local_model_refused',
    `${name} may use ${formatList(models)} only. ${asked}. Nothing was sent. Change it in Gatehouse under Clients, or with the command “gatehouse clients models”.`,
  );
}

function quote(model: string): string {
  return `“${model.slice(0, MAX_NAME)}”`;
}

function formatList(models: readonly string[]): string {
  const named = models.slice(0, MAX_NAMED).map(quote).join(', ');
  const rest = models.length - MAX_NAMED;
  return rest > 0 ? `${named} and ${rest} more` : models.length === 0 ? 'no model' : named;
}
