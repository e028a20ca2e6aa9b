import { type Answer, jsonAnswer } from './http/answer.ts';
import type { Call } from './call.ts';
import { invalid, RefusalError } from './http/errors.ts';
import type { FieldNames } from './fields.ts';
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

/** Unix time in seconds: 2026-01-01, so that the list does not change from day to day. */
const CREATED = 1_767_225_600;

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

/** Finds the model with exactly this id (spec section 2.1, rule 1). */
export function findModel(id: unknown): ServedModel | undefined {
  return MODELS.find((candidate) => candidate.id === id);
}

/**
 * Returns the model that a request names.
 * @throws RefusalError 404 `model_not_found`, or 400 when the model is not for this purpose.
 */
export function requireModel(id: string, purpose: 'text' | 'video'): ServedModel {
  const found = findModel(id);
  if (!found) {
    const message = `The model "${id}" does not exist or you have no access to it.`;
    throw new RefusalError({ status: 404, code: 'model_not_found', message });
  }
  const makesVideos = found.tags.includes('video');
  if (makesVideos !== (purpose === 'video') && !id.startsWith('sandbox/')) {
    throw invalid(
      `The model "${id}" makes ${makesVideos ? 'videos' : 'text'} and cannot be used here.`,
    );
  }
  return found;
}

/** Answers GET /v1/models (spec section 4.1). */
export function listModels({ fields }: Call): Answer {
  return jsonAnswer({
    object: 'list',
    [fields.modelList]: MODELS.map((entry) => toModelObject(entry, fields)),
  });
}

/** Answers GET /v1/models/{id} as in the public protocols. */
export function showModel({ parameter, fields }: Call): Answer {
  const found = findModel(parameter);
  if (found) return jsonAnswer(toModelObject(found, fields));
  const message = `The model "${parameter}" does not exist or you have no access to it.`;
  throw new RefusalError({ status: 404, code: 'model_not_found', message });
}

function toModelObject(entry: ServedModel, fields: FieldNames): object {
  return {
    id: entry.id,
    object: 'model',
    created: CREATED,
    owned_by: entry.owner,
    [fields.modelTitle]: entry.title,
    [fields.modelContext]: entry.context,
    [fields.modelTags]: entry.tags,
  };
}
