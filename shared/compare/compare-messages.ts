import type { Message } from '../parse-bodies/parts.ts';
import { type Budget, diffSequence, type Run } from './diff-sequence.ts';
import { diffText, type Piece } from './diff-text.ts';
import { formatParts } from './message-text.ts';

/** Messages of two requests: some that are the same, one that changed, or one that only one of them has. */
export type ComparedMessage =
  | { readonly kind: 'same'; readonly count: number }
  | {
      readonly kind: 'removed' | 'added' | 'changed';
      readonly role: string;
      readonly pieces: readonly Piece[];
    };

interface PlainMessage {
  readonly role: string;
  readonly text: string;
}

/** Aligns the messages of two requests, and finds the differences of those that changed. */
export function compareMessages(
  before: readonly Message[],
  after: readonly Message[],
  budget: Budget,
): readonly ComparedMessage[] {
  const [left, right] = [before.map(toPlain), after.map(toPlain)];
  const runs =
    diffSequence(left.map(toKey), right.map(toKey), budget) ?? pairAll(left.length, right.length);
  const compared: ComparedMessage[] = [];
  for (const [place, run] of runs.entries()) {
    const { kind, count } = run;
    if (kind === 'same') compared.push({ kind, count });
    else if (kind === 'added') {
      const old = runs[place - 1];
      const removed = old?.kind === 'removed' ? left.slice(old.before, old.before + old.count) : [];
      const added = right.slice(run.after, run.after + count);
      compared.push(...pair(removed, added, budget));
    } else if (runs[place + 1]?.kind !== 'added') {
      compared.push(...pair(left.slice(run.before, run.before + count), [], budget));
    }
  }
  return compared;
}

function toPlain({ role, parts, mark }: Message): PlainMessage {
  return mark === 'omitted'
    ? { role, text: 'The messages in the middle are not kept.' }
    : { role, text: formatParts(parts) };
}

function toKey({ role, text }: PlainMessage): string {
  return `${role}\n${text}`;
}

/** Compares the messages in their order, when too many differ. */
function pairAll(before: number, after: number): readonly Run[] {
  return [
    { kind: 'removed', before: 0, after: 0, count: before },
    { kind: 'added', before, after: 0, count: after },
  ];
}

/** Compares messages between equal ones: those of one role, in their order, are the same message changed. */
function pair(
  removed: readonly PlainMessage[],
  added: readonly PlainMessage[],
  budget: Budget,
): readonly ComparedMessage[] {
  const most = Math.max(removed.length, added.length);
  return Array.from({ length: most }, (_, place): readonly ComparedMessage[] => {
    const [old, now] = [removed[place], added[place]];
    if (old !== undefined && old.role === now?.role) {
      return [{ kind: 'changed', role: now.role, pieces: diffText(old.text, now.text, budget) }];
    }
    return [
      ...(old === undefined ? [] : [toOne('removed', old)]),
      ...(now === undefined ? [] : [toOne('added', now)]),
    ];
  }).flat();
}

function toOne(kind: 'removed' | 'added', { role, text }: PlainMessage): ComparedMessage {
  return { kind, role, pieces: [{ kind, text }] };
}
