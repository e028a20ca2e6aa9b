import type { Command } from 'commander';
import { join } from 'node:path';
import stringWidth from 'string-width';
import { parseFilter } from '../../../shared/filter-language/parse.ts';
import type { Term } from '../../../shared/filter-language/terms.ts';
import { listBodyTexts, toFilter } from '../../../shared/filter-language/to-filter.ts';
import { ANSWERED, type HistoryFilter } from '../../../shared/history/history.ts';
import { formatCount } from '../../../shared/format.ts';
import { toPattern } from '../../../shared/name-pattern.ts';
import { toServiceId } from '../../../shared/upstream.ts';
import { FIXED_CLIENT_NAME } from '../../../gateway/clients/clients.ts';
import { searchStoredBodies } from '../../../gateway/bodies/read-file.ts';
import type { History } from '../../../gateway/history/history.ts';
import type { CommandContext } from '../../command-context.ts';
import { CommandError, UsageError } from '../../errors.ts';
import { escapeControls, formatTimestamp } from '../../output/format.ts';
import { parseSince } from '../../arguments/parse-time.ts';
import type { CommandRepositories } from '../../with-repositories.ts';

/** The options that choose exchanges. */
export interface FilterFlags {
  readonly status?: string;
  readonly since?: string;
  readonly client?: string;
  readonly service?: string;
  readonly model?: string;
  readonly search?: string;
  readonly repaired?: boolean;
}

/** The name that stands for requests without a valid local key. */
const UNKNOWN_CLIENT = 'unknown';

const MAX_SEARCH_LENGTH = 200;

/** Adds the options that choose exchanges to a command. */
export function addFilterOptions(command: Command): Command {
  return command
    .option('--status <status>', 'only this status (404) or class (4xx), or "failed"')
    .option('--since <time>', 'only since then: 30m, 2h, 3d, 1w ago, or 2026-11-21')
    .option('--client <name>', 'only this client, or "unknown" for requests without a valid key')
    .option('--service <name>', 'only this service, by its name or address, or "sandbox"')
    .option('--model <id>', 'only this model')
    .option('--search <text>', 'only with these words in path, model, client or error')
    .option('--repaired', 'only repaired requests');
}

/** Checks a filter and the options that need no database: a wrong call is one whatever the data folder has. @throws UsageError */
export function checkFilter(filterText: string, flags: FilterFlags, now: number): void {
  readTerms(filterText);
  if (flags.status !== undefined) parseStatus(flags.status);
  if (flags.since !== undefined) parseSince(flags.since, now);
}

/** Returns the filter that options stand for. @throws UsageError, CommandError when there is no such client or service */
export async function toHistoryFilter(
  flags: FilterFlags,
  { repositories, history, now }: FilterSource,
): Promise<HistoryFilter> {
  const { status, since, client, service, model, search, repaired } = flags;
  return {
    ...(status === undefined ? {} : parseStatus(status)),
    ...(since === undefined ? {} : { since: parseSince(since, now()) }),
    ...(client === undefined ? {} : await toClientFilter(client, repositories, history)),
    ...(service === undefined ? {} : await toServiceFilter(service, repositories, history)),
    ...(model === undefined ? {} : { models: [toPattern(model)] }),
    ...(search === undefined ? {} : { text: parseSearch(search) }),
    ...(repaired === true ? { repaired: true } : {}),
  };
}

export interface FilterSource {
  readonly repositories: Pick<CommandRepositories, 'clients' | 'upstreams' | 'host'>;
  readonly history: Pick<History, 'names'>;
  /** Unix time in milliseconds. */
  readonly now: () => number;
}

/** Finds clients by name. Revoked ones may have used the same name in other letter case. */
async function toClientFilter(
  name: string,
  { clients }: FilterSource['repositories'],
  history: FilterSource['history'],
): Promise<HistoryFilter> {
  const normalizedName = name.trim().toLowerCase();
  if (normalizedName === UNKNOWN_CLIENT) return { known: false };
  const stored = (await clients.list()).map((client) => client.name);
  // Clients of Gatehouse itself, such as the chat, are in no list, but in the history.
  const known = new Set([...stored, FIXED_CLIENT_NAME, ...(await history.names()).clients]);
  const names = [...known].filter((one) => one.toLowerCase() === normalizedName);
  if (names.length === 0) {
    throw new CommandError(`There is no client named "${name.trim()}".`);
  }
  return { clients: names.map(toPattern) };
}

async function toServiceFilter(
  name: string,
  repositories: FilterSource['repositories'],
  history: FilterSource['history'],
): Promise<HistoryFilter> {
  return { services: (await findServices(name, repositories, history)).map(toPattern) };
}

