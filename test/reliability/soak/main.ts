import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openTestMachine } from '../../kit/process/test-machine.ts';
import prepare from '../../kit/process/program.ts';
import { load } from './load.ts';
import { type Figures, readFigures } from './process-figures.ts';

const { values: flags } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    callers: { type: 'string', default: '16' },
    seed: { type: 'string', default: '1' },
  },
});
const [minutes, callers, seed] = [flags.minutes, flags.callers, flags.seed].map(Number);
if (!minutes || !callers || !seed)
  throw new Error('--minutes, --callers and --seed take a number.');

await prepare();
await using terminal = await openTestMachine();
await using serving = await terminal.serve(['--sandbox']);
const { pid } = serving.child;
if (pid === undefined) throw new Error('Gatehouse has no process id.');

const stop = new AbortController();
const running = load({
  url: `http://127.0.0.1:${serving.port}`,
  localKey: serving.localKey,
  callers,
  seed,
  stop: stop.signal,
});
const rows: (readonly [minute: string, Figures])[] = [];
for (let part = 0; part <= 10; part += 1) {
  if (part > 0) await pause((minutes * 60_000) / 10);
  const figures = await readFigures(pid, terminal.dataDir);
  rows.push([((minutes * part) / 10).toFixed(1), figures]);
  process.stderr.write(`${JSON.stringify(figures)}\n`);
}
stop.abort();
const { sent, statuses, exchanges } = await running;
const ended = await serving.stop('SIGINT');

const db = new DatabaseSync(join(terminal.dataDir, 'gatehouse.db'), { readOnly: true });
const known = new Set(
  db
    .prepare('select id from exchange')
    .all()
    .map((row) => String(row['id'])),
);
const checked = db.prepare('pragma integrity_check').all();
db.close();
const lost = [...exchanges].filter((id) => !known.has(id));

const table = (head: readonly string[], lines: readonly (readonly unknown[])[]) =>
  [head, head.map((_, at) => (at === 0 ? '---' : '---:')), ...lines]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
const total = [...sent.values()].reduce((sum, count) => sum + count, 0);
process.stdout.write(
  `${[
    table(
      ['minute', 'memory (MiB)', 'open files and sockets', 'databases (MiB)'],
      rows.map(([minute, { memory, handles, database }]) => [
        minute,
        memory.toFixed(0),
        handles,
        database.toFixed(1),
      ]),
    ),
    table(
      ['request', 'times'],
      [...sent].toSorted(([one], [other]) => one.localeCompare(other)),
    ),
    table(
      ['answer', 'times'],
      [...statuses]
        .toSorted(([one], [other]) => one - other)
        .map(([status, times]) => [status === 0 ? 'broke off' : status, times]),
    ),
    table(
      ['at the end', ''],
      [
        ['requests', total],
        ['exchanges told to clients', exchanges.size],
        ['of these not in the history', lost.length],
        ['integrity of the database', JSON.stringify(checked[0])],
        ['exit code', ended.code],
      ],
    ),
  ].join('\n\n')}\n`,
);
process.exitCode = lost.length === 0 && ended.code === 0 ? 0 : 1;
