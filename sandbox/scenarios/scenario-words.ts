const WORDS = /\[scenario ([^\]\s]+)\]/g;

/** The scenarios that a text asks for, such as a prompt or a file name with `[scenario NAME=N]` in it. */
export function findScenarios(text: unknown): readonly string[] {
  if (typeof text !== 'string') return [];
  return [...text.matchAll(WORDS)].map(([, asked = '']) => asked);
}

/** The text without the words that ask for scenarios; one without such words is as it was. */
export function removeScenarios(text: string): string {
  if (text.search(WORDS) < 0) return text;
  return text.replaceAll(new RegExp(`${WORDS.source} ?`, 'g'), '').trim();
}
