import type {
  Answer,
  ChatFile,
  ChatMessage,
  Conversation,
  Lane,
} from '../../../shared/chat/chat.ts';
import { formatDay, formatTimeOfDay } from '../../../shared/format.ts';
import { formatCode, formatFence, toSingleLine } from '../../lib/markdown.ts';

/** Formats the heading of a conversation in its file. */
export function formatHeading({ title, createdAt, settings }: Conversation): string {
  const name = toSingleLine(title) || 'Conversation';
  const system = settings.system === '' ? '' : `## System prompt\n\n${settings.system}\n\n`;
  return `# ${name}\n\n${formatTime(createdAt)}\n\n${system}`;
}

/** Formats the heading above the messages of one of several models. */
export function formatLane({ model }: Lane): string {
  return `---\n\n# ${toSingleLine(model)}\n\n`;
}

/** Formats a message for reading. */
export function formatMessage({ text, reasoning, files, answer }: ChatMessage): string {
  const parts = [
    `## ${answer === null ? 'You' : toSingleLine(answer.model)}`,
    reasoning === '' ? '' : formatReasoning(reasoning),
    text.trim(),
    ...files.map(formatFile),
    answer === null ? '' : formatFooter(answer),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n\n`;
}

function formatReasoning(reasoning: string): string {
  // Reasoning text must not close the `<details>` element.
  const safe = reasoning.trim().replaceAll(/<(?=\/?(?:details|summary)\b)/giu, '&lt;');
  return `<details>\n<summary>Reasoning</summary>\n\n${safe}\n\n</details>`;
}

function formatFile(file: ChatFile): string {
  if (file.kind === 'image') return `Image: ${formatCode(file.name)} (${file.type})`;
  return `File: ${formatCode(file.name)}\n\n${formatFence(file.text)}`;
}

function formatFooter(answer: Answer): string {
  const { state, problem } = answer;
  const figures = formatFigures(answer).join(' · ');
  const ends: Partial<Record<Answer['state'], string>> = {
    waiting: 'Still coming.',
    streaming: 'Still coming.',
    stopped: 'Stopped.',
  };
  const lines = [figures, problem?.sentence ?? ends[state] ?? ''];
  return lines.flatMap((line) => (line === '' ? [] : [`*${toSingleLine(line)}*`])).join('\n\n');
}

function formatFigures(answer: Answer): string[] {
  const { modelServed, firstTokenMs, tokensPerSecond, usage, cost } = answer;
  const about = usage?.source === 'estimated' ? 'about ' : '';
  return [
    modelServed ?? [],
    firstTokenMs === null ? [] : `first token after ${(firstTokenMs / 1000).toFixed(2)} s`,
    tokensPerSecond === null ? [] : `${tokensPerSecond.toFixed(1)} tokens/s`,
    typeof usage?.input === 'number' ? `${about}${formatTokens(usage.input)} in` : [],
    typeof usage?.output === 'number' ? `${about}${formatTokens(usage.output)} out` : [],
    cost === null ? [] : `cost ${cost.amount} (${cost.field})`,
  ].flat();
}

function formatTokens(count: number): string {
  return `${count} ${count === 1 ? 'token' : 'tokens'}`;
}

/** Formats a time in the local time zone, such as `2026-11-21 12:00`. */
function formatTime(ms: number): string {
  return `${formatDay(ms)} ${formatTimeOfDay(ms).slice(0, 'HH:MM'.length)}`;
}
