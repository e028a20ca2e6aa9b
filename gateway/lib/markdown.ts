/** Formats a text as a block of code, whatever it contains. */
export function formatFence(text: string): string {
  const fence = '`'.repeat(Math.max(3, findLongestRun(text) + 1));
  return `${fence}\n${text.replace(/\n$/u, '')}\n${fence}`;
}

/** Formats a name as code within a line. */
export function formatCode(name: string): string {
  const mark = '`'.repeat(findLongestRun(name) + 1);
  return `${mark} ${toSingleLine(name)} ${mark}`;
}

/** Replaces all white space by single spaces. */
export function toSingleLine(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim();
}

function findLongestRun(text: string): number {
  const runs = text.match(/`+/gu) ?? [];
  return runs.reduce((longest, run) => Math.max(longest, run.length), 0);
}
