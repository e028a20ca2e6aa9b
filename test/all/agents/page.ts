import type { Outcome } from './outcome.ts';
import type { AgentProgram } from './program.ts';
import { PROGRAMS } from './programs.ts';
import type { ProgramResult, Results } from './results.ts';

const HEAD = `# Agent programs

\`npm run compatibility\` tries Gatehouse with the agents and libraries below, as npm has them, and generates this page from \`test/all/agents/results.json\`. Each program is installed in \`out/agents\`, runs one prompt without a terminal in a home folder of its own, is connected by \`gatehouse connect\` or \`gatehouse env\`, and uses a gateway of its own, behind which the sandbox plays the model ([fixtures](how-to/fixture.md)). [clients.md](clients.md) has the other trials. \`-- --only ID\` tries one of them, \`--part NAME\` some of its trials, \`--keep\` keeps its folders, \`--page\` only writes the pages. \`npm run test:all\` installs nothing: it compares this page with the results, and tries the task with one program if any is installed.

- **Task:** it reads a file, edits it, runs a command and reads two files at once, as the model tells it. The file must be changed, and its run must have each call with its result. A program with agents of its own has one work for it, which must be below the call that started it.
- **Run:** this run is read, searched, compared, sent again to another model and exported (the HTTP archive checked against its schema, the HTML page for each call with its arguments), by the commands and by the calls of the window; its fixture is played to the same program again.
- **Used up:** its limit is one request per day, and is used up. It must send one request, show the limit and when it resets, and end.
- **In a run:** each of its runs may have three requests, and its task needs more. It must send one request that is refused, show the limit, and end.
- **Model:** it may use another model only. It must send one request, show why it is refused, and end.
- **Per minute:** its limit is two requests per minute, and its task needs more. It must wait as long as \`Retry-After\` says and finish, or show the limit.
`;

/** Builds the text of \`docs/agents.md\`. */
export function agentsPage(results: Results): string {
  const tried = PROGRAMS.map((program) => ({
    program,
    result: results.find(({ id }) => id === program.id),
  }));
  return [
    HEAD,
    '| program | package | protocol | task | run | used up | in a run | model | per minute |',
    '|---|---|---|---|---|---|---|---|---|',
    ...tried.map(({ program, result }) => formatRow(program, result)),
    '',
    '## Shown to the user',
    '',
    ...tried.flatMap(({ program, result }) => formatShown(program, result)),
    '## Notes',
    '',
    ...tried.flatMap(({ program, result }) => formatNotes(program, result)),
    '',
  ].join('\n');
}

function formatRow(program: AgentProgram, result: ProgramResult | undefined): string {
  const { name, version } = program.package;
  const { task, agent, commands, calls, fixture, limit, runLimit, model, rate } =
    result?.trials ?? {};
  const cells = [
    program.title,
    `${name} ${result?.version ?? version}`,
    program.protocol,
    formatOutcomes(task, agent),
    formatOutcomes(commands, calls, fixture),
    formatOutcomes(limit),
    formatOutcomes(runLimit),
    formatOutcomes(model),
    formatRate(rate),
  ];
  return `| ${cells.join(' | ')} |`;
}

function formatOutcomes(...outcomes: readonly (Outcome | null | undefined)[]): string {
  const made = outcomes.filter((outcome) => outcome !== null && outcome !== undefined);
  if (made.length === 0) return 'not tried';
  const facts = made.flatMap((outcome) => outcome.facts).join('; ');
  const unmet = made.flatMap((outcome) => outcome.unmet);
  return unmet.length === 0 ? facts : `${facts}. **Not met:** ${unmet.join('; ')}`;
}

/** Formats the trial with a limit per minute, and whether the user learns of it. */
function formatRate(rate: Outcome | null | undefined): string {
  const isSilent = rate?.shown === null;
  return `${formatOutcomes(rate)}${isSilent ? '; it shows nothing of the limit' : ''}`;
}

function formatShown(program: AgentProgram, result: ProgramResult | undefined): readonly string[] {
  const { limit, runLimit, model, rate } = result?.trials ?? {};
  const texts = [
    ['used up', limit?.shown],
    ['in a run', runLimit?.shown],
    ['model', model?.shown],
    ['per minute', rate?.shown],
  ] as const;
  return texts.flatMap(([trial, text]) =>
    text === null || text === undefined
      ? []
      : [`${program.title}, ${trial}:`, '', '```text', ...text.split('\n'), '```', ''],
  );
}

function formatNotes(program: AgentProgram, result: ProgramResult | undefined): readonly string[] {
  const sentences = [
    ...(result === undefined ? [] : [`${program.title} was tried on ${result.day}.`]),
    ...(typeof result?.reason === 'string' ? [`It could not be tried: ${result.reason}`] : []),
  ];
  return sentences.length === 0 ? [] : [`- ${sentences.join(' ')}`];
}
