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
const Rank = { start: 0, wordStart: 1, within: 2, keyword: 3, description: 4, typo: 5 } as const;

/** Shorter words have too many neighbours. */
const MIN_TYPO_LENGTH = 4;

/**
 * Returns the groups with only the actions that match every word of the query, the best first; of two equally good ones the
 * order stays. Groups are ordered by their best action, those
 * marked as last after the others. Where nothing matches, a word may have one typo.
 */
export function rankGroups(query: string, groups: readonly PaletteGroup[]): PaletteGroup[] {
  const words = toWords(query);
  const exact = rankAll(groups, (action) => rankAction(words, action, false));
  const ranked =
    exact.length > 0 ? exact : rankAll(groups, (action) => rankAction(words, action, true));
  return ranked
    .toSorted((one, other) => Number(one.isLast) - Number(other.isLast) || one.best - other.best)
    .map(({ group, actions }) => ({ group, actions }));
}

type RankOf = (action: PaletteAction) => number;

function rankAll(groups: readonly PaletteGroup[], rankOf: RankOf) {
  return groups
    .map(({ group, actions, isLast = false }) => ({
      group,
      isLast,
      ...rankActions(actions, rankOf),
    }))
    .filter(({ actions }) => actions.length > 0);
}

function rankActions(actions: readonly PaletteAction[], rankOf: RankOf) {
  const found = actions
    .map((action) => ({ action, rank: rankOf(action) }))
    .filter(({ rank }) => rank < Number.POSITIVE_INFINITY)
    .toSorted((one, other) => one.rank - other.rank);
  return {
    best: found[0]?.rank ?? Number.POSITIVE_INFINITY,
    actions: found.map(({ action }) => action),
  };
}

/** Sums the ranks of the words; infinite when one of them matches nothing. */
function rankAction(words: readonly string[], action: PaletteAction, mayHaveTypo: boolean): number {
  const label = action.label.toLowerCase();
  const keywords = (action.keywords ?? []).flatMap(toWords);
  const description = (action.description ?? '').toLowerCase();
  const texts = { label, keywords, description };
  return words.reduce((sum, word) => sum + rankWord(word, texts, mayHaveTypo), 0);
}

interface SearchedTexts {
  readonly label: string;
  readonly keywords: readonly string[];
  readonly description: string;
}

function rankWord(word: string, texts: SearchedTexts, mayHaveTypo: boolean): number {
  const { label, keywords, description } = texts;
  if (label.startsWith(word)) return Rank.start;
  if (toWords(label).some((part) => part.startsWith(word))) return Rank.wordStart;
  if (label.includes(word)) return Rank.within;
  if (keywords.some((part) => part.startsWith(word))) return Rank.keyword;
  if (description.includes(word)) return Rank.description;
  const isFound =
    mayHaveTypo && [...toWords(label), ...keywords].some((part) => startsWithTypo(part, word));
  return isFound ? Rank.typo : Number.POSITIVE_INFINITY;
}

/** Whether a text begins with a word in which, after its first letter, one is wrong, missing or too many, or two are swapped. */
function startsWithTypo(text: string, word: string): boolean {
  if (word.length < MIN_TYPO_LENGTH) return false;
  let at = 0;
  while (at < word.length && word[at] === text[at]) at += 1;
  if (at === 0) return false;
  const swapped = `${word.slice(0, at)}${word[at + 1] ?? ''}${word[at] ?? ''}${word.slice(at + 2)}`;
  return (
    text.slice(at + 1).startsWith(word.slice(at + 1)) ||
    text.slice(at + 1).startsWith(word.slice(at)) ||
    text.slice(at).startsWith(word.slice(at + 1)) ||
    text.startsWith(swapped)
  );
}

/** Splits a text into the words that are compared, in lower case. */
export function toWords(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[\s:,/“”"'()-]+/u)
    .filter((word) => word !== '');
}
