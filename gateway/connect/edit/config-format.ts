import type { ConfigFormat, PathStep } from './config-value.ts';
import { env } from './env-format.ts';
import { json } from './json-format.ts';
import { toml } from './toml-format.ts';
import { yaml } from './yaml-format.ts';

export { ConfigFormatError } from './config-format-error.ts';
export type {
  ConfigField,
  ConfigFormat,
  ConfigValue,
  PathStep,
  RemovedField,
} from './config-value.ts';

/** The formats of configuration files that can be edited. A file of environment variables (`.env`) has paths of one name. */
export const CONFIG_FORMATS = { json, toml, yaml, env } as const satisfies Record<
  string,
  ConfigFormat
>;

/**
 * Counts the containers around a path that a text does not have yet: the `emptyParents` with which removing the field gives
 * back this text. A text without any value lacks its root, too.
 * @throws ConfigFormatError
 */
export function countMissingParents(
  format: ConfigFormat,
  text: string,
  path: readonly PathStep[],
): number {
  const parents = path.map((_, index) => path.slice(0, index));
  const missing = parents.findIndex((parent) => format.read(text, parent) === undefined);
  return missing === -1 ? 0 : parents.length - missing;
}
