import { join } from 'node:path';
import type { Command } from 'commander';
import { MarkChange } from '../../../../shared/exchange/exchange-mark.ts';
import { pluralize } from '../../../../shared/format.ts';
import type { CommandContext } from '../../../command-context.ts';
import { UsageError } from '../../../errors.ts';
import { describeMark } from '../../../output/format-mark.ts';
import { withHistory, withRepositories } from '../../../with-repositories.ts';
import { findRun } from '../../runs/find-run.ts';
import { findExchange } from '../find-exchange.ts';
import { type ChangesSource, withExchangeChanges } from './exchange-changes.ts';
import { isRunId } from './is-run-id.ts';

interface MarkFlags {
  readonly pin?: boolean;
  readonly unpin?: boolean;
  readonly note?: string;
  readonly tag?: readonly string[];
  readonly untag?: readonly string[];
  readonly json?: boolean;
  readonly data?: string;
}

const NAME_WIDTH = 14;

const help = (command: string) => `
A pinned exchange is not deleted when it is old, and last when there is too
much. Without options the marks are shown. Of a run all exchanges that are
stored now are pinned.

Examples:
  ${command} mark ex-19b2 --pin --tag bug later --note "loops after the third call"
  ${command} mark run-19b2 --pin
  ${command} history 'pinned tag:bug'`;

/** Defines `gatehouse mark`: the pin, the note and the tags of an exchange. */
export function addMarkCommand(program: Command, context: CommandContext): void {
  program
    .command('mark')
    .description('pin an exchange or a run, and give an exchange a note and tags')
    .argument('<id>', 'id of an exchange or a run, or a unique beginning of it')
    .option('--pin', 'keep it, however old it gets')
    .option('--unpin', 'keep it no longer than others')
    .option('--note <text>', 'a note; an empty text removes it')
    .option('--tag <names...>', 'add tags')
    .option('--untag <names...>', 'remove tags')
    .option('--json', 'print JSON')
    .option('--data <dir>', 'data folder')
    .addHelpText('after', help(context.command))
    .action(async (id: string, flags: MarkFlags) => {
      const change = toChange(flags);
      const { data } = flags;
      await withRepositories(context, data, async (repositories) => {
        const source = { repositories, data };
        await (isRunId(id)
          ? pinRun(context, source, { id, change, json: flags.json === true })
          : markExchange(context, source, { id, change, json: flags.json === true }));
      });
    });
}

/** Returns the change that options stand for. @throws UsageError */
function toChange({ pin = false, unpin = false, note, tag, untag }: MarkFlags): MarkChange {
  if (pin && unpin) throw new UsageError('Give only one of --pin and --unpin.');
  const read = MarkChange.safeParse({
    ...(pin || unpin ? { pinned: pin } : {}),
    ...(note === undefined ? {} : { note }),
    ...(tag === undefined ? {} : { addTags: tag }),
    ...(untag === undefined ? {} : { removeTags: untag }),
  });
  if (!read.success) throw new UsageError(read.error.issues[0]?.message ?? 'This is no mark.');
  return read.data;
}

interface Marking {
  readonly id: string;
  readonly change: MarkChange;
  readonly json: boolean;
}

async function markExchange(
  context: CommandContext,
  source: ChangesSource,
  { id: idPrefix, change, json }: Marking,
): Promise<void> {
  const { terminal } = context;
  const { id } = await findExchange(source.repositories, idPrefix);
  const isShown = Object.keys(change).length === 0;
  if (!isShown) {
    await withExchangeChanges(context, source, (changes) => changes.markExchange(id, change));
  }
  const detail = await withHistory(source.repositories, (history) => history.get(id));
  const mark = detail?.mark ?? null;
  if (json) return terminal.printJson({ id, mark });
  const lines = describeMark(mark);
  if (lines.length === 0) return terminal.printText(`${id} has no pin, no note and no tags.`);
  for (const { name, text } of [{ name: 'Exchange', text: id }, ...lines]) {
    terminal.printText(text, { first: name.padEnd(NAME_WIDTH), width: NAME_WIDTH });
  }
}

async function pinRun(
  context: CommandContext,
  source: ChangesSource,
  { id: idPrefix, change, json }: Marking,
): Promise<void> {
  const { terminal } = context;
  const { pinned, ...rest } = change;
  if (pinned === undefined || Object.keys(rest).length > 0) {
    throw new UsageError('A run takes --pin or --unpin alone; notes and tags are for exchanges.');
  }
  const { id } = findRun(join(source.repositories.host.dataDir, 'bodies.db'), idPrefix).run;
  const exchanges = await withExchangeChanges(context, source, (changes) =>
    changes.pinRun(id, pinned),
  );
  if (json) return terminal.printJson({ id, pinned, exchanges });
  const state = pinned ? 'pinned' : 'not pinned any more';
  terminal.printText(
    `${id}: ${pluralize(exchanges, 'exchange')} ${exchanges === 1 ? 'is' : 'are'} ${state}.`,
  );
}
