/** Statistics of all scenarios of a harness. */
export class RunStats {
  scenarios = 0;
  /** Runs of the engine in which the planned fault occurred. */
  faulty = 0;
  /** Runs that came to rest without a fault. */
  quiet = 0;
  orders = 0;
  videos = 0;
  played = 0;
  readonly errors: string[] = [];
  readonly kills = new Map<string, number>();
  readonly cuts = new Map<string, number>();
  /** States that jobs had after a kill. */
  readonly found = new Map<string, number>();
  /** Actions that a user had to take. */
  readonly acts = new Map<string, number>();
  /** Clients' orders by encoding, moves of the clock, second engines. */
  readonly tried = new Map<string, number>();

  static count(counts: Map<string, number>, name: string): void {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
}

/** Formats two columns of a Markdown table, the most frequent first. */
function rowsOf(counts: ReadonlyMap<string, number>): string {
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, count]) => `| ${name} | ${figure(count)} |`)
    .join('\n');
}

/** Formats the numbers of kills and cuts by point. */
function pointsOf({ kills, cuts }: RunStats): string {
  const names = [...new Set([...kills.keys(), ...cuts.keys()])].toSorted();
  const rows = names.map(
    (name) => `| ${name} | ${figure(kills.get(name))} | ${figure(cuts.get(name))} |`,
  );
  return `| point | killed | network cut |\n|---|---:|---:|\n${rows.join('\n')}`;
}

/** Formats the number of faults as a sentence. */
export function describeFaults({ kills, cuts }: RunStats): string {
  const [killed, cut] = [kills, cuts].map((counts) => figure(sumOf(counts)));
  return `${killed} kills and ${cut} cuts; a run with several cuts counts once.`;
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/** Formats all statistics in Markdown. */
export function formatReport(stats: RunStats): string {
  const { scenarios, faulty, quiet, orders, videos, played, errors } = stats;
  const sums = new Map([
    ['runs of the engine in which something went wrong', faulty],
    ['runs that came to rest without', quiet],
    ['scenarios', scenarios],
    ['orders that the service took', orders],
    ['finished videos, compared byte for byte', videos],
    ['of these shown by a player', played],
    ['violations', errors.length],
  ]);
  const tables = [
    table(
      'what',
      'times',
      [...sums].map(([name, count]) => `| ${name} | ${figure(count)} |`).join('\n'),
    ),
    table('what was tried besides', 'times', rowsOf(stats.tried)),
    pointsOf(stats),
    table('state that a start found a job in', 'times', rowsOf(stats.found)),
    table('what people and clients did', 'times', rowsOf(stats.acts)),
  ];
  return tables.join('\n\n');
}

/** Formats a count with thousands separators; empty without one. */
function figure(count: number | undefined): string {
  return count === undefined ? '' : count.toLocaleString('en');
}

function table(first: string, second: string, rows: string): string {
  return `| ${first} | ${second} |\n|---|---:|\n${rows}`;
}
