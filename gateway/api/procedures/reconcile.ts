import { toServiceId } from '../../../shared/upstream.ts';
import {
  type UsageColumns,
  UsageColumns as Columns,
} from '../../../shared/reconcile/usage-columns.ts';
import type { UsageReconciliation } from '../../../shared/reconcile/reconcile-contract.ts';
import type { Gateway } from '../../gateway.ts';
import type { Reconciliation, RememberedSample } from '../../reconcile/usage-exports.ts';
import { procedures } from './base.ts';

const calls = procedures.usage.reconcile;

/** Columns that a window can choose from, and the most characters of a value that it shows. */
const MAX_COLUMNS = 300;
const MAX_VALUE = 80;

export const reconcileProcedures = {
  begin: calls.begin.handler(async ({ context: { gateway }, input: { bytes } }) => ({
    upload: await (await gateway.usageExports()).begin(bytes),
  })),
  append: calls.append.handler(async ({ context: { gateway }, input: { upload, base64 } }) => {
    await (await gateway.usageExports()).append(upload, Buffer.from(base64, 'base64'));
  }),
  sample: calls.sample.handler(async ({ context: { gateway }, input, signal }) => {
    const service = input.service ?? (await findService(gateway));
    const exports = await gateway.usageExports();
    const sample = await exports.sample(input.upload, service, signal ?? NEVER);
    return { service, format: sample.format, ...listColumns(sample) };
  }),
  compare: calls.compare.handler(async ({ context: { gateway }, input, signal }) => {
    const { upload, ...query } = input;
    const service = query.service ?? (await findService(gateway));
    const exports = await gateway.usageExports();
    return toResult(await exports.compare(upload, { ...query, service }, signal ?? NEVER));
  }),
  forget: calls.forget.handler(async ({ context: { gateway }, input: { upload } }) => {
    await (await gateway.usageExports()).forget(upload);
  }),
};

const NEVER = new AbortController().signal;

async function findService(gateway: Gateway): Promise<string> {
  return toServiceId((await gateway.status()).upstream);
}

/** A file may have thousands of columns, and names that are too long to be assigned. */
function listColumns({ columns, first, proposal, remembered }: RememberedSample) {
  const names = [...columns.keys()].filter((name) => Columns.shape.time.safeParse(name).success);
  const listed = names.slice(0, MAX_COLUMNS);
  return {
    columns: listed.map((name) => ({
      name,
      values: first.map((cells) => (cells.get(name) ?? '').slice(0, MAX_VALUE)),
    })),
    more: columns.size - listed.length,
    proposal: toValid(proposal),
    remembered,
  };
}

function toValid(proposal: UsageColumns | null): UsageColumns | null {
  return Columns.safeParse(proposal).data ?? null;
}

function toResult(found: Reconciliation): UsageReconciliation {
  const { different, onlyInExport, onlyInHistory, unreadable, ...rest } = found;
  return {
    ...rest,
    different: { ...different, first: [...different.first] },
    onlyInExport: { ...onlyInExport, first: [...onlyInExport.first] },
    onlyInHistory: { ...onlyInHistory, first: [...onlyInHistory.first] },
    unreadable: { ...unreadable, first: [...unreadable.first] },
  };
}
