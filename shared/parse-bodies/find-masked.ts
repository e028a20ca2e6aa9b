import type { Conversation } from './parse-request.ts';
import { type AnsweredCall, describeCall, type Part } from './parts.ts';

/** Texts that stand in for secrets in stored bodies. */
const MASK = /<service key>|<local key>|<key>/u;
const MASKS = new RegExp(MASK, 'gu');
const MAX_PLACES = 5;

/** Names the parts of a request in which secrets were masked: `the result of Read ({"file_path":".env"})`. At most five. */
export function findMasked({ messages, parameters, tools }: Conversation): readonly string[] {
  const places = new Set<string>();
  for (const { role, parts } of messages) {
    for (const part of parts) for (const place of listPlaces(role, part)) places.add(place);
  }
  if (tools.some((tool) => MASK.test(JSON.stringify(tool)))) places.add('a definition of a tool');
  if (parameters.some(({ value }) => MASK.test(value))) places.add('a parameter');
  return [...places].slice(0, MAX_PLACES);
}

/** Counts the texts that stand in for secrets, and those that only look so: as many secrets are masked at most. */
export function countMasks(text: string): number {
  return text.match(MASKS)?.length ?? 0;
}

function listPlaces(role: string, part: Part): string[] {
  if (part.kind === 'result' && part.call !== undefined)
    return hasMask(part) ? [nameResult(part.call)] : [];
  if (part.kind !== 'call') return hasMask(part) ? [nameRole(role)] : [];
  return [
    ...(MASK.test(part.input) ? [`a call of ${part.name}`] : []),
    ...(part.result !== null && hasMask(part.result) ? [nameResult(part)] : []),
  ];
}

function hasMask(part: Part): boolean {
  switch (part.kind) {
    case 'text':
    case 'reasoning':
      return MASK.test(part.text);
    case 'result':
      return part.parts.some(hasMask);
    case 'call':
      return MASK.test(part.input);
    case 'image':
      return false;
    case 'other':
      return MASK.test(JSON.stringify(part.value) ?? '');
  }
}

function nameRole(role: string): string {
  if (role === 'system' || role === 'developer') return 'the system prompt';
  if (role === 'assistant') return 'an earlier answer';
  return role === 'user' ? 'a message of the user' : 'a result of a tool';
}

function nameResult(call: AnsweredCall): string {
  return `the result of ${describeCall(call)}`;
}
