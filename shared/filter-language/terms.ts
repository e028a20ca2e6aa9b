import type { NumberRange } from '../history/history.ts';

/** Where a term is in its text: from the first character to the one after the last. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The fields whose terms list names: `model:gpt*,claude*`. */
export type NamesField =
  | 'client'
  | 'model'
  | 'service'
  | 'route'
  | 'error'
  | 'repair'
  | 'program'
  | 'tool'
  | 'tag'
  | 'note'
  | 'project';

/** The fields whose terms compare numbers: `tokens>10k`. */
export type NumberField = 'tokens' | 'input' | 'output' | 'cost' | 'duration';

/** The fields whose terms bound the time: `since:2d`. */
export type TimeField = 'since' | 'until';

/** The fields whose terms name the beginning of an id: `id:ex-19b2`. */
export type IdField = 'id' | 'run';

/** The terms that are one word: `failed`. */
export type Flag =
  | 'answered'
  | 'failed'
  | 'left'
  | 'repaired'
  | 'stream'
  | 'known'
  | 'pinned'
  | 'each';

export type Comparison = '>' | '>=' | '<' | '<=' | '=';

/** One condition of a filter. `negated`: it has a `-` before it, and must not hold. */
export type Term =
  /** A word that occurs, as the beginning of a word. */
  | { readonly kind: 'word'; readonly text: string; readonly negated: boolean }
  /** A text that occurs as it is. */
  | { readonly kind: 'exact'; readonly text: string; readonly negated: boolean }
  /** Words that stand together in a request or a response. */
  | { readonly kind: 'body'; readonly text: string }
  /** Patterns of names (`shared/name-pattern.ts`), one of which matches. */
  | {
      readonly kind: 'names';
      readonly field: NamesField;
      readonly patterns: readonly string[];
      readonly negated: boolean;
    }
  /** Statuses, one range of which matches. */
  | { readonly kind: 'status'; readonly ranges: readonly NumberRange[]; readonly negated: boolean }
  /** A status that is compared. */
  | { readonly kind: 'status-bound'; readonly comparison: Comparison; readonly value: number }
  /** A number of tokens, millionths of the currency, or milliseconds. */
  | {
      readonly kind: 'number';
      readonly field: NumberField;
      readonly comparison: Comparison;
      readonly value: number;
    }
  /** An age, a day or a time, as `parseTime` takes it. */
  | { readonly kind: 'time'; readonly field: TimeField; readonly text: string }
  /** The beginning of the id of an exchange or a run, in lower case. */
  | { readonly kind: 'id'; readonly field: IdField; readonly prefix: string }
  | { readonly kind: 'flag'; readonly flag: Flag; readonly negated: boolean };

/** A term and its place in the text. */
export interface PlacedTerm extends Span {
  readonly term: Term;
}

/** A part of a filter that means nothing. `message`: a sentence that says why, and what to write instead. */
export interface FilterError extends Span {
  readonly message: string;
}

/** A filter as it was read: its valid terms, and what is wrong with the others. */
export interface ParsedFilter {
  readonly terms: readonly PlacedTerm[];
  readonly errors: readonly FilterError[];
}

/** A term, or what is wrong with it and where; without a place all of it is. */
export type ReadTerm = { readonly term: Term } | { readonly wrong: string; readonly at?: Span };
