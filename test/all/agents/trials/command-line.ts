import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { ExchangeRecord } from '../../../../shared/exchange/exchange.ts';
import type { RunDetail } from '../../../../shared/run/run.ts';
import { tryParse } from '../../../../shared/parse-bodies/json.ts';
import { Har } from '../../../kit/history/har-schema.ts';
import type { AgentBed } from '../agent-bed.ts';
import { Observation, type Outcome, waitFor } from '../outcome.ts';
import type { AgentProgram, ToolCall } from '../program.ts';
import { findSteps, REPLAY_MODEL, type RunSteps } from './run-steps.ts';
import { FINAL_TEXT, listCalls, PROMPT } from '../script.ts';

const RunIds = z.object({ runs: z.array(z.object({ id: z.string() })) });
const Exchanges = z.object({ exchanges: z.array(z.object({ id: z.string() })) });
const Report = z.object({ status: z.number().nullable(), problem: z.string().nullable() });
const Reports = z.object({
  replays: z.array(Report.extend({ id: z.string().nullable(), text: z.string() })),
});

/** Matches a call in the HTML page of a run: its name, and its arguments with entities. */
const CALL_OF_PAGE =
  /Call of ([^<,]+)(?:, [\d,]+ characters)?<\/(?:p|summary)><pre>\n([^<]*)<\/pre>/gu;
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

/** Reads, searches, compares, sends again and exports the run of a program with the commands. */
export async function tryCommands(
  program: AgentProgram,
  bed: AgentBed,
  run: RunDetail,
): Promise<Outcome> {
  const observation = new Observation();
  const steps = findSteps(run);
  await readRun(observation, bed, steps);
  await searchRun(observation, bed, steps);
  await replayStep(observation, bed, steps);
  await exportRun(observation, bed, steps, listCalls(program, bed.task).flat());
  observation.see('read, searched, compared, sent again, exported');
  return observation.toOutcome();
}

async function readRun(observation: Observation, bed: AgentBed, steps: RunSteps): Promise<void> {
  const { runId, first, last, main } = steps;
  const shown = await bed.machine.run(['runs', runId]);
  const calls = main.flatMap((step) => step.calls);
  observation.expect(
    '`runs ID` shows every call, every result and the last text',
    shown.code === 0 &&
      calls.every(({ name }) => shown.stdout.includes(`Call of ${name}:`)) &&
      calls.every(({ name }) => shown.stdout.includes(`Result of ${name} (`)) &&
      shown.stdout.includes(FINAL_TEXT),
  );
  const request = await bed.machine.run(['show', first]);
  observation.expect('`show ID` shows the task', request.stdout.includes(PROMPT));
  const answer = await bed.machine.run(['show', last]);
  observation.expect('`show ID` shows the answer', answer.stdout.includes(FINAL_TEXT));
  const events = await bed.machine.run(['show', last, '--events']);
  observation.expect(
    '`show ID --events` shows the stream',
    /^ +[\d,]+ {2}\S/mu.test(events.stdout),
  );
  const body = await bed.machine.run(['show', last, '--body', 'request']);
  observation.expect('`show ID --body request` is JSON', isJson(body.stdout));
  const diff = await bed.machine.run(['show', last, '--diff', first]);
  observation.expect(
    '`show ID --diff` shows what was added',
    diff.code === 0 &&
      calls.every(({ name }) => diff.stdout.includes(`{+Call of ${name}:+}`)) &&
      diff.stdout.includes('{+Result:+}'),
  );
}

async function searchRun(observation: Observation, bed: AgentBed, steps: RunSteps): Promise<void> {
  const { machine, task } = bed;
  const byTask = RunIds.parse(await machine.json(['runs', '--search', 'paint']));
  observation.expect('`runs --search` finds it by its task', byTask.runs[0]?.id === steps.runId);
  const search = ['history', `body:"${task.before}"`, '--limit', '100'];
  const found = await waitFor(async () => {
    const { exchanges } = Exchanges.parse(await machine.json(search));
    return exchanges.some(({ id }) => id === steps.second) ? exchanges : undefined;
  });
  observation.expect(
    '`history body:` finds the steps that have the result of the tool, and not the first',
    found !== undefined && found.every(({ id }) => id !== steps.first),
  );
}

