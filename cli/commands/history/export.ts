import { join, resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { ExportFormat } from '../../../shared/history/export.ts';
import { pluralize } from '../../../shared/format.ts';
import { listStoredSteps, openMaskedBodies } from '../../../gateway/bodies/read-file.ts';
import { maskLocalKeys } from '../../../gateway/clients/clients.ts';
import { createRedactor } from '../../../gateway/keys/keys.ts';
import { exportExchanges } from '../../../gateway/export/export.ts';
import type { CommandContext } from '../../command-context.ts';
import { CommandError, UsageError } from '../../errors.ts';
import { escapeAnswer } from '../../output/format.ts';
import { requireNewFile, writeWholeFile } from '../../output/publish-file.ts';
import { listenForSignals } from '../../process/signals.ts';
import {
  findSecrets,
  type KnownSecrets,
  withHistory,
  withRepositories,
} from '../../with-repositories.ts';
import { findRun } from '../runs/find-run.ts';
import {
  addFilterOptions,
  checkFilter,
  type FilterFlags,
  joinFilters,
  parseFilterArgument,
  toHistoryFilter,
} from './filters.ts';

interface ExportFlags extends FilterFlags {
  readonly format: ExportFormat;
  readonly run?: string;
  readonly out?: string;
  readonly force?: boolean;
  readonly data?: string;
}

const help = (command: string) => `
csv has one line of figures for each exchange. jsonl, har (HTTP archive 1.2), md
(Markdown) and html also have the requests and responses that are kept, the
first two also the headers; keys in them are masked. html is one page that needs
no network, only a browser: with --run, a run as the window shows it.

Examples:
  ${command} export --since 7d --out week.csv
  ${command} export 'status>=500 tokens>10k' --format md --out failed.md
  ${command} export --format har --client "my editor" --out editor.har
  ${command} export --format html --run run-19b2 --out run.html`;

/** Defines `gatehouse export`, which writes exchanges to a file or to standard output. */
export function addExportCommand(program: Command, context: CommandContext, version: string): void {
  const command = program
    .command('export')
    .description(
      'write exchanges as CSV, JSON lines, HTTP archive, Markdown or a page, newest first',
    )
    .argument('[filter]', 'which exchanges: "status>=400 model:gpt*"')
    .addOption(
      new Option('--format <format>', 'format').choices(ExportFormat.options).default('csv'),
    )
    .option('--run <id>', 'only the exchanges of this run, step by step')
    .option('--out <file>', 'write to this file, which appears when it is complete')
    .option('--force', 'overwrite the file of --out');
  addFilterOptions(command)
    .option('--data <dir>', 'data folder')
    .addHelpText('after', help(context.command))
    .action(
      async (filter: string | undefined, flags: ExportFlags) =>
        await exportHistory(context, filter ?? '', { flags, version }),
    );
}

async function exportHistory(
  context: CommandContext,
  filterText: string,
  { flags, version }: { readonly flags: ExportFlags; readonly version: string },
): Promise<void> {
  const { run, out, force = false, format } = flags;
  if (force && out === undefined) throw new UsageError('--force requires --out.');
  checkFilter(filterText, flags, context.now());
  const target = out === undefined ? null : resolve(out);
  if (target !== null) await requireNewFile(target, force);
  const { terminal, now } = context;
  const { signal: stopped } = listenForSignals(terminal, () => undefined);
  const signal = target === null ? AbortSignal.any([stopped, terminal.outputClosed]) : stopped;
  await withRepositories(context, flags.data, async (repositories) => {
    const secrets = await findSecrets(context, repositories);
    await withHistory(
      repositories,
      async (history) => {
        const filterSource = { repositories, history, now, terminal };
        const filter = joinFilters(
          await toHistoryFilter(flags, filterSource),
          await parseFilterArgument(filterText, filterSource),
        );
        const file = join(repositories.host.dataDir, 'bodies.db');
        const found = run === undefined ? null : findRun(file, run);
        const ids = found && listStoredSteps(file, found.run.id);
        using bodies = await openMaskedBodies(file, secrets);
        const readRun = found && (async () => await history.costRun(await bodies.mask(found)));
        const { port, currency } = repositories.settings.current();
        const address = `http://127.0.0.1:${port}`;
        const about = { address, version, currency, now: now() };
        const { read: readBodies, listKeys } = bodies;
        const source = { history, readBodies, listKeys, ...about };
        const written = new CountedExport(
          exportExchanges(source, { format, filter, ids, readRun, signal }),
          stopped,
        );
        if (target === null) {
          for await (const text of written) {
            await terminal.write(terminal.columns === null ? text : escapeAnswer(text));
          }
          return;
        }
        await writeWholeFile(target, force, written);
        terminal.printText(`${pluralize(written.exchanges, 'exchange')} exported to ${target}`);
      },
      createRedact(secrets),
    );
  });
}

function createRedact({ serviceKeys, localKeys }: KnownSecrets): (text: string) => string {
  const redactServiceKeys = createRedactor(() => serviceKeys);
  const redactLocalKeys = createRedactor(() => localKeys, { mask: '<local key>' });
  return (text) => maskLocalKeys(redactLocalKeys(redactServiceKeys(text)));
}

/** The text of an export, with the number of exchanges so far. */
class CountedExport implements AsyncIterable<string> {
  readonly #chunks: ReturnType<typeof exportExchanges>;
  readonly #stopped: AbortSignal;
  exchanges = 0;

  constructor(chunks: ReturnType<typeof exportExchanges>, stopped: AbortSignal) {
    this.#chunks = chunks;
    this.#stopped = stopped;
  }

  /** @throws CommandError when a person stopped it, so that an incomplete file does not appear */
  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for await (const { text, exchanges } of this.#chunks) {
      this.exchanges = exchanges;
      yield text;
    }
    if (this.#stopped.aborted) throw new CommandError('The export was stopped.');
  }
}
