import { UserError } from '../../../../gateway/errors.ts';
import type { Store } from '../../../../gateway/store/store.ts';
import {
  checkColumns,
  type ExportSample,
  listNames,
  readColumns,
  readSample,
  saveColumns,
} from '../../../../gateway/reconcile/reconcile.ts';
import { NO_COLUMNS } from '../../../../shared/reconcile/no-columns.ts';
import { UsageColumns } from '../../../../shared/reconcile/usage-columns.ts';
import type { CommandContext } from '../../../command-context.ts';
import { CommandError, UsageError } from '../../../errors.ts';
import { truncate } from '../../../output/format.ts';
import { askToConfirm } from '../../../output/prompt.ts';

/** The options that say which columns an export has. */
export interface ColumnFlags {
  readonly column?: readonly string[];
  readonly rows?: UsageColumns['rows'];
  readonly timeZone?: UsageColumns['timeZone'];
  readonly yes?: boolean;
}

interface Choice {
  readonly file: string;
  readonly flags: ColumnFlags;
  readonly store: Store;
  readonly service: string;
}

const SINGLE = ['time', 'model', 'id', 'requests', 'cost'] as const;
const SEVERAL = ['input', 'output'] as const;
type Part = (typeof SINGLE)[number] | (typeof SEVERAL)[number];
const PARTS: readonly Part[] = ['time', 'model', 'id', 'requests', 'input', 'output', 'cost'];

/**
 * Finds the columns of an export: those that are named, on top of those that are remembered for the service; without either the proposed
 * ones, after the person has confirmed them. Remembers them. @throws UsageError, CommandError when nobody confirms
 */
export async function chooseColumns(
  context: CommandContext,
  { file, flags, store, service }: Choice,
): Promise<UsageColumns> {
  const sample = await readSample(file);
  const remembered = await readColumns(store, service, sample);
  const named = readNames(flags.column ?? [], sample);
  const isNamed = Object.keys(named).length > 0;
  const given = {
    ...(flags.rows === undefined ? {} : { rows: flags.rows }),
    ...(flags.timeZone === undefined ? {} : { timeZone: flags.timeZone }),
  };
  const base = remembered ?? (isNamed ? NO_COLUMNS : sample.proposal);
  if (base === null) throw new CommandError(describeUnknown(sample));
  const columns = checkChosen({ ...base, ...named, ...given }, sample);
  if (remembered === null && !isNamed && flags.yes !== true) {
    await confirm(context, { file, sample, columns });
  }
  if (JSON.stringify(columns) !== JSON.stringify(remembered)) {
    await saveColumns(store, service, columns);
  }
  return columns;
}

type Names = Partial<Record<Part, unknown>>;

/** Reads the values of `--column`. @throws UsageError */
function readNames(texts: readonly string[], sample: ExportSample): Names {
  const names: Names = {};
  for (const text of texts) {
    const [, part = '', name = ''] = /^([a-z]+)=(.*)$/su.exec(text) ?? [];
    if (isOneOf(SINGLE, part)) names[part] = name === '' ? null : name;
    else if (isOneOf(SEVERAL, part)) names[part] = splitNames(name, sample);
    else
      throw new UsageError(
        `--column takes a part and a name, such as time=created_at. Parts: ${PARTS.join(', ')}.`,
      );
  }
  if (names.time === null) throw new UsageError('An export cannot be compared without times.');
  return names;
}

function isOneOf<Name extends string>(names: readonly Name[], text: string): text is Name {
  return names.some((name) => name === text);
}

/** The name of one column may have a plus sign itself. */
function splitNames(text: string, { columns }: ExportSample): string[] {
  if (text === '') return [];
  return columns.has(text) ? [text] : text.split('+');
}

/** Returns columns that the file has and that can be compared. @throws UsageError */
function checkChosen(chosen: Names, sample: ExportSample): UsageColumns {
  if (chosen.time === '') {
    throw new UsageError('The column of the times is missing: add --column time=NAME.');
  }
  const read = UsageColumns.safeParse(chosen);
  if (!read.success) throw new UsageError('--column takes names of 1 to 200 characters.');
  try {
    checkColumns(read.data, sample);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UsageError(error.message, { cause: error });
  }
  return read.data;
}

function shorten(text: string): string {
  return truncate(text, 60);
}

function describeUnknown(sample: ExportSample): string {
  return `The columns of this file are not clear: ${listNames(sample)}. Name them, such as --column time=NAME --column input=NAME.`;
}

/** Shows the proposed columns and asks. @throws CommandError when the answer is no, or nobody can answer */
async function confirm(
  { terminal, command }: CommandContext,
  {
    file,
    sample,
    columns,
  }: { readonly file: string; readonly sample: ExportSample; readonly columns: UsageColumns },
): Promise<void> {
  terminal.printError('Proposed columns, with the first value of each:');
  for (const part of PARTS) {
    const names = [columns[part] ?? []].flat();
    const shown = names.map((name) => `${name} (${shorten(sample.columns.get(name) ?? '')})`);
    terminal.printError(`  ${part}: ${shown.join(' + ') || '–'}`);
  }
  terminal.printError(`  rows: ${ROWS[columns.rows]}`);
  terminal.printError(`  time zone: ${columns.timeZone}`);
  if (!terminal.interactive) {
    throw new CommandError(
      `To use them, add --yes; to change one, add --column PART=NAME for each. Help: ${command} usage reconcile --help`,
    );
  }
  const isYes = await askToConfirm(
    `Are these the columns of ${file}?`,
    new AbortController().signal,
  );
  if (!isYes) throw new CommandError('Name them with --column PART=NAME for each.');
}

const ROWS = { request: 'single requests', day: 'sums of a day', hour: 'sums of an hour' } as const;
