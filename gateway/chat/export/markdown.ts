import type { Answer, ChatFile, ChatMessage, Conversation, Lane } from '../../../shared/chat.ts';

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
  const fence = '`'.repeat(Math.max(3, findLongestRun(file.text) + 1));
  return `File: ${formatCode(file.name)}\n\n${fence}\n${file.text.replace(/\n$/u, '')}\n${fence}`;
}

function formatCode(name: string): string {
  const mark = '`'.repeat(findLongestRun(name) + 1);
  return `${mark} ${toSingleLine(name)} ${mark}`;
}

function findLongestRun(text: string): number {
  const runs = text.match(/`+/gu) ?? [];
  return runs.reduce((longest, run) => Math.max(longest, run.length), 0);
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
    typeof usage?.input === 'number' ? `${about}${usage.input} tokens in` : [],
    typeof usage?.output === 'number' ? `${about}${usage.output} tokens out` : [],
    cost === null ? [] : `cost ${cost.amount} (${cost.field})`,
  ].flat();
}

function toSingleLine(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim();
}

/** Formats a time in the local time zone, such as `2026-11-21 12:00`. */
function formatTime(ms: number): string {
  const date = new Date(ms);
  const day = [date.getFullYear(), padTwo(date.getMonth() + 1), padTwo(date.getDate())].join('-');
  return `${day} ${padTwo(date.getHours())}:${padTwo(date.getMinutes())}`;
}

function padTwo(value: number): string {
  return String(value).padStart(2, '0');
}
