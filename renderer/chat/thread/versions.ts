import type { MessageId } from '../../../shared/chat/chat.ts';

/** The versions of a message that one lane can show. */
export interface Versions {
  /** Index of the version, from 0. */
  readonly at: number;
  readonly ids: readonly MessageId[];
}

/** Lists the versions of a message, without those that another lane shows; `null` when there is no other. */
export function toVersions(
  { id, siblings }: { readonly id: MessageId; readonly siblings: readonly MessageId[] },
  shownElsewhere: ReadonlySet<MessageId>,
): Versions | null {
  const ids = siblings.filter((other) => other === id || !shownElsewhere.has(other));
  return ids.length > 1 ? { at: ids.indexOf(id), ids } : null;
}