/**
 * Returns the ids of the services with a name or an address. One that was removed is known by its address. @throws CommandError when there
 * is none
 */
export async function findServices(
  name: string,
  { upstreams }: Pick<FilterSource['repositories'], 'upstreams'>,
  history: FilterSource['history'],
): Promise<readonly string[]> {
  const wanted = name.trim().toLowerCase();
  const stored = (await upstreams.list()).map((one) => ({ id: toServiceId(one), name: one.name }));
  const recorded = (await history.names()).services.map((id) => ({ id, name: id }));
  const found = [...stored, ...recorded].filter(
    (one) => one.name.toLowerCase() === wanted || one.id.toLowerCase() === wanted,
  );
  if (found.length === 0) throw new CommandError(`There is no service named "${name.trim()}".`);
  return [...new Set(found.map(({ id }) => id))];
}

function parseSearch(text: string): string {
  const words = text.trim();
  if (!/[\p{L}\p{N}]/u.test(words) || words.length > MAX_SEARCH_LENGTH) {
    throw new UsageError(
      `--search takes at least one letter or digit, and at most ${MAX_SEARCH_LENGTH} characters.`,
    );
  }
  return words;
}

const CLASS = /^[1-5]xx$/u;

/** Parses `--status` to the part of a filter. @throws UsageError */
function parseStatus(text: string): Pick<HistoryFilter, 'statuses' | 'failed'> {
  const word = text.toLowerCase();
  if (word === 'failed') return { failed: true };
  // An answer that was not whole is a failure, whatever its status.
  if (word === '2xx') return ANSWERED;
  const from = CLASS.test(word) ? 100 * Number(word.charAt(0)) : Number(word);
  if (!/^[1-5](?:\d\d|xx)$/u.test(word)) {
    throw new UsageError('--status takes a status such as 404, a class such as 4xx, or "failed".');
  }
  return { statuses: [{ from, to: CLASS.test(word) ? from + 99 : from }] };
}

/** Parses a filter in the language of filters, and says when `body:` has found more than it returns. @throws UsageError that shows the place of what is wrong */
export async function parseFilterArgument(
  text: string,
  {
    repositories: { upstreams, host },
    now,
    terminal,
  }: Pick<FilterSource, 'repositories' | 'now'> & Pick<CommandContext, 'terminal'>,
): Promise<HistoryFilter> {
  const services = (await upstreams.list()).map((upstream) => ({
    id: toServiceId(upstream),
    name: upstream.name,
  }));
  const terms = readTerms(text);
  const texts = listBodyTexts(terms);
  const filter = toFilter(terms, { now: now(), services });
  if (texts.length === 0) return filter;
  const { ids, next, through } = searchStoredBodies(join(host.dataDir, 'bodies.db'), texts);
  if (next !== null) terminal.printError(describeCut(ids.length, through));
  return { ...filter, ids: [...ids] };
}

function describeCut(found: number, through: number | null): string {
  const back = through === null ? '' : ` back to ${formatTimestamp(through)}`;
  return `body: found the latest ${formatCount(found)} exchanges${back}. Earlier ones were not searched: add words.`;
}

/** Returns the terms of a filter. @throws UsageError that shows the place of what is wrong */
function readTerms(text: string): readonly Term[] {
  const { terms, errors } = parseFilter(text);
  const [error] = errors;
  if (error === undefined) return terms.map(({ term }) => term);
  const line = text.replaceAll(/\s/gu, ' ');
  const start = Math.max(0, error.from - SHOWN_BEFORE);
  const shown = escapeControls(line.slice(start, start + SHOWN_LENGTH));
  const place = ' '.repeat(stringWidth(line.slice(start, error.from)));
  const marks = '^'.repeat(
    Math.max(1, stringWidth(line.slice(error.from, Math.min(error.to, start + SHOWN_LENGTH)))),
  );
  throw new UsageError(`${shown}\n${place}${marks}\n${error.message}`);
}

/** Characters of a filter that are shown before its error, and in all. */
const SHOWN_BEFORE = 30;
const SHOWN_LENGTH = 72;

/** Joins two filters, both of which must hold. @throws UsageError when they say something different about the same thing */
export function joinFilters(one: HistoryFilter, other: HistoryFilter): HistoryFilter {
  const both = Object.keys(one).find((name) => Object.hasOwn(other, name));
  if (both !== undefined) {
    throw new UsageError(
      `The options and the filter both choose by "${both}". Leave out one of them.`,
    );
  }
  return { ...one, ...other };
}
