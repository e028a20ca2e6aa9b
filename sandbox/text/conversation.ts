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

/** Lists the texts that came after the latest answer of the model in a body of any protocol: those of the user, and results of tools. */
export function collectNewestTexts(body: JsonObject): readonly string[] {
  const turns = body['messages'] ?? body['input'];
  if (!Array.isArray(turns)) return collectTexts(turns);
  const all = turns.filter(isObject);
  return all
    .slice(all.findLastIndex(isOfModel) + 1)
    .filter(({ role }) => role !== 'system' && role !== 'developer')
    .flatMap((turn) => collectTexts(turn['content'] ?? turn['output']));
}

/** Whether a turn is of the model. Of the items of Responses without a role, those are that are no result of a tool. */
function isOfModel({ role, type }: JsonObject): boolean {
  if (role !== undefined) return role === 'assistant';
  return typeof type !== 'string' || !type.endsWith('_output');
}

/** Returns the user's text in the last turn, without scenarios and reminders; empty when that turn is a tool result or the model's. */
export function findQuestion(turns: readonly JsonObject[]): string {
  return removeScenarios(removeReminders(lastUserText(turns)));
}

/** Removes the reminders that Claude Code adds to the words of a person. */
function removeReminders(text: string): string {
  const parts = text.split('</system-reminder>');
  const last = parts.pop() ?? '';
  if (parts.length === 0) return text;
  const between = parts.map((part) => part.split('<system-reminder>', 1)[0] ?? '');
  return [...between, last].join('').trim();
}

/** Returns the user's text in the last turn of a body of any protocol, unchanged. */
export function findLastUserText(body: JsonObject): string {
  const turns = body['messages'] ?? body['input'];
  if (typeof turns === 'string') return turns;
  return Array.isArray(turns) ? lastUserText(turns.filter(isObject)) : '';
}

/** Claude Code sends instructions of the system after the question. */
function lastUserText(turns: readonly JsonObject[]): string {
  const last = turns.findLast(({ role }) => role !== 'system' && role !== 'developer');
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
