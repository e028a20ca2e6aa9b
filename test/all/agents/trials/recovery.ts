import type { AgentBed } from '../agent-bed.ts';
import { Observation, type Outcome } from '../outcome.ts';
import type { AgentProgram } from '../program.ts';
import { PROMPT, scriptTask, type ScriptStep } from '../script.ts';
import { hasDoneTask } from './connect.ts';

const TIME_LIMIT_MS = 180_000;

interface Recovery {
  readonly isDone: boolean;
  /** Requests of the main conversation that reached the service. */
  readonly requests: number;
  readonly shown: string;
}

/** Runs the task with a service that answers these first requests with a failure: through Gatehouse, then without it. Both must end alike, unless only the first one finishes. */
export async function tryRecovery(
  program: AgentProgram,
  bed: AgentBed,
  failures: readonly ScriptStep[],
): Promise<Outcome> {
  const observation = new Observation();
  const through = await recover(program, bed, failures, false);
  const without = await recover(program, bed, failures, true);
  const isAlike = through.isDone === without.isDone && through.requests === without.requests;
  observation.see(
    isAlike
      ? `${describe(through)}, as without Gatehouse`
      : `${describe(through)}; without Gatehouse ${describe(without)}`,
  );
  // Gatehouse asks again after 429, which some programs do not.
  const isBetter = through.isDone && !without.isDone;
  observation.expect('it ends as without Gatehouse, or better', isAlike || isBetter);
  return observation.toOutcomeOf(through.shown);
}

function describe({ isDone, requests }: Recovery): string {
  return `it ${isDone ? 'finishes the task' : 'gives up'} after ${requests} ${requests === 1 ? 'request' : 'requests'}`;
}

async function recover(
  program: AgentProgram,
  bed: AgentBed,
  failures: readonly ScriptStep[],
  isDirect: boolean,
): Promise<Recovery> {
  await bed.resetTask();
  await bed.play((task) => {
    const [beside, ...steps] = scriptTask(program, task);
    return [...(beside === undefined ? [] : [beside]), ...failures, ...steps];
  });
  const service = isDirect ? bed.sandbox : undefined;
  const { shown } = await bed.prompt(PROMPT, TIME_LIMIT_MS, service);
  const isDone = await hasDoneTask(bed, shown);
  return { isDone, requests: await countMain(bed), shown };
}

/** Counts the requests that offer tools, as those beside the main conversation do not. */
async function countMain({ sandbox }: AgentBed): Promise<number> {
  const posts = sandbox.requests.filter(
    ({ method, url }) => method === 'POST' && !url.includes('count_tokens'),
  );
  const bodies = await Promise.all(posts.map(async ({ body }) => (await body).toString()));
  return bodies.filter((body) => /"tools": ?\[ ?\{/u.test(body)).length;
}

/** Returns two refusals with this status. */
export function refuseTwice({ protocol }: AgentProgram, status: 429 | 500): readonly ScriptStep[] {
  const error = {
    type: status === 429 ? 'rate_limit_error' : 'api_error',
    message: status === 429 ? 'Too many requests.' : 'The server had an error.',
  };
  const body = protocol === 'messages' ? { type: 'error', error } : { error };
  const response = { status, contentType: 'application/json', body: JSON.stringify(body) };
  return [{ response }, { response }];
}

/** Returns an answer whose stream breaks in the middle of a text. */
export function cutOnce({ protocol }: AgentProgram): readonly ScriptStep[] {
  return [{ response: { contentType: 'text/event-stream', events: EVENTS[protocol], cut: true } }];
}

const EVENTS: Readonly<Record<AgentProgram['protocol'], readonly string[]>> = {
  chat: [{ role: 'assistant', content: 'I will ' }, { content: 'read the' }].map((delta) =>
    toEvent({
      id: 'chatcmpl-cut',
      object: 'chat.completion.chunk',
      created: 1_767_225_600,
      choices: [{ index: 0, delta, finish_reason: null }],
    }),
  ),
  responses: [
    { type: 'response.created', response: toResponse() },
    { type: 'response.output_item.added', output_index: 0, item: toMessage() },
    {
      type: 'response.content_part.added',
      item_id: 'msg_cut',
      output_index: 0,
      content_index: 0,
      part: { type: 'output_text', text: '', annotations: [] },
    },
    {
      type: 'response.output_text.delta',
      item_id: 'msg_cut',
      output_index: 0,
      content_index: 0,
      delta: 'I will read the',
    },
  ].map((event, place) => toNamedEvent({ ...event, sequence_number: place })),
  messages: [
    {
      type: 'message_start',
      message: {
        id: 'msg_cut',
        type: 'message',
        role: 'assistant',
        model: 'aurora/aurora-large',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 10, output_tokens: 1 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: 'I will read the' },
    },
  ].map(toNamedEvent),
};

function toResponse() {
  return { id: 'resp_cut', object: 'response', status: 'in_progress', output: [] };
}

function toMessage() {
  return { type: 'message', id: 'msg_cut', role: 'assistant', status: 'in_progress', content: [] };
}

function toEvent(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

function toNamedEvent(data: { readonly type: string; readonly sequence_number?: number }): string {
  return `event: ${data.type}\n${toEvent(data)}`;
}
