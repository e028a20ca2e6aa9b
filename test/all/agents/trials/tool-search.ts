import { join } from 'node:path';
import { z } from 'zod';
import type { AgentBed } from '../agent-bed.ts';
import { Observation, type Outcome } from '../outcome.ts';
import type { AgentProgram } from '../program.ts';
import { FINAL_TEXT, type ScriptStep } from '../script.ts';

const TIME_LIMIT_MS = 60_000;
/** A server with twenty tools. */
const SERVER = join(import.meta.dirname, '..', 'scripts', 'mcp.mjs');
const TOOLS = 20;
const TOOL = 'paint_door_7';
/** Claude Code leaves out other new fields first, each in a request of its own. */
const REFUSALS = 3;
const RESULT = `${TOOL} is green now.`;

const Request = z.object({
  tools: z.array(z.object({ name: z.string(), defer_loading: z.boolean().optional() })).default([]),
});

/** A request of the program that reached the service. */
interface SentRequest {
  readonly text: string;
  /** The tools of the server in it, by whether they are deferred. */
  readonly deferred: number;
  readonly whole: number;
}

/**
 * Runs a program with a server of many tools; `null` for one with which this is not tried. It must send only the tool that it searched for,
 * and all of them to a service that refuses that.
 */
export async function tryToolSearch(program: AgentProgram, bed: AgentBed): Promise<Outcome | null> {
  const { toolSearch } = program;
  if (toolSearch === undefined) return null;
  const observation = new Observation();
  const { search, call } = toolSearch.find(TOOL);
  const run = async (steps: readonly ScriptStep[]) => {
    await bed.play(() => [...steps, { answer: { text: FINAL_TEXT }, repeat: true }]);
    const args = toolSearch.toArguments('Paint door 7.', [process.execPath, SERVER]);
    const { shown } = await bed.run({ arguments: args, timeLimitMs: TIME_LIMIT_MS });
    observation.expect('it shows the last text', shown.includes(FINAL_TEXT));
    return { shown, requests: await readRequests(bed, call.name.replace(TOOL, '')) };
  };
  const found = await run([
    { answer: { text: 'I search.', tools: [search] } },
    { answer: { text: 'I paint.', tools: [call] } },
  ]);
  const [first, second, third] = found.requests;
  observation.see(
    `of ${TOOLS} tools ${count(first)} in its first request, and ${count(second)} after it searched`,
  );
  observation.expect('its first request has none of the tools', count(first) === 0);
  observation.expect('then it has the tool', second?.deferred === 1 && second.whole === 0);
  observation.expect('the tool is called', third?.text.includes(RESULT) === true);
  const refused = await run(Array.from({ length: REFUSALS }, refuse));
  const last = refused.requests.at(-1);
  observation.see(`refused, it asks again with ${last?.whole ?? 0}`);
  observation.expect('refused, it sends all of the tools', last?.whole === TOOLS);
  return observation.toOutcomeOf(found.shown + refused.shown);
}

async function readRequests(bed: AgentBed, prefix: string): Promise<readonly SentRequest[]> {
  const posts = bed.sandbox.requests.filter(({ method }) => method === 'POST');
  return await Promise.all(
    posts.map(async ({ body }) => {
      const text = (await body).toString();
      const tools = Request.parse(JSON.parse(text)).tools.filter(({ name }) =>
        name.startsWith(prefix),
      );
      const deferred = tools.filter((tool) => tool.defer_loading === true).length;
      return { text, deferred, whole: tools.length - deferred };
    }),
  );
}

function count(request: SentRequest | undefined): number {
  return request === undefined ? Number.NaN : request.deferred + request.whole;
}

/** Returns the refusal of a service that does not know the field of a deferred tool. */
function refuse(): ScriptStep {
  const error = {
    type: 'invalid_request_error',
    message: 'tools.10.defer_loading: Extra inputs are not permitted',
  };
  const body = JSON.stringify({ type: 'error', error });
  return { response: { status: 400, contentType: 'application/json', body } };
}
