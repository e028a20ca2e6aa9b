import type { HistoryCriteria, HistoryFilter, NumberRange } from '../history/history.ts';
import { toPattern } from '../name-pattern.ts';
import { FLAGS, isFlag, NUMBER_FIELDS, isNumberField } from './fields.ts';
import { printTerms } from './print.ts';
import { formatMoment } from './quantities.ts';
import { scanTerms } from './scan.ts';
import type { Term } from './terms.ts';

/** Prints a filter in the language of filters: parsed again, it selects the same exchanges. */
export function printFilter(filter: HistoryFilter): string {
  const { not = {}, id, run, since, until } = filter;
  const terms: Term[] = [...toTerms(filter, false), ...toTerms(not, true), ...toFlags(filter)];
  for (const field of Object.keys(NUMBER_FIELDS).filter(isNumberField)) {
    terms.push(
      ...toComparisons(filter[field]).map((one) => ({ kind: 'number', field, ...one }) as const),
    );
  }
  if (id !== undefined) terms.push({ kind: 'id', field: 'id', prefix: id });
  if (run !== undefined) terms.push({ kind: 'id', field: 'run', prefix: run });
  if (since !== undefined) terms.push({ kind: 'time', field: 'since', text: formatMoment(since) });
  if (until !== undefined) terms.push({ kind: 'time', field: 'until', text: formatMoment(until) });
  return printTerms(terms);
}

/** Prints words to search for, whatever they mean in the language. */
export function printWords(text: string): string {
  return printTerms(toWords(text, false));
}

function toTerms(criteria: HistoryCriteria, negated: boolean): Term[] {
  const {
    text = '',
    exact = [],
    statuses = [],
    clients,
    models,
    services,
    agents,
    errors,
    repairs,
    tools,
    tags,
    notes,
    projects,
  } = criteria;
  const routes = criteria.routes?.map(toPattern);
  const lists = [
    ['client', clients],
    ['model', models],
    ['service', services],
    ['route', routes],
    ['error', errors],
    ['repair', repairs],
    ['program', agents],
    ['tool', tools],
    ['tag', tags],
    ['note', notes],
    ['project', projects],
  ] as const;
  const ranges = statuses.map(({ from = 100, to = 999 }) => ({ from, to }));
  return [
    ...lists.flatMap(([field, patterns = []]) =>
      patterns.length === 0 ? [] : [{ kind: 'names', field, patterns, negated } as const],
    ),
    ...(ranges.length === 0 ? [] : [{ kind: 'status', ranges, negated } as const]),
    ...toWords(text, negated),
    ...exact.map((one) => ({ kind: 'exact', text: one, negated }) as const),
  ];
}

/** Returns the words of a text; one that would mean something else is divided into runs of letters and digits, as the search does. */
function toWords(text: string, negated: boolean): Term[] {
  const words = text.split(/\s+/u).filter((word) => word !== '');
  return words
    .flatMap((word) => (isPlain(word) ? [word] : (word.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [])))
    .map((word) => ({ kind: isPlain(word) ? 'word' : 'exact', text: word, negated }) as const);
}

function isPlain(word: string): boolean {
  const [term, second] = scanTerms(word);
  const value = term?.values[0];
  const isWord = term?.name === null && !term.negated && value?.quoted === false;
  return isWord && second === undefined && !isFlag(word.toLowerCase());
}

function toFlags(filter: HistoryFilter): Term[] {
  const { answered, failed, left, repaired, streamed: stream, known, pinned, each } = filter;
  const values = {
    answered,
    failed,
    left,
    repaired,
    stream,
    known,
    pinned,
    each: each === true ? true : undefined,
  };
  return Object.keys(FLAGS)
    .filter(isFlag)
    .flatMap((flag) => {
      const value = values[flag];
      return value === undefined ? [] : [{ kind: 'flag', flag, negated: !value } as const];
    });
}

function toComparisons(range: NumberRange | undefined) {
  const { from, to } = range ?? {};
  if (from !== undefined && from === to) return [{ comparison: '=', value: from } as const];
  return [
    ...(from === undefined ? [] : [{ comparison: '>=', value: from } as const]),
    ...(to === undefined ? [] : [{ comparison: '<=', value: to } as const]),
  ];
}
