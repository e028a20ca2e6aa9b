import { z } from 'zod';
import { ExchangeId } from '../exchange/exchange.ts';
import { procedure } from '../procedure.ts';
import { UsageColumns } from './usage-columns.ts';

/** The most bytes of a usage export that a window sends. */
export const MAX_USAGE_EXPORT = 64 * 1024 * 1024;

const UploadId = z.string().min(1).max(64);
/** The id of a service; `null` for the one in use. */
const ServiceChoice = z.string().max(2_048).nullable();
/** Unix time in milliseconds; `null` for the days of the export. */
const PeriodEnd = z.number().int().nonnegative().nullable();

/** The beginning of a usage export, and the columns to choose from. */
export const UsageExportSample = z.object({
  /** The id of the service with whose exchanges the export is compared. */
  service: z.string(),
  format: z.enum(['csv', 'json']),
  /** The first columns in the order of the file, each with its values in the first rows. */
  columns: z.array(z.object({ name: z.string(), values: z.array(z.string()) })),
  /** Number of columns beyond these. */
  more: z.number().int(),
  /** The columns by the shape of their values; `null` when it says nothing. */
  proposal: UsageColumns.nullable(),
  /** The columns that were confirmed for this service; `null` when there are none, or the file does not have them. */
  remembered: UsageColumns.nullable(),
});
export type UsageExportSample = z.infer<typeof UsageExportSample>;

/** Sums of one side. `cost`: millionths of the currency. */
export const ReconciledSums = z.object({
  requests: z.number().int(),
  input: z.number().int(),
  output: z.number().int(),
  cost: z.number().int(),
});
export type ReconciledSums = z.infer<typeof ReconciledSums>;

/** A request, or a sum, that is on one side only or differs. */
export const UsageDifference = z.object({
  /** Unix time in milliseconds of the exchange or the row, or the beginning of the step of a sum. */
  at: z.number(),
  /** The end of the step of a sum; `null` for a request. */
  until: z.number().nullable(),
  model: z.string(),
  /** The line of the row, or its number in a JSON file; `null` without a single row. */
  place: z.number().int().nullable(),
  /** `null` without a single exchange. */
  exchange: ExchangeId.nullable(),
  export: ReconciledSums.nullable(),
  history: ReconciledSums.nullable(),
});
export type UsageDifference = z.infer<typeof UsageDifference>;

/** The first of some differences by time, and how many there are. */
export const UsageDifferences = z.object({
  count: z.number().int(),
  first: z.array(UsageDifference),
});
export type UsageDifferences = z.infer<typeof UsageDifferences>;

/** The comparison of an export with the history. The difference is the export minus the history. */
export const UsageReconciliation = z.object({
  /** The times of the period in Unix milliseconds; `until` is excluded. */
  since: z.number(),
  until: z.number(),
  export: ReconciledSums,
  history: ReconciledSums,
  difference: ReconciledSums,
  /** Requests or sums that are the same on both sides. */
  equal: z.number().int(),
  different: UsageDifferences,
  onlyInExport: UsageDifferences,
  onlyInHistory: UsageDifferences,
  /** Exchanges whose tokens are estimated or unknown, and those whose cost is unknown. */
  inexact: z.number().int(),
  withoutCost: z.number().int(),
  /** Rows of other times. */
  outside: z.number().int(),
  /** Rows that could not be read. */
  unreadable: z.object({
    count: z.number().int(),
    first: z.array(z.object({ place: z.number().int(), reason: z.string() })),
  }),
});
export type UsageReconciliation = z.infer<typeof UsageReconciliation>;

/** The calls that compare the usage export of a service with the history. */
export const reconcileContract = {
  /** Begins to send an export. It is forgotten an hour after its last use. */
  begin: procedure
    .input(
      z.object({
        bytes: z
          .number()
          .int()
          .min(1, 'The file is empty.')
          .max(MAX_USAGE_EXPORT, 'A usage export has at most 64 MiB.'),
      }),
    )
    .output(z.object({ upload: UploadId })),
  /** Appends the next chunk, of at most 512 KiB. */
  append: procedure.input(z.object({ upload: UploadId, base64: z.base64().max(700_000) })),
  /** Says which columns the file has. */
  sample: procedure
    .input(z.object({ upload: UploadId, service: ServiceChoice }))
    .output(UsageExportSample),
  /** Compares the file with the history, and remembers the columns for the service. */
  compare: procedure
    .input(
      z.object({
        upload: UploadId,
        service: ServiceChoice,
        columns: UsageColumns,
        since: PeriodEnd,
        until: PeriodEnd,
      }),
    )
    .output(UsageReconciliation),
  forget: procedure.input(z.object({ upload: UploadId })),
};
