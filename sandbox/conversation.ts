import { invalid } from './errors.ts';
import { isObject, type JsonObject } from './json.ts';
import { withoutScenarios } from './scenario-words.ts';

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function'];

/** Every text in a message's content, a list of parts, or a tool result, in order. */
export function textsOf(content: unknown): readonly string[] {
  if (typeof content === 'string') return [content];
  if (Array.isArray(content)) return content.flatMap(textsOf);
  if (!isObject(content)) return [];
  return textsOf(content['text'] ?? content['content'] ?? content['output']);
}

/** What the user says in the last turn, but for the words that ask for scenarios; empty when that turn is a tool result or the model's own. */
export function questionOf(turns: readonly JsonObject[]): string {
  return withoutScenarios(spoken(turns));
}

/** What the user says last in a body of any protocol, as it stands there. */
export function spokenIn(body: JsonObject): string {
  const turns = body['messages'] ?? body['input'];
  if (typeof turns === 'string') return turns;
  return Array.isArray(turns) ? spoken(turns.filter(isObject)) : '';
}

function spoken(turns: readonly JsonObject[]): string {
  const last = turns.at(-1);
  if (last?.['role'] !== 'user') return '';
  const content = last['content'];
  if (!Array.isArray(content)) return textsOf(content).join('\n');
  return textsOf(content.filter((part) => isObject(part) && typeof part['text'] === 'string')).join(
    '\n',
  );
}

/** Refuses a turn whose role no protocol knows, or whose content is neither text nor parts. */
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
