import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import { ErrorBody } from '../../../shared/problem.ts';
import type { Repair } from '../../../shared/repair.ts';
import { createRepair } from '../repair/create-repair.ts';
import { tryParseJson } from '../../lib/json-object.ts';

/** Reads `error.code`, or else `error.type`, and `error.message` from an error body. */
export function parseErrorMessage(bytes: Buffer): { code: string | null; message: string | null } {
  const error = parseErrorBody(bytes)?.error;
  return { code: error?.code ?? error?.type ?? null, message: error?.message ?? null };
}

/** Adds to a `model_not_found` answer which models were probably meant. Every other byte stays. */
export function suggestModels(
  bytes: Buffer,
  asked: string,
  suggestions: readonly string[],
): { readonly bytes: Buffer; readonly repair: Repair } | null {
  const text = bytes.toString('utf8');
  const tree = parseTree(text);
  const message = tree && findNodeAtLocation(tree, ['error', 'message']);
  if (message?.type !== 'string' || suggestions.length === 0) return null;
  const meant = suggestions.map((id) => `"${id}"`).join(', ');
  const longer = `${String(message.value)} Did you mean ${meant}?`;
  const end = message.offset + message.length;
  return {
    bytes: Buffer.from(text.slice(0, message.offset) + JSON.stringify(longer) + text.slice(end)),
    repair: createRepair('model-suggestion', asked, suggestions.join(', ')),
  };
}

function parseErrorBody(bytes: Buffer): ErrorBody | null {
  // An error page of something between us and the service is not JSON.
  return ErrorBody.safeParse(tryParseJson(bytes.toString('utf8'))).data ?? null;
}
