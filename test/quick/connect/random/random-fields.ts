import * as fc from 'fast-check';
import type {
  ConfigField,
  ConfigValue,
  PathStep,
} from '../../../../gateway/connect/edit/config-format.ts';
import { type Draw, ODD_NAMES, type RandomFile, WORDS } from './random-file.ts';

/** Values of any kind but null, which TOML has not. */
export const VALUE: fc.Arbitrary<ConfigValue> = fc.letrec<{ value: ConfigValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(...WORDS),
    fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
    fc.integer(),
    // Not all parsers know a negative zero.
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    fc.boolean(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc
      .array(fc.tuple(fc.constantFrom(...ODD_NAMES), tie('value')), { maxLength: 3 })
      .map((members) => Object.fromEntries(members)),
  ),
})).value;

/** Texts that programs and shells read the same from a file of environment variables. */
export const VARIABLE = fc
  .oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', 'a b', "it's", '#', 'two\nlines', '~', '$HOME', '`date`'),
  )
  .filter((text) => text.isWellFormed() && !/[\0\r]|\\$/u.test(text))
  .filter((text) => !text.includes("'") || !/["$`\\]/u.test(text));

/** Gives each value a path that the file does not have: in its containers, or in new ones. */
export function drawFields(
  draw: Draw,
  { containers }: RandomFile,
  values: readonly ConfigValue[],
): readonly ConfigField[] {
  return values.map((value, index) => {
    const { path, kind } = draw.pick(containers);
    const name = `new${index}`;
    const step: PathStep = kind === 'object' ? name : { where: 'name', is: name };
    const inner = draw.pick<readonly PathStep[]>([
      [],
      [],
      ['inner'],
      ['inner', 'most'],
      ['items', { where: 'id', is: name }, 'url'],
    ]);
    const isItem = kind === 'list' && inner.length === 0;
    return { path: [...path, step, ...inner], value: isItem ? { url: value, name } : value };
  });
}

/** Gives each value the name of a variable that the file does not have. */
export function drawVariables(
  _draw: Draw,
  _file: RandomFile,
  values: readonly ConfigValue[],
): readonly ConfigField[] {
  return values.map((value, index) => ({ path: [`NEW_${index}`], value }));
}
