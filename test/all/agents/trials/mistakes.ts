import type { AgentBed } from '../agent-bed.ts';
import { Observation, type Outcome } from '../outcome.ts';
import type { AgentProgram } from '../program.ts';
import { PROMPT, scriptTask } from '../script.ts';
import { hasDoneTask } from './connect.ts';

const TIME_LIMIT_MS = 120_000;
const ENDPOINTS = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
} as const;

/** Does the task with each base address that users type by mistake. */
export async function tryMistakes(program: AgentProgram, bed: AgentBed): Promise<Outcome> {
  const observation = new Observation();
  const { url } = bed.gateway;
  const { files, variables } = bed.connection;
  const settings = [...Object.values(await bed.home.read(files)), ...Object.values(variables)];
  const wantsV1 = settings.some((text) => text?.includes(`${url}/v1`) === true);
  const endpoint = ENDPOINTS[program.protocol];
  const typed = wantsV1 ? ['', '/v1/', '/v1/v1', endpoint] : ['/', '/v1', '/v1/', endpoint];
  let shown = '';
  for (const suffix of typed) {
    await bed.resetTask();
    await bed.play((task) => scriptTask(program, task));
    const before = (await bed.exchanges()).length;
    const end = await bed.run({
      arguments: program.toArguments(PROMPT),
      timeLimitMs: TIME_LIMIT_MS,
      edit: (text) => text.replaceAll(new RegExp(`${url}(?:/v1)?(?!/)`, 'gu'), url + suffix),
    });
    const isDone = await hasDoneTask(bed, end.shown);
    const exchanges = (await bed.exchanges()).slice(before);
    const codes = new Set(exchanges.flatMap(({ repairs }) => repairs.map(({ code }) => code)));
    const paths = [...codes].filter((code) => code.startsWith('path-'));
    observation.see(`\`http://…${suffix}\` ${paths.join(', ') || 'needs no repair'}`);
    observation.expect(`it does the task with http://…${suffix}`, isDone);
    if (!isDone) ({ shown } = end);
  }
  return observation.toOutcomeOf(shown);
}
