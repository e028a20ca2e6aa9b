import type { ExchangeRecord } from '../../../shared/exchange/exchange.ts';
import { CommandError, UsageError } from '../../errors.ts';
import { type CommandRepositories, withHistory } from '../../with-repositories.ts';

/** Finds an exchange by its id or the beginning of it. @throws UsageError; CommandError when there is none, or several */
export async function findExchange(
  repositories: CommandRepositories,
  id: string,
): Promise<ExchangeRecord> {
  const idPrefix = parseIdPrefix(id);
  const found = await withHistory(
    repositories,
    async (history) => await history.list({ filter: { id: idPrefix }, limit: 2 }),
  );
  const [exchange] = found;
  if (exchange === undefined) {
    throw new CommandError(`There is no exchange whose id begins with ${idPrefix}.`);
  }
  if (found.length > 1) {
    throw new CommandError(`Several ids begin with ${idPrefix}. Give more characters.`);
  }
  return exchange;
}

function parseIdPrefix(text: string): string {
  const digits = /^(?:ex-)?([\da-f]{1,16})$/iu.exec(text)?.[1];
  if (digits === undefined) {
    throw new UsageError(
      'The id of an exchange is ex- and hexadecimal digits; its beginning is enough.',
    );
  }
  return `ex-${digits.toLowerCase()}`;
}
