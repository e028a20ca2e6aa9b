import { foldCase } from '../../shared/fold-case.ts';
import { DEFAULT_ALIAS, MAX_MODEL_NAME, type ModelAlias } from '../../shared/model-alias.ts';
import { matchesPattern, splitPattern } from '../../shared/name-pattern.ts';

/** Names whose aliases are remembered. */
const MAX_KNOWN = 1_000;

/** Clients with which a person picks a model from the list of the service: an alias for all clients does not replace it. */
const PICKING_CLIENTS: ReadonlySet<string> = new Set(['window', 'chat']);

/** Finds the alias that holds for a model, in memory. It never changes: another set of aliases gets another matcher. */
export class AliasMatcher {
  /** The aliases that hold now, but for the defaults; the first that matches counts. */
  readonly #named: readonly ModelAlias[];
  readonly #defaults: readonly ModelAlias[];
  readonly #known = new Map<string, ModelAlias | null>();

  /** `used`: the profile in use. */
  constructor(aliases: readonly ModelAlias[], used: string | null) {
    const folded = used === null ? null : foldCase(used);
    const valid = aliases.filter(({ profile }) => profile === null || foldCase(profile) === folded);
    this.#named = valid.filter((alias) => !isDefault(alias)).toSorted(compare);
    this.#defaults = valid.filter(isDefault).toSorted(compare);
  }

  /** Finds the alias that names a model, for a client (`null`: unknown); `null` when there is none. */
  find(clientId: string | null, model: string): ModelAlias | null {
    if (this.#named.length === 0 || model.length > MAX_MODEL_NAME) return null;
    const key = `${clientId ?? ''}\n${model}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const found =
      this.#named.find((alias) => isFor(alias, clientId) && matchesPattern(alias.name, model)) ??
      null;
    // A client may name any number of models.
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(key, found);
    return found;
  }

  /** Lists the aliases of whole names that hold for a client, one for each name. */
  listWhole(clientId: string | null): readonly ModelAlias[] {
    const whole = new Map<string, ModelAlias>();
    for (const alias of this.#named) {
      const folded = foldCase(alias.name);
      if (!isFor(alias, clientId) || isPattern(alias) || whole.has(folded)) continue;
      whole.set(folded, alias);
    }
    return [...whole.values()];
  }

  /** Finds the default of a client, for models that no alias names and the service does not list. */
  findDefault(clientId: string | null): ModelAlias | null {
    return this.#defaults.find((alias) => isFor(alias, clientId)) ?? null;
  }
}

function isFor(alias: ModelAlias, clientId: string | null): boolean {
  if (alias.clientId === null) return clientId === null || !PICKING_CLIENTS.has(clientId);
  return alias.clientId === clientId;
}

/**
 * Orders aliases, the preferred one first: of the profile in use, a whole name, for one client, the pattern with the most characters of
 * its own. Of two that are equal in all of this, the name decides, so that the order is always the same.
 */
function compare(one: ModelAlias, other: ModelAlias): number {
  return (
    Number(other.profile !== null) - Number(one.profile !== null) ||
    Number(isPattern(one)) - Number(isPattern(other)) ||
    Number(other.clientId !== null) - Number(one.clientId !== null) ||
    countOwn(other) - countOwn(one) ||
    compareTexts(foldCase(one.name), foldCase(other.name))
  );
}

function isDefault({ name }: ModelAlias): boolean {
  return name === DEFAULT_ALIAS;
}

function isPattern({ name }: ModelAlias): boolean {
  return splitPattern(name).length > 1;
}

function countOwn({ name }: ModelAlias): number {
  return splitPattern(name).join('').length;
}

function compareTexts(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
