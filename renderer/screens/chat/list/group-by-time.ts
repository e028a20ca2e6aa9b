import type { ConversationSummary } from '../../../../shared/chat.ts';

/** One line of the list: the name of a time, or a conversation. `row` counts the conversations only. */
export type ListItem =
  | { readonly kind: 'time'; readonly name: string }
  | {
      readonly kind: 'conversation';
      readonly conversation: ConversationSummary;
      readonly row: number;
    };

/** Conversations under the names of when they were last changed. `day`: when today began, in Unix milliseconds. */
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

/** By the calendar: not every day has 24 hours. */
function daysBefore(day: number, count: number): number {
  const date = new Date(day);
  return date.setDate(date.getDate() - count);
}
