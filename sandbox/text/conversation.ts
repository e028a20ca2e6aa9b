import { invalid } from '../http/errors.ts';
import { isObject, type JsonObject } from '../json.ts';
import { removeScenarios } from '../scenarios/scenario-words.ts';

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function'];

/** Lists the texts in a message's content, a list of parts, or a tool result, in order. */
export function collectTexts(content: unknown): readonly string[] {
  if (typeof content === 'string') return [content];
  if (Array.isArray(content)) return content.flatMap(collectTexts);
  if (!isObject(content)) return [];
  return collectTexts(content['text'] ?? content['content'] ?? content['output']);
}

/** Returns the user's text in the last turn, without scenarios; empty when that turn is a tool result or the model's. */
export function findQuestion(turns: readonly JsonObject[]): string {
  return removeScenarios(lastUserText(turns));
}

/** Returns the user's text in the last turn of a body of any protocol, unchanged. */
export function findLastUserText(body: JsonObject): string {
  const turns = body['messages'] ?? body['input'];
  if (typeof turns === 'string') return turns;
  return Array.isArray(turns) ? lastUserText(turns.filter(isObject)) : '';
}

function lastUserText(turns: readonly JsonObject[]): string {
  const last = turns.at(-1);
  if (last?.['role'] !== 'user') return '';
  const content = last['content'];
  if (!Array.isArray(content)) return collectTexts(content).join('\n');
  return collectTexts(
    content.filter((part) => isObject(part) && typeof part['text'] === 'string'),
  ).join('\n');
}

/**
 * Checks the turns of a conversation.
 * @throws RefusalError 400 for a role of no protocol, or a content that is neither text nor parts.
 */
export function checkTurns(turns: readonly JsonObject[]): void {
  for (const turn of turns) {
    const { role, content } = turn;
    if (typeof role !== 'string' || !ROLES.includes(role)) {
      throw invalid(`Every message needs a "role", one of ${ROLES.join(', ')}.`);
    }
    const mayBeEmpty = role === 'assistant' && (content === null || content === undefined);
    if (!mayBeEmpty && typeof content !== 'string' && !Array.isArray(content)) {
      throw invalid('Every message needs a "content": a string or an array of parts.');
    }
  }
}
