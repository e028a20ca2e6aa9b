import { reconcile, type Reconciliation } from '../../../../gateway/reconcile/reconcile.ts';
import { parseTime, startOfDay } from '../../../../shared/parse-time.ts';
import { SANDBOX_ID } from '../../../../shared/sandbox-id.ts';
import { parseSince } from '../../../arguments/parse-time.ts';
import type { UsageColumns } from '../../../../shared/reconcile/usage-columns.ts';
import type { CommandContext } from '../../../command-context.ts';
import { UsageError } from '../../../errors.ts';
import { findServiceInUse } from '../../../service-in-use.ts';
import {
  type CommandRepositories,
  withHistory,
  withRepositories,
} from '../../../with-repositories.ts';
import { type ColumnFlags, chooseColumns } from './choose-columns.ts';
import { printReconciliation } from './print-reconciliation.ts';

/** The options of `gatehouse usage reconcile`. */
export interface ReconcileFlags extends ColumnFlags {
  readonly data?: string;
  readonly json?: boolean;
  readonly service?: string;
  readonly since?: string;
  readonly until?: string;
}

/** Compares an export with the history and prints the result. @throws UsageError, CommandError, UserError */
export async function compareExport(
  context: CommandContext,
  file: string,
  flags: ReconcileFlags,
): Promise<void> {
  await withRepositories(context, flags.data, async (repositories) => {
    const { host, store, settings } = repositories;
    const period = readPeriod(flags, host.now());
    const service = flags.service ?? (await findService(context, repositories));
    const columns = await chooseColumns(context, { file, flags, store, service });
    const found = await withHistory(
      repositories,
      async (history) => await reconcile(history, { file, service, columns, ...period }),
    );
    const { currency } = settings.current();
    if (flags.json === true) {
      context.terminal.printJson({ service, currency, columns, ...hideUnknown(found, columns) });
    } else {
      await printReconciliation(context, { service, currency, columns, found });
    }
  });
}

async function findService(
  context: CommandContext,
  repositories: CommandRepositories,
): Promise<string> {
  const { service } = await findServiceInUse(context, repositories, {});
  return service?.baseUrl ?? SANDBOX_ID;
}

/** @throws UsageError when it ends before it begins */
function readPeriod({ since, until }: ReconcileFlags, now: number) {
  const from = since === undefined ? null : parseSince(since, now);
  const end = until === undefined ? null : parseEnd(until, now);
  if (from !== null && end !== null && from >= end) {
    throw new UsageError('The period ends before it begins: --since is after --until.');
  }
  return { since: from, until: end };
}

/** A day counts as a whole. */
function parseEnd(text: string, now: number): number {
  const time = parseTime(text);
  return time?.day === true ? startOfDay(time.at, 1) : parseSince(text, now, '--until');
}

/** Returns the sums without those that the export does not have. */
function hideUnknown(found: Reconciliation, columns: UsageColumns) {
  const { input, output, cost, requests, rows } = columns;
  const hidden = {
    ...(rows !== 'request' && requests === null ? { requests: null } : {}),
    ...(input.length === 0 ? { input: null } : {}),
    ...(output.length === 0 ? { output: null } : {}),
    ...(cost === null ? { cost: null } : {}),
  };
  return {
    ...found,
    export: { ...found.export, ...hidden },
    difference: { ...found.difference, ...hidden },
  };
}
