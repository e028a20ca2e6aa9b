import type { ConversationSummary } from '../../../../shared/chat/chat.ts';

/** One line of the list: a group heading, or a conversation. `row` counts the conversations only. */
export type ListItem =
  | { readonly kind: 'time'; readonly name: string }
  | {
      readonly kind: 'conversation';
      readonly conversation: ConversationSummary;
      readonly row: number;
    };

/** Groups conversations by the time of their last change. `day`: start of today in Unix milliseconds. */
export function groupByTime(
  conversations: readonly ConversationSummary[],
  day: number,
): readonly ListItem[] {
  let under = '';
  return conversations.flatMap((conversation, row): ListItem[] => {
    const line = { kind: 'conversation', conversation, row } as const;
    const name = timeName(conversation.changedAt, day);
    if (name === under) return [line];
    under = name;
    return [{ kind: 'time', name }, line];
  });
}

function timeName(at: number, day: number): string {
  if (at >= day) return 'Today';
  if (at >= daysBefore(day, 1)) return 'Yesterday';
  return at >= daysBefore(day, 6) ? 'Last 7 days' : 'Earlier';
}

/** Subtracts calendar days: not every day has 24 hours. */
function daysBefore(day: number, count: number): number {
  const date = new Date(day);
  return date.setDate(date.getDate() - count);
}
