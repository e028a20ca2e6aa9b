import { join } from 'node:path';
import type { Command } from 'commander';
import { pluralize } from '../../../../shared/format.ts';
import { routeLabel } from '../../../../shared/exchange/route-label.ts';
import type { ExchangeChanges } from '../../../../gateway/engine/exchanges/exchange-changes.ts';
import type { CommandContext } from '../../../command-context.ts';
import { escapeControls, formatTimestamp } from '../../../output/format.ts';
import { requireConfirmation } from '../../../output/prompt.ts';
import {
  type CommandRepositories,
  withHistory,
  withRepositories,
} from '../../../with-repositories.ts';
import { findRun } from '../../runs/find-run.ts';
import { findExchange } from '../find-exchange.ts';
import { withExchangeChanges } from './exchange-changes.ts';
import { isRunId } from './is-run-id.ts';

interface DeleteFlags {
  readonly yes?: boolean;
  readonly json?: boolean;
  readonly data?: string;
}

const help = (command: string) => `
Everything that is stored of the exchange is deleted, and it is taken out of the
totals. This cannot be undone. With the id of a run all its exchanges that are
stored now are deleted.

Examples:
  ${command} delete ex-19b2
  ${command} delete run-19b2 --yes`;

/** Defines `gatehouse delete`: deletes one exchange, or those of a run. */
export function addDeleteCommand(program: Command, context: CommandContext): void {
  program
    .command('delete')
    .description('delete one exchange, or all exchanges of a run, after you confirm')
    .argument('<id>', 'id of an exchange or a run, or a unique beginning of it')
    .option('--yes', 'do not ask')
    .option('--json', 'print JSON')
    .option('--data <dir>', 'data folder')
    .addHelpText('after', help(context.command))
    .action(async (id: string, flags: DeleteFlags) => {
      await withRepositories(context, flags.data, async (repositories) => {
        const deletion = await (isRunId(id)
          ? findRunDeletion(repositories, id)
          : findDeletion(repositories, id));
        if (flags.yes !== true) await requireConfirmation(context, deletion.question);
        const source = { repositories, data: flags.data };
        const exchanges = await withExchangeChanges(context, source, deletion.run);
        if (flags.json === true) context.terminal.printJson({ id: deletion.id, exchanges });
        else {
          const verb = exchanges === 1 ? 'was' : 'were';
          context.terminal.printText(
            `${deletion.id}: ${pluralize(exchanges, 'exchange')} ${verb} deleted.`,
          );
        }
      });
    });
}

/** What is deleted after the person confirms. */
interface Deletion {
  readonly id: string;
  readonly question: string;
  /** Resolves with the number of exchanges. */
  readonly run: (changes: ExchangeChanges) => Promise<number>;
}

async function findDeletion(repositories: CommandRepositories, prefix: string): Promise<Deletion> {
  const exchange = await findExchange(repositories, prefix);
  const { id, clientName, route, startedAt } = exchange;
  const detail = await withHistory(repositories, async (history) => await history.get(id));
  const what = `${clientName ?? 'unknown'}, ${routeLabel(route)}, ${formatTimestamp(startedAt)}`;
  const pinned = detail?.mark?.pinned === true ? ' It is pinned.' : '';
  return {
    id,
    question: `Delete ${id} (${escapeControls(what)}) with its request and its response?${pinned}`,
    run: async (changes) => {
      await changes.deleteExchange(id);
      return 1;
    },
  };
}

function findRunDeletion({ host }: CommandRepositories, prefix: string): Promise<Deletion> {
  const { id, steps, title, pinned } = findRun(join(host.dataDir, 'bodies.db'), prefix).run;
  const some = pinned === 0 ? '' : ` ${pluralize(pinned, 'of them is', 'of them are')} pinned.`;
  return Promise.resolve({
    id,
    question: `Delete the ${pluralize(steps, 'exchange')} of ${id} (${escapeControls(title)}) with requests and responses?${some}`,
    run: (changes) => changes.deleteRun(id),
  });
}
