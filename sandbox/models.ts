import { invalid, RefusalError } from './http/errors.ts';
import { type ScenarioName, SCENARIOS } from './scenarios/scenario.ts';

/** One model of the sandbox's model list. */
export interface ServedModel {
  readonly id: string;
  readonly owner: string;
  readonly title: string;
  /** Context window in tokens. */
  readonly context: number;
  readonly tags: readonly string[];
  /** Whether its usage reports cached input and reasoning output. */
  readonly thinks: boolean;
  /** The scenario that applies to its calls. */
  readonly scenario: ScenarioName | undefined;
}

function defineModel(id: string, title: string, rest: Partial<ServedModel> = {}): ServedModel {
  const owner = id.includes('/') ? id.slice(0, id.indexOf('/')) : 'sandbox';
  const usual = { context: 128_000, tags: ['text', 'tools'], thinks: false, scenario: undefined };
  return { ...usual, id, owner, title, ...rest };
}

const MODELS: readonly ServedModel[] = [
  defineModel('aurora/aurora-large', 'Aurora Large', { tags: ['text', 'tools', 'vision'] }),
  defineModel('aurora/aurora-small', 'Aurora Small', { context: 32_000 }),
  defineModel('borealis/borealis-chat', 'Borealis Chat'),
  defineModel('borealis/borealis-code', 'Borealis Code', { context: 256_000 }),
  defineModel('cirrus/cirrus-thinking', 'Cirrus Thinking', {
    tags: ['text', 'tools', 'reasoning'],
    thinks: true,
  }),
  defineModel('dune/open/dune-7b', 'Dune 7B (open weights)', { context: 16_000, tags: ['text'] }),
  defineModel('ember-mini', 'Ember Mini', { context: 8_000 }),
  defineModel('fjord/Fjord-Vision-2', 'Fjord Vision 2', { tags: ['text', 'vision'] }),
  defineModel('glade/glade-long', 'Glade Long', { context: 1_000_000 }),
  defineModel('harbor/harbor-strict', 'Harbor Strict (refuses stream_options)', {
    scenario: 'rejects-stream-options',
  }),
  defineModel('isle/isle-pro', 'Isle Pro'),
  defineModel('h3', 'H3 Video', { context: 2_000, tags: ['video'] }),
  ...SCENARIOS.map(({ name, description }) =>
    defineModel(`sandbox/${name}`, description, { scenario: name }),
  ),
];

/** The models that a sandbox serves. */
export class ServedModels {
  readonly all: readonly ServedModel[];

  /** `more`: ids of models beside the usual ones. They can do everything but videos. */
  constructor(more: readonly string[]) {
    const added = more.filter((id) => !MODELS.some((known) => known.id === id));
    const tags = ['text', 'tools', 'vision'];
    this.all = [...MODELS, ...[...new Set(added)].map((id) => defineModel(id, id, { tags }))];
  }

  /** Finds the model with exactly this id (spec section 2.1, rule 1). */
  find(id: unknown): ServedModel | undefined {
    return this.all.find((candidate) => candidate.id === id);
  }

  /**
   * Returns the model that a request names.
   * @throws RefusalError 404 `model_not_found`, or 400 when the model is not for this purpose.
   */
  require(id: string, purpose: 'text' | 'video' | 'any'): ServedModel {
    const found = this.find(id);
    if (!found) {
      const message = `The model "${id}" does not exist or you have no access to it.`;
      throw new RefusalError({ status: 404, code: 'model_not_found', message });
    }
    const makesVideos = found.tags.includes('video');
    const isOther = purpose !== 'any' && makesVideos !== (purpose === 'video');
    if (isOther && !id.startsWith('sandbox/')) {
      throw invalid(
        `The model "${id}" makes ${makesVideos ? 'videos' : 'text'} and cannot be used here.`,
      );
    }
    return found;
  }
}
