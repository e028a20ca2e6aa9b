import { ENVIRONMENTS } from '../../../gateway/connect/programs/environments.ts';
import { PROGRAMS as CONNECTABLE } from '../../../gateway/connect/programs/programs.ts';
import { TOOLS } from '../../../shared/client-setup/tools.ts';
import type { ProgramId } from '../../../shared/connect/connection.ts';
import type { Outcome } from './outcome.ts';
import type { AgentProgram } from './program.ts';
import { PROGRAMS } from './programs.ts';
import type { ProgramResult, Results } from './results.ts';

type Trials = ProgramResult['trials'];

/** The columns: name, the trials that are in it, and how a program meets it. */
const COLUMNS: readonly (readonly [string, readonly (keyof Trials)[], string])[] = [
  [
    'connect',
    ['connect'],
    '`gatehouse connect` changes the settings of a person, or `gatehouse env` prints variables. It does a task with tools (it reads, edits and runs), `gatehouse doctor` finds no failure, and after `gatehouse disconnect` its settings are back to the byte; in a file that the program itself has changed meanwhile, our fields are gone.',
  ],
  [
    'run --',
    ['start'],
    '`gatehouse run -- PROGRAM` does the task and changes no settings; — for a program that takes its address from its settings only.',
  ],
  [
    'history',
    ['task', 'agent', 'commands', 'calls', 'fixture'],
    'Its task is one run with each call and result, which can be read, compared, sent again, exported, and played to it again ([details](agents.md)).',
  ],
  ['image', ['image'], 'An image that it is given reaches the service.'],
  [
    'tool search',
    ['toolSearch'],
    'Of an MCP server with 20 tools it sends the service only those that it searched for; one that refuses such requests gets all tools. It is tried with Claude Code only.',
  ],
  [
    'addresses',
    ['mistakes'],
    'It does the task with each wrong base address: without `/v1`, with a slash at the end, with `/v1/v1` (or `/v1` where none belongs), and with the whole endpoint.',
  ],
  [
    'places',
    ['places'],
    'With another address in each place of its settings that a person can write, `gatehouse doctor` names the one that it uses, and again when that is taken away, until none is left; — for a program that reads only the files of its user.',
  ],
  [
    '401',
    ['revoked'],
    'Its key was revoked: it ends and shows why, or only that its key is wrong, and the service gets nothing.',
  ],
  [
    '402, 429 of a limit',
    ['limit', 'runLimit', 'rate'],
    'Its limit of the day is used up, or that of its run: it sends one request, shows the limit, and ends. Its limit of a minute: it waits and finishes, or shows the limit.',
  ],
  [
    '403',
    ['model'],
    'It may use another model only: it sends one request, shows why (or only that it is refused), and ends.',
  ],
  [
    '429',
    ['busy'],
    'The service refuses two requests with 429: the outcome and the number of requests are those without Gatehouse, or it finishes only with Gatehouse, which asks again by itself.',
  ],
  ['500', ['failure'], 'The same with 500.'],
  ['cut', ['cut'], 'The same with one answer whose stream breaks in the middle.'],
  [
    'Ctrl-C',
    ['interruption'],
    'It is interrupted in the middle of an answer: it ends within 10 s, the service is told, and its exchange is recorded as ended by the client.',
  ],
  [
    'WebSocket',
    ['websocket'],
    'It loses at most 2 s by trying a WebSocket, even where its settings ask for one; — for a program that tries none.',
  ],
];

const HEAD = `# Clients that were tried

\`npm run compatibility\` connects the programs and libraries below by the real commands, each in a home folder of its own with the settings of a person (\`test/all/agents/homes\`), and runs them against a gateway whose service is the sandbox. It writes this page and [agents.md](agents.md) from \`test/all/agents/results.json\`. A check mark stands for all that its column asks for; — stands for something that a program does not have.
`;

/** Why programs that can be connected were not tried. */
const NOT_TRIED: Readonly<Partial<Record<ProgramId, string>>> = {
  zed: 'a desktop program that npm does not have',
  aider: 'a Python program that npm does not have',
  crush:
    'its package in npm has no program in it: an installation fetches one from the releases of its repository',
  goose: 'a native program that npm does not have',
  'vscode-copilot': 'a part of VS Code, which has to be used by hand',
  raycast: 'a desktop program that npm does not have, and that does not run on Linux',
  librechat: 'a web application with a database, which npm does not have',
};

