import type { SpotlightActionData } from '@mantine/spotlight';

/** An action of the palette. `keywords` are found, too, but not shown. */
export interface PaletteAction extends SpotlightActionData {
  readonly label: string;
  readonly keywords?: string[];
}

/** Actions under a heading. */
export interface PaletteGroup {
  readonly group: string;
  readonly actions: PaletteAction[];
  /** Whether its actions affect every client: any action that only shows something is ranked before them. */
  readonly isLast?: true;
}

/** How well a word of the query matches: lower is better. */
const Rank = { start: 0, wordStart: 1, within: 2, keyword: 3, description: 4 } as const;

/**
 * Returns the groups with only the actions that match every word of the query, the best first; of two equally good ones the
 * order stays. Groups are ordered by their best action, those
 * marked as last after the others.
 */
export function rankGroups(query: string, groups: readonly PaletteGroup[]): PaletteGroup[] {
  const words = toWords(query);
  const ranked = groups
    .map(({ group, actions, isLast = false }) => ({
      group,
      isLast,
      ...rankActions(words, actions),
    }))
    .filter(({ actions }) => actions.length > 0);
  return ranked
    .toSorted((one, other) => Number(one.isLast) - Number(other.isLast) || one.best - other.best)
    .map(({ group, actions }) => ({ group, actions }));
}

function rankActions(words: readonly string[], actions: readonly PaletteAction[]) {
  const found = actions
    .map((action) => ({ action, rank: rankAction(words, action) }))
    .filter(({ rank }) => rank < Number.POSITIVE_INFINITY)
    .toSorted((one, other) => one.rank - other.rank);
  return {
    best: found[0]?.rank ?? Number.POSITIVE_INFINITY,
    actions: found.map(({ action }) => action),
  };
}

/** Sums the ranks of the words; infinite when one of them matches nothing. */
function rankAction(words: readonly string[], action: PaletteAction): number {
  const label = action.label.toLowerCase();
  const keywords = (action.keywords ?? []).flatMap(toWords);
  const description = (action.description ?? '').toLowerCase();
  return words.reduce((sum, word) => sum + rankWord(word, { label, keywords, description }), 0);
}

interface SearchedTexts {
  readonly label: string;
  readonly keywords: readonly string[];
  readonly description: string;
}

function rankWord(word: string, { label, keywords, description }: SearchedTexts): number {
  if (label.startsWith(word)) return Rank.start;
  if (toWords(label).some((part) => part.startsWith(word))) return Rank.wordStart;
  if (label.includes(word)) return Rank.within;
  if (keywords.some((part) => part.startsWith(word))) return Rank.keyword;
  return description.includes(word) ? Rank.description : Number.POSITIVE_INFINITY;
}

/** Splits a text into the words that are compared, in lower case. */
export function toWords(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[\s:,/“”"'()-]+/u)
    .filter((word) => word !== '');
}
