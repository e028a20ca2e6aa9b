import type { MessageId } from '../../../../shared/chat.ts';

/** The versions of a message to leaf through in one lane. */
export interface Versions {
  /** Counted from 0. */
  readonly at: number;
  readonly ids: readonly MessageId[];
}

/** The versions beside a message, without those that another lane shows already; `null` when there is no other. */
export function toVersions(
  { id, siblings }: { readonly id: MessageId; readonly siblings: readonly MessageId[] },
  shownElsewhere: ReadonlySet<MessageId>,
): Versions | null {
  const ids = siblings.filter((other) => other === id || !shownElsewhere.has(other));
  return ids.length > 1 ? { at: ids.indexOf(id), ids } : null;
}
