import type { Model } from '../../shared/model.ts';
import {
  foldCase,
  listIdLabels,
  MAX_PROVIDERS,
  normalizeName,
  findDistinctFields,
} from './name-matching.ts';
import { SimilarityIndex } from './similarity-index.ts';

/** How a requested model relates to the list. `one`: exactly one model is meant, `id` is its exact id. */
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

/** Labels of models, and the form in which they are compared. */
interface MatchStage {
  readonly form: (name: string) => string;
  readonly labels: Labels;
  /** Whether a single match identifies the model; otherwise it is only suggested. */
  readonly certain: boolean;
}

function listTexts(model: Model, fields: readonly string[]): readonly string[] {
  return fields.map((field) => model[field]).filter((text) => typeof text === 'string');
}

/** Returns whether a text is the id of a model other than this one, with or without its provider. */
function isOtherModel(text: string, id: string, ids: Labels): boolean {
  const owners = ids.get(normalizeName(text));
  return owners !== undefined && owners.size > (owners.has(id) ? 1 : 0);
}

/** Returns whether a text names the provider of the model: `provider_name` distinguishes models where each has its own. */
function isProvider(text: string, { id, owned_by: owner }: Model): boolean {
  const providers = id.split('/', MAX_PROVIDERS + 1).slice(0, -1);
  if (typeof owner === 'string') providers.push(owner);
  return providers.some((provider) => normalizeName(provider) === normalizeName(text));
}

/**
 * Returns the stages, most certain first: ids, then display names, then both reduced to letters and digits, then other fields
 * that distinguish models. A display name that equals the id of another model identifies nothing by itself.
 */
function createStages(models: readonly Model[]): readonly MatchStage[] {
  const byId: Labels = new Map();
  const byName: Labels = new Map();
  const squashed: Labels = new Map();
  const byHint: Labels = new Map();
  const fields = findDistinctFields(models);
  for (const { id } of models) {
    for (const label of listIdLabels(id)) {
      addLabel(byId, foldCase(label), id);
      addLabel(squashed, normalizeName(label), id);
    }
  }
  const squashedIds: Labels = new Map([...squashed].map(([label, ids]) => [label, new Set(ids)]));
  for (const model of models) {
    const { id } = model;
    for (const name of listTexts(model, fields.names)) {
      if (isProvider(name, model)) continue;
      if (!isOtherModel(name, id, squashedIds)) addLabel(byName, foldCase(name), id);
      addLabel(squashed, normalizeName(name), id);
    }
    for (const hint of listTexts(model, fields.hints)) addLabel(byHint, foldCase(hint), id);
  }
  return [
    { form: foldCase, labels: byId, certain: true },
    { form: foldCase, labels: byName, certain: true },
    { form: normalizeName, labels: squashed, certain: true },
    { form: foldCase, labels: byHint, certain: false },
  ];
}

/**
 * Looks up requested names in a model list (spec section 2.1: only exact ids are accepted). Data for inexact matches is built
 * when it is first needed.
 */
export class ModelIndex {
  readonly #models: readonly Model[];
  readonly #ids: ReadonlySet<string>;
  #stages: readonly MatchStage[] | null = null;
  #similar: SimilarityIndex | null = null;

  constructor(models: readonly Model[]) {
    this.#models = models;
    this.#ids = new Set(models.map((model) => model.id));
  }

  has(name: string): boolean {
    return this.#ids.has(name);
  }

  /** Returns `one` only when no other model could be meant; otherwise up to three similar ids. */
  match(name: string): ModelMatch {
    if (this.has(name)) return { kind: 'exact' };
    if (name.length > MAX_ASKED) return { kind: 'none', suggestions: [] };
    this.#stages ??= createStages(this.#models);
    for (const { form, labels, certain } of this.#stages) {
      const label = form(name.trim());
      const [id, ...others] = label === '' ? [] : (labels.get(label) ?? []);
      if (id === undefined) continue;
      if (certain && others.length === 0) return { kind: 'one', id };
      return { kind: 'none', suggestions: [id, ...others].toSorted().slice(0, SUGGESTIONS) };
    }
    this.#similar ??= new SimilarityIndex([...this.#ids]);
    return { kind: 'none', suggestions: this.#similar.find(name, SUGGESTIONS) };
  }
}
