import type { Model } from '../../../../shared/model.ts';
import { type ModelWord, modelWords, tokensOf } from '../head/model-words.ts';

/** What a model gives, may not or costs, and not what it takes. */
const ELSE = new Set([
  'cost',
  'generates',
  'generation',
  'no',
  'not',
  'output',
  'outputs',
  'price',
  'pricing',
  'unsupported',
  'without',
]);
const EYES = new Set(['vision', 'visual', 'vlm']);
const PICTURES = new Set(['image', 'images', 'picture', 'pictures']);
/** Of the members whose pictures are those that go in; elsewhere "image" may be what a model makes. */
const TAKES = new Set([
  'accepts',
  'capabilities',
  'capability',
  'features',
  'input',
  'inputs',
  'modalities',
  'modality',
  'supported',
  'supports',
]);
const YES = new Set(['supported', 'true', 'yes']);

/** Whether the service says of a model that images may be sent to it, under whatever names: the spec (section 2.1) shows none. */
export function seesImages(model: Model): boolean {
  return modelWords(model).some(says);
}

function says({ under, said }: ModelWord): boolean {
  if (said === false || has(under, ELSE)) return false;
  if (said === true || YES.has(said.toLowerCase())) return looks(under, under);
  const words = tokensOf(said);
  if (has(words, ELSE)) return false;
  const to = words.indexOf('to');
  // Such as `image-to-text`, which sees, and `text-to-image`, which paints.
  if (to > 0) return looks(words.slice(0, to), TAKEN) && words.slice(to).includes('text');
  return looks(words, [...words, ...under]);
}

const TAKEN = ['input'];

function looks(words: readonly string[], around: readonly string[]): boolean {
  return has(words, EYES) || (has(words, PICTURES) && has(around, TAKES));
}

function has(words: readonly string[], sought: ReadonlySet<string>): boolean {
  return words.some((word) => sought.has(word));
}
