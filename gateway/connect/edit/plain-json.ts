import { visit } from 'jsonc-parser';
import { placeAt } from '../../../shared/parse-bodies/json.ts';
import { ConfigFormatError } from './config-format-error.ts';

/**
 * Checks that a text is JSON without comments and trailing commas (RFC 8259), or blank.
 * @throws ConfigFormatError at the first of them, with the name of the program that ignores such a file
 */
export function assertPlainJson(text: string, program: string): void {
  let first = Number.POSITIVE_INFINITY;
  visit(
    text,
    { onError: (_fault, offset) => void (first = Math.min(first, offset)) },
    { disallowComments: true, allowTrailingComma: false, allowEmptyContent: true },
  );
  if (first === Number.POSITIVE_INFINITY) return;
  throw new ConfigFormatError(
    `${program} ignores this whole file, with all settings in it, because JSON has no comments and no trailing commas. Remove them.`,
    placeAt(text, first),
  );
}
