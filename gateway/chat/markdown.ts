import type { Answer, ChatFile, ChatMessage, Conversation, Lane } from '../../shared/chat.ts';

/** What stands above a conversation in its file. */
export function headInMarkdown({ title, createdAt, settings }: Conversation): string {
  const name = onOneLine(title) || 'Conversation';
  const system = settings.system === '' ? '' : `## System prompt\n\n${settings.system}\n\n`;
  return `# ${name}\n\n${timeOf(createdAt)}\n\n${system}`;
}

/** What stands above the messages of one of several models. */
export function laneInMarkdown({ model }: Lane): string {
  return `---\n\n# ${onOneLine(model)}\n\n`;
}

/** A message as people read it. */
export function messageInMarkdown({ text, reasoning, files, answer }: ChatMessage): string {
  const parts = [
    `## ${answer === null ? 'You' : onOneLine(answer.model)}`,
    reasoning === '' ? '' : folded(reasoning),
    text.trim(),
    ...files.map(fileInMarkdown),
    answer === null ? '' : footOf(answer),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n\n`;
}

function folded(reasoning: string): string {
  // What was thought must not end the fold.
  const safe = reasoning.trim().replaceAll(/<(?=\/?(?:details|summary)\b)/giu, '&lt;');
  return `<details>\n<summary>Reasoning</summary>\n\n${safe}\n\n</details>`;
}

function fileInMarkdown(file: ChatFile): string {
  if (file.kind === 'image') return `Image: ${inCode(file.name)} (${file.type})`;
  const fence = '`'.repeat(Math.max(3, longestRun(file.text) + 1));
  return `File: ${inCode(file.name)}\n\n${fence}\n${file.text.replace(/\n$/u, '')}\n${fence}`;
}

function inCode(name: string): string {
  const mark = '`'.repeat(longestRun(name) + 1);
  return `${mark} ${onOneLine(name)} ${mark}`;
}

function longestRun(text: string): number {
  const runs = text.match(/`+/gu) ?? [];
  return runs.reduce((most, run) => Math.max(most, run.length), 0);
}

function footOf(answer: Answer): string {
  const { state, problem } = answer;
  const figures = figuresOf(answer).join(' · ');
  const ends: Partial<Record<Answer['state'], string>> = {
    waiting: 'Still coming.',
    streaming: 'Still coming.',
    stopped: 'Stopped.',
  };
  const lines = [figures, problem?.sentence ?? ends[state] ?? ''];
  return lines.flatMap((line) => (line === '' ? [] : [`*${onOneLine(line)}*`])).join('\n\n');
}

function figuresOf(answer: Answer): string[] {
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

function onOneLine(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim();
}

/** In the time zone of this computer, such as `2026-11-21 12:00`. */
function timeOf(ms: number): string {
  const date = new Date(ms);
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