async function replayStep(observation: Observation, bed: AgentBed, steps: RunSteps): Promise<void> {
  const args = ['replay', steps.last, '--model', REPLAY_MODEL];
  const { replays } = Reports.parse(await bed.machine.json(args));
  const [replay] = replays;
  observation.expect(
    '`replay ID --model` gets an answer',
    replay?.status === 200 && replay.problem === null && replay.text !== '',
  );
  const replayed = await waitFor(async () => {
    const { code, stdout } = await bed.machine.run(['show', replay?.id ?? '', '--body', 'request']);
    return code === 0 ? stdout : undefined;
  });
  observation.expect(
    'what was sent again names the model',
    replayed?.includes(REPLAY_MODEL) === true,
  );
}

async function exportRun(
  observation: Observation,
  bed: AgentBed,
  steps: RunSteps,
  calls: readonly ToolCall[],
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-agent-export-'));
  try {
    const write = async (format: string): Promise<string> => {
      const out = join(folder, `run.${format}`);
      await bed.machine.run(['export', '--format', format, '--run', steps.runId, '--out', out]);
      return await readFile(out, 'utf8').catch(() => '');
    };
    checkHar(observation, await write('har'), steps);
    checkJsonLines(observation, await write('jsonl'), steps);
    checkMarkdown(observation, await write('md'), steps);
    checkPage(observation, await write('html'), calls);
    const csv = (await write('csv')).trimEnd().split('\r\n');
    observation.expect('CSV has a line for each exchange', csv.length === steps.all.length + 1);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Checks an HTTP archive against its schema, and that it has the requests and the answers of a run. */
export function checkHar(observation: Observation, text: string, { all }: RunSteps): void {
  const { success, data } = Har.safeParse(isJson(text) ? JSON.parse(text) : null);
  const entries = data?.log.entries ?? [];
  observation.expect('the HTTP archive is valid', success);
  observation.expect('it has every exchange', entries.length === all.length);
  observation.expect(
    'it has the requests as JSON, and the answers',
    entries.every(
      ({ request, response }) =>
        isJson(request.postData?.text ?? '') &&
        request.postData?.text?.includes(PROMPT) === true &&
        (response.content.text ?? '') !== '',
    ),
  );
}

function checkJsonLines(observation: Observation, text: string, { all }: RunSteps): void {
  const lines = text.trimEnd().split('\n');
  const Line = ExchangeRecord.extend({ bodies: z.object({ state: z.literal('kept') }) });
  observation.expect(
    'JSON lines have every exchange with its bodies',
    lines.length === all.length &&
      lines.every((line) => isJson(line) && Line.safeParse(JSON.parse(line)).success),
  );
}

function checkMarkdown(observation: Observation, text: string, { all, main }: RunSteps): void {
  const calls = main.flatMap((step) => step.calls);
  observation.expect(
    'Markdown has a heading for each exchange',
    (text.match(/^## .+\(ex-[\da-f]+\)$/gmu) ?? []).length === all.length,
  );
  observation.expect(
    'Markdown has the task, every call and the last text',
    text.includes(PROMPT) &&
      text.includes(FINAL_TEXT) &&
      calls.every(({ name }) => text.includes(`Call of \` ${name} \``)),
  );
}

/** Checks that the page of a run has every call with its arguments, as often as it was made. */
function checkPage(observation: Observation, page: string, calls: readonly ToolCall[]): void {
  const shown = [...page.matchAll(CALL_OF_PAGE)].map(([, name, input = '']) => {
    const text = input.replaceAll(/&[#\w]+;/gu, (entity) => ENTITIES[entity] ?? entity);
    return { name, input: tryParse(text) };
  });
  observation.expect(
    'the HTML page has every call with its arguments',
    calls.every((call) => countEqual(shown, call) === countEqual(calls, call)),
  );
  observation.expect(
    'the HTML page has the task, the result of every call and the last text',
    page.includes(PROMPT) &&
      page.includes(FINAL_TEXT) &&
      calls.every(({ name }) => page.includes(`Result of ${name}`)),
  );
}

function countEqual(list: readonly unknown[], call: ToolCall): number {
  return list.filter((one) => isDeepStrictEqual(one, call)).length;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
