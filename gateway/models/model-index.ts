import type { Model } from '../../shared/model.ts';
import { foldCase, idLabels, nameFields, squash } from './labels.ts';
import { Similar } from './similar.ts';

/** How an asked-for model relates to the list. `one`: exactly one model is meant, `id` is its exact id. */
export type ModelMatch =
  | { readonly kind: 'exact' }
  | { readonly kind: 'one'; readonly id: string }
  | { readonly kind: 'none'; readonly suggestions: readonly string[] };

const MAX_ASKED = 256;
const SUGGESTIONS = 3;

type Labels = Map<string, Set<string>>;

function addLabel(labels: Labels, label: string, id: string): void {
  const ids = labels.get(label);
  if (ids === undefined) labels.set(label, new Set([id]));
  else ids.add(id);
}

/** What models may be called, and the form in which that is compared. */
interface Stage {
  readonly form: (asked: string) => string;
  readonly labels: Labels;
}

/** The most certain stage first: ids, then display names, then both with everything but letters and digits left out. */
function stagesOf(models: readonly Model[]): readonly Stage[] {
  const byId: Labels = new Map();
  const byName: Labels = new Map();
  const squashed: Labels = new Map();
  const fields = nameFields(models);
  for (const model of models) {
    const ids = idLabels(model.id);
    const names = fields.map((field) => model[field]).filter((name) => typeof name === 'string');
    for (const label of ids) addLabel(byId, foldCase(label), model.id);
    for (const label of names) addLabel(byName, foldCase(label), model.id);
    for (const label of [...ids, ...names]) addLabel(squashed, squash(label), model.id);
  }
  return [
    { form: foldCase, labels: byId },
    { form: foldCase, labels: byName },
    { form: squash, labels: squashed },
  ];
}

/**
 * A model list to look up what a client asked for (spec section 2.1: only exact ids are accepted). What is needed for
 * anything but exact ids is made when it is needed first.
 */
export class ModelIndex {
  readonly #models: readonly Model[];
  readonly #ids: ReadonlySet<string>;
  #stages: readonly Stage[] | null = null;
  #similar: Similar | null = null;

  constructor(models: readonly Model[]) {
    this.#models = models;
    this.#ids = new Set(models.map((model) => model.id));
  }

  has(asked: string): boolean {
    return this.#ids.has(asked);
  }

  /** `one` only when no other model could be meant; otherwise up to three ids that come close. */
  match(asked: string): ModelMatch {
    if (this.has(asked)) return { kind: 'exact' };
    if (asked.length > MAX_ASKED) return { kind: 'none', suggestions: [] };
    this.#stages ??= stagesOf(this.#models);
    for (const { form, labels } of this.#stages) {
      const label = form(asked.trim());
      const [id, ...others] = label === '' ? [] : (labels.get(label) ?? []);
      if (id === undefined) continue;
      if (others.length === 0) return { kind: 'one', id };
      return { kind: 'none', suggestions: [id, ...others].toSorted().slice(0, SUGGESTIONS) };
    }
    this.#similar ??= new Similar([...this.#ids]);
    return { kind: 'none', suggestions: this.#similar.to(asked, SUGGESTIONS) };
  }
}
