import { parse, TomlError } from 'smol-toml';
import { ConfigFormatError, formatPath } from './config-format-error.ts';
import type { ConfigValue } from './config-value.ts';
import { createConfigFormat } from './create-config-format.ts';
import { insertTomlValue } from './insert-toml-value.ts';
import { removeTomlValue } from './remove-toml-value.ts';
import { applyEdits } from './text-lines.ts';
import { toConfigValue } from './to-config-value.ts';
import { findTomlItem, readSections } from './toml-sections.ts';
import { writeTomlValue } from './toml-writer.ts';
import { followPath, MAX_DEPTH } from './value-changes.ts';

/** TOML. Dates, and integers that are too large for a number, are read as their text. A new table comes last. */
export const toml = createConfigFormat<null>({
  parse: (text) => ({ text, tree: null, value: parseToml(text) }),
  setValue({ text, value: root }, path, value) {
    const { found, rest } = followPath(root, path);
    const parts = readSections(text);
    if (rest.length > 0) return insertTomlValue(text, parts, { found, rest }, value);
    const place = findTomlItem(parts, found);
    if (place === null)
      throw new ConfigFormatError(
        `${formatPath(path)} is a table, which only a table can replace.`,
      );
    const { start, end } = place.item.value;
    return applyEdits(text, [{ start, end, text: writeTomlValue(value) }]);
  },
  removeValue: ({ text, value }, path) =>
    removeTomlValue(text, readSections(text), followPath(value, path).found),
});

function parseToml(text: string): ConfigValue {
  try {
    return toConfigValue(parse(text, { integersAsBigInt: 'asNeeded', maxDepth: MAX_DEPTH }));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [reason = ''] = error.message.split('\n');
    throw new ConfigFormatError(
      `This file is not valid TOML: ${reason.replace('Invalid TOML document: ', '')}.`,
      error,
    );
  }
}
