import type { Model } from '../model.ts';
import { type ModelStatement, readModelStatements, splitWords } from './model-statements.ts';

/** Words for a model's output, limits or price, which say nothing about its input. */
const IGNORED_MEMBERS = new Set([
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
const VISION_WORDS = new Set(['vision', 'visual', 'vlm']);
const IMAGE_WORDS = new Set(['image', 'images', 'picture', 'pictures']);
/** Words of members that describe input; elsewhere "image" may be the output of a model. */
const INPUT_WORDS = new Set([
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
const TRUE_WORDS = new Set(['supported', 'true', 'yes']);

/**
 * Whether the service's metadata says that a model accepts images, under any member names: the spec (section 2.1)
 * defines none.
 */
export function acceptsImages(model: Model): boolean {
  return readModelStatements(model).some(saysImages);
}

function saysImages({ path, value }: ModelStatement): boolean {
  if (value === false || hasWord(path, IGNORED_MEMBERS)) return false;
  if (value === true || TRUE_WORDS.has(value.toLowerCase())) return meansImages(path, path);
  const words = splitWords(value);
  if (hasWord(words, IGNORED_MEMBERS)) return false;
  const to = words.indexOf('to');
  // For example `image-to-text`, which reads images, and `text-to-image`, which creates them.
  if (to > 0)
    return meansImages(words.slice(0, to), INPUT_VALUES) && words.slice(to).includes('text');
  return meansImages(words, [...words, ...path]);
}

const INPUT_VALUES = ['input'];

function meansImages(words: readonly string[], around: readonly string[]): boolean {
  return (
    hasWord(words, VISION_WORDS) || (hasWord(words, IMAGE_WORDS) && hasWord(around, INPUT_WORDS))
  );
}

function hasWord(words: readonly string[], terms: ReadonlySet<string>): boolean {
  return words.some((word) => terms.has(word));
}
