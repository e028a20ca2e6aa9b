/** Types of answers that are JSON in any of its forms, and event streams. */
const EXPECTED_TYPE =
  /^\s*(?:[\w.+-]+\/(?:[\w.+-]*\+)?(?:json|x-ndjson|ndjson|jsonl|json-seq)|text\/event-stream)\s*(?:;|$)/iu;
const MAX_TYPE_LENGTH = 100;

/** Returns the type in a `Content-Type` without its parameters when it is neither JSON nor an event stream; `null` otherwise. */
export function findUnexpectedType(type: string | undefined): string | null {
  if (type === undefined || EXPECTED_TYPE.test(type)) return null;
  return type.replace(/;.*$/su, '').trim().slice(0, MAX_TYPE_LENGTH);
}
