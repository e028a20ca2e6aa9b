import { join } from 'node:path';
import type { Command } from 'commander';
import { listStoredRuns } from '../../../gateway/bodies/read-file.ts';
import { formatCount } from '../../../shared/format.ts';
import { printTerms } from '../../../shared/filter-language/print.ts';
import { formatRunCost } from '../../../shared/money/describe-cost.ts';
import { describeMatch } from '../../../shared/run/describe-run.ts';
import type { CostedRun, ListedRun, RunMatch } from '../../../shared/run/run.ts';
import type { CommandContext } from '../../command-context.ts';
import { formatTimestamp } from '../../output/format.ts';
import { parseInteger } from '../../arguments/parse-numbers.ts';
import {
  findSecrets,
  type CommandRepositories,
  withHistory,
  withRepositories,
} from '../../with-repositories.ts';
import { parseFilterArgument } from '../history/filters.ts';
import { findRun } from './find-run.ts';
import { checkFixtureFlags, saveFixture } from './save-fixture.ts';
import { describeRun, listRunLines } from './format-run.ts';

interface RunsFlags {
  readonly search?: string;
  readonly body?: string;
  readonly single?: boolean;
  readonly limit: number;
  readonly fixture?: boolean;
  readonly out?: string;
  readonly force?: boolean;
  readonly json?: boolean;
  readonly data?: string;
}

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 200;

const help = (command: string) => `
A run is one task of an agent: its requests, the tool calls in the answers, and
their results. Runs are found in the requests and responses that are kept.

Examples:
  ${command} runs
  ${command} runs --body "no such file"
  ${command} runs run-19b2
  ${command} runs run-19b2 --fixture --out session.json
  ${command} show ex-19b2`;

/** Defines `gatehouse runs`: the latest runs of agents, or the steps of one. */
export function addRunsCommand(program: Command, context: CommandContext): void {
  program
    .command('runs')
    .description('list the runs of agents, or show the steps of one')
    .argument('[run-id]', 'id of a run, or a unique beginning of it')
    .option('--search <text>', 'only with these words in task, client or model')
    .option('--body <text>', 'only with these words together in a request or response')
    .option('--single', 'also runs of a single request without tools')
    .option(
      '--limit <number>',
      `at most so many runs (1 to ${MAX_LIMIT})`,
      parseLimit,
      DEFAULT_LIMIT,
    )
    .option('--fixture', 'write the run as a fixture, which the sandbox plays')
    .option('--out <file>', 'with --fixture: write to this file, which appears when it is complete')
    .option('--force', 'overwrite the file of --out')
    .option('--json', 'print JSON')
    .option('--data <dir>', 'data folder')
    .addHelpText('after', help(context.command))
    .action(async (id: string | undefined, flags: RunsFlags) => {
      const target = await checkFixtureFlags(id, flags);
      await withRepositories(context, flags.data, async (repositories) => {
        const { host } = repositories;
        const file = join(host.dataDir, 'bodies.db');
        if (id === undefined) await list(context, { repositories, file }, flags);
        else if (flags.fixture === true) {
          const secrets = await findSecrets(context, repositories);
          await saveFixture(context, { file, run: findRun(file, id), secrets, target, ...flags });
        } else {
          const run = findRun(file, id);
          const costed = await withHistory(repositories, (history) => history.costRun(run));
          if (flags.json === true) context.terminal.printJson(costed);
          else show(context, costed, repositories.settings.current().currency);
        }
      });
    });
}

async function list(
  { terminal, now }: CommandContext,
  { repositories, file }: { readonly repositories: CommandRepositories; readonly file: string },
  { search = '', body, single = false, limit, json }: RunsFlags,
): Promise<void> {
  const { ids: exchanges } =
    body === undefined
      ? {}
      : await parseFilterArgument(printTerms([{ kind: 'body', text: body }]), {
          repositories,
          now,
          terminal,
        });
  const filter = { text: search, single, ...(exchanges === undefined ? {} : { exchanges }) };
  const query = { filter, limit, before: null };
  const page = listStoredRuns(file, query);
  const { runs, matches } = await withHistory(repositories, (history) => history.costRuns(page));
  if (json === true) {
    return terminal.printJson(exchanges === undefined ? { runs } : { runs, matches });
  }
  if (runs.length === 0) {
    const isFiltered = search !== '' || exchanges !== undefined;
    if (!isFiltered) return terminal.print('There are no runs yet.');
    const left = single ? '' : ' To search single requests without tools too, add --single.';
    return terminal.print(`No run matches.${left}`);
  }
  const { currency } = repositories.settings.current();
  const found = exchanges === undefined ? null : matches;
  await terminal.printTable({
    head: [
      'Run',
      'Started',
      'Client',
      'Steps',
      'Failed',
      'Calls',
      'In',
      'Out',
      'Money',
      'Task',
      ...(found === null ? [] : ['Found in']),
    ],
    rows: runs.map((run) => [
      ...toRow(run, currency),
      ...(found === null ? [] : [formatMatch(found[run.id])]),
    ]),
    numbers: [3, 4, 5, 6, 7, 8],
    narrowing: [
      ...(found === null ? [] : [{ below: [10] }]),
      { below: [6, 7] },
      { below: [4] },
      { below: [5] },
      { below: [2] },
      { below: [8] },
    ],
  });
}

function toRow(run: ListedRun, currency: string): string[] {
  return [
    run.id,
    formatTimestamp(run.startedAt),
    run.clientName ?? 'unknown',
    formatCount(run.steps),
    formatCount(run.failed),
    formatCount(run.calls),
    formatCount(run.input),
    formatCount(run.output),
    formatRunCost(run.money, currency),
    run.title,
  ];
}

function formatMatch(match: RunMatch | undefined): string {
  return match === undefined ? '' : `${match.id}: ${describeMatch(match)}`;
}

function show({ terminal }: CommandContext, run: CostedRun, currency: string): void {
  const facts = describeRun(run, currency);
  const width = 2 + Math.max(...facts.map(({ name }) => name.length));
  for (const { name, text } of facts) {
    terminal.printText(text, { first: name.padEnd(width), width });
  }
  for (const { text, indent, isHeading } of listRunLines(run, currency)) {
    const first = ' '.repeat(indent);
    if (isHeading) {
      terminal.print('');
      // Its text is escaped already, and escaping the marks for bold would show them.
      terminal.print(first + terminal.bold(text));
    } else terminal.printText(text, { first, width: indent });
  }
}

function parseLimit(text: string): number {
  return parseInteger(text, { name: '--limit', from: 1, to: MAX_LIMIT });
}