/** Builds the text of \`docs/clients.md\`. */
export function clientsPage(results: Results): string {
  const tried = PROGRAMS.map((program) => ({
    program,
    result: results.find(({ id }) => id === program.id),
  }));
  return [
    HEAD,
    ...COLUMNS.map(([name, , meaning]) => `- **${name}:** ${meaning}`),
    '',
    `| program | version | day | ${COLUMNS.map(([name]) => name).join(' | ')} |`,
    `|${'---|'.repeat(COLUMNS.length + 3)}`,
    ...tried.map(({ program, result }) => formatRow(program, result)),
    '',
    '## What happened',
    '',
    ...tried.flatMap(({ program, result }) => formatFacts(program, result)),
    '',
    '## From documentation only',
    '',
    'What Gatehouse sets or says for these is from their documentation, and was not tried with them:',
    '',
    ...listUntried(),
    '',
  ].join('\n');
}

/** Lists all that was not tried with the program itself, with the reason where it could be connected. */
function listUntried(): readonly string[] {
  const reasons = new Map(
    Object.values(CONNECTABLE).map(({ id, name }) => [name, NOT_TRIED[id]] as const),
  );
  const all = [...Object.values(CONNECTABLE), ...Object.values(ENVIRONMENTS), ...TOOLS];
  const names = all.filter(({ checked }) => checked === 'documented').map(({ name }) => name);
  return [...new Set(names)].toSorted().map((name) => {
    const reason = reasons.get(name);
    return reason === undefined ? `- ${name}` : `- ${name}: ${reason}`;
  });
}

function formatRow(program: AgentProgram, result: ProgramResult | undefined): string {
  const cells = COLUMNS.map(([, names]) =>
    result === undefined ? 'not run' : formatCell(result.trials, names),
  );
  const { name, version } = program.package;
  const day = result?.day ?? '';
  return `| ${[program.title, `${name} ${result?.version ?? version}`, day, ...cells].join(' | ')} |`;
}

/** The trials that some programs cannot make, each with one that is made whenever it could be. */
const OPTIONAL: Readonly<Partial<Record<keyof Trials, keyof Trials>>> = {
  start: 'connect',
  agent: 'task',
  image: 'mistakes',
  places: 'mistakes',
  toolSearch: 'mistakes',
  websocket: 'mistakes',
};

function formatCell(trials: Trials, names: readonly (keyof Trials)[]): string {
  const isNotRun = names.some(
    (name) => trials[name] === null && trials[OPTIONAL[name] ?? name] === null,
  );
  if (isNotRun) return 'not run';
  const made = names.flatMap((name) => trials[name] ?? []);
  if (made.length === 0) return '—';
  const unmet = made.flatMap((outcome) => outcome.unmet);
  return unmet.length === 0 ? '✓' : `not met: ${unmet.join('; ')}`;
}

function formatFacts(program: AgentProgram, result: ProgramResult | undefined): readonly string[] {
  const { trials, reason = null } = result ?? {};
  const facts = (
    [
      ['connect', trials?.connect],
      ['tool search', trials?.toolSearch],
      ['addresses', trials?.mistakes],
      ['401', trials?.revoked],
      ['429', trials?.busy],
      ['500', trials?.failure],
      ['cut', trials?.cut],
      ['Ctrl-C', trials?.interruption],
      ['WebSocket', trials?.websocket],
    ] as const
  ).flatMap(([name, outcome]) =>
    outcome === null || outcome === undefined || outcome.facts.length === 0
      ? []
      : [
          `  - ${name}: ${outcome.facts.join('; ')}${name === 'WebSocket' ? formatLog(outcome) : ''}`,
        ],
  );
  const notes = [
    ...(reason === null ? [] : [`It could not be tried: ${reason}`]),
    ...(typeof program.image === 'string' ? [program.image] : []),
    ...(program.refusalText === undefined
      ? []
      : [`It hides the text of 401 and 403, and shows “${program.refusalText}” instead.`]),
  ];
  if (notes.length + facts.length === 0) return [];
  return [`- **${program.title}.** ${notes.join(' ')}`.trimEnd(), ...facts];
}

/** Formats the first line that a program logged about its attempt. */
function formatLog({ shown }: Outcome): string {
  const [line] = shown?.split('\n') ?? [];
  return line === undefined ? '' : `; it logs \`${line.replace(/^\S+Z /u, '')}\``;
}
