import type { ModelSummary } from '../../../../shared/model.ts';
import { makesVideos } from './model-statements.ts';

/** A selectable model. */
export interface ModelOption {
  readonly id: string;
  /** The display name in the service's metadata; `null` when there is none. */
  readonly title: string | null;
}

const collator = new Intl.Collator('en', { numeric: true });

/** Lists the selectable models: most recently used first, then by id; those that generate videos last. */
export function toModelOptions(summaries: readonly ModelSummary[]): readonly ModelOption[] {
  const known = summaries.map((summary) => ({ summary, video: makesVideos(summary.model) }));
  return known
    .toSorted(
      (a, b) =>
        Number(a.video) - Number(b.video) ||
        (b.summary.lastUsedAt ?? 0) - (a.summary.lastUsedAt ?? 0) ||
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

/** Finds the display name in a model's metadata. */
function findTitle(model: ModelSummary['model']): string | null {
  for (const [name, value] of Object.entries(model)) {
    const isTitle = /(?:^|[^\p{L}])(?:title|label|(?:display[_-]?)?name)$/iu.test(name);
    if (isTitle && typeof value === 'string' && value.trim() !== '' && value !== model.id) {
      return value.trim();
    }
  }
  return null;
}
