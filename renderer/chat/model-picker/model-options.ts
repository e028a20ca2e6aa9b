import type { ModelSummary } from '../../../shared/model.ts';
import { makesVideos } from '../../../shared/model-metadata/model-statements.ts';
import { findTitle } from '../../../shared/model-metadata/model-title.ts';

/** A selectable model. */
export interface ModelOption {
  readonly id: string;
  /** The display name in the service's metadata; `null` when there is none. */
  readonly title: string | null;
}

const collator = new Intl.Collator('en', { numeric: true });

/** Lists the selectable models: the person's latest choices first, then by id; those that generate videos last. */
export function toModelOptions(
  summaries: readonly ModelSummary[],
  choices: readonly string[],
): readonly ModelOption[] {
  const findPlace = (id: string): number => {
    const place = choices.indexOf(id);
    return place === -1 ? choices.length : place;
  };
  const known = summaries.map((summary) => ({ summary, video: makesVideos(summary.model) }));
  return known
    .toSorted(
      (a, b) =>
        Number(a.video) - Number(b.video) ||
        findPlace(a.summary.model.id) - findPlace(b.summary.model.id) ||
        collator.compare(a.summary.model.id, b.summary.model.id),
    )
    .map(({ summary: { model } }) => ({ id: model.id, title: findTitle(model) }));
}

/** Filters the models whose id or title contains every word, ignoring case. */
export function filterOptions(
  options: readonly ModelOption[],
  find: string,
): readonly ModelOption[] {
  const words = find
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== '');
  if (words.length === 0) return options;
  return options.filter(({ id, title }) => {
    const text = `${id}\n${title ?? ''}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
