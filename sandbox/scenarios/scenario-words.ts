const SCENARIO_TEXT = /\[scenario ([^\]\s]+)\]/g;

/** Lists the scenarios in a text such as a prompt or a file name: `[scenario NAME=N]`. */
export function findScenarios(text: unknown): readonly string[] {
  if (typeof text !== 'string') return [];
  return [...text.matchAll(SCENARIO_TEXT)].map(([, name = '']) => name);
}

/** Removes such scenarios from a text. */
export function removeScenarios(text: string): string {
  if (text.search(SCENARIO_TEXT) < 0) return text;
  return text.replaceAll(new RegExp(`${SCENARIO_TEXT.source} ?`, 'g'), '').trim();
}
