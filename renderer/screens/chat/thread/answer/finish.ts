const NORMAL = new Set([
  'stop',
  'end_turn',
  'stop_sequence',
  'completed',
  'eos',
  'tool_calls',
  'tool_use',
  'function_call',
]);
const AT_LIMIT = /length|max_?(output_?|completion_?)?tokens|token_?limit|^incomplete$/iu;
const FILTERED = /content_?filter|safety|refus|policy/iu;

/** Describes why an answer ended early; `null` when it is complete. */
export function describeFinish(finish: string | null): string | null {
  if (finish === null || NORMAL.has(finish.toLowerCase())) return null;
  if (AT_LIMIT.test(finish)) return 'Cut at the token limit';
  if (FILTERED.test(finish)) return 'Held back by a content filter';
  return `Ended with “${finish}”`;
}
