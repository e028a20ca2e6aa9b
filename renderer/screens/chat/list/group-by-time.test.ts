import { expect, it } from 'vitest';
import { ConversationId, type ConversationSummary } from '../../../../shared/chat/chat.ts';
import { groupByTime } from './group-by-time.ts';

const DAY = new Date(2026, 10, 21).getTime();

const at = (day: number, hour: number) => new Date(2026, 10, day, hour).getTime();

const toConversation = (changedAt: number): ConversationSummary => ({
  id: ConversationId.parse(String(changedAt)),
  title: '',
  changedAt,
  models: [],
  running: false,
  match: null,
});

it('conversations stand under when they were changed, by the calendar, and each time is named once', () => {
  const times = [at(21, 9), at(21, 0), at(20, 23), at(20, 0), at(19, 23), at(15, 0), at(14, 23), 0];
  const lines = groupByTime(times.map(toConversation), DAY);
  expect(
    lines.map((line) => (line.kind === 'time' ? line.name : line.conversation.changedAt)),
  ).toEqual([
    'Today',
    at(21, 9),
    at(21, 0),
    'Yesterday',
    at(20, 23),
    at(20, 0),
    'Last 7 days',
    at(19, 23),
    at(15, 0),
    'Earlier',
    at(14, 23),
    0,
  ]);
  expect(lines.flatMap((line) => (line.kind === 'conversation' ? line.row : []))).toEqual([
    0, 1, 2, 3, 4, 5, 6, 7,
  ]);
});
