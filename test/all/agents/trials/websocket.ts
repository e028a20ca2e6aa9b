import type { AgentBed } from '../agent-bed.ts';
import { Observation, type Outcome } from '../outcome.ts';
import type { AgentProgram } from '../program.ts';
import { PROMPT, scriptTask } from '../script.ts';
import { hasDoneTask } from './connect.ts';

const TIME_LIMIT_MS = 120_000;
const MAX_LOSS_MS = 2_000;
const OFF = 'supports_websockets = false';

const VARIANTS = [
  ['without the line', ''],
  ['with “supports_websockets = true”', 'supports_websockets = true'],
] as const;
const MAX_SHOWN = 600;

interface FirstRequest {
  readonly afterMs: number;
  readonly attempts: number;
  readonly shown: string;
}

/** Measures how much later the first request of Codex comes when it tries a WebSocket before. `null` for other programs. */
export async function tryWebSocket(program: AgentProgram, bed: AgentBed): Promise<Outcome | null> {
  const { files } = bed.connection;
  const isSwitchedOff = Object.values(await bed.home.read(files)).some((text) =>
    text?.includes(OFF),
  );
  if (!isSwitchedOff) return null;
  const observation = new Observation();
  const off = await measure(program, bed, (text) => text);
  observation.see(`as it is connected ${off.attempts} attempts`);
  observation.expect('as it is connected, it tries no WebSocket', off.attempts === 0);
  let logged: readonly string[] = [];
  for (const [name, line] of VARIANTS) {
    const { attempts, afterMs, shown } = await measure(program, bed, (text) =>
      text.replace(OFF, line),
    );
    const loss = Math.max(0, afterMs - off.afterMs);
    const seconds = (loss / 1_000).toFixed(1);
    observation.see(`${name} ${attempts}, and its first request comes ${seconds} s later`);
    observation.expect(`${name} it loses at most 2 s`, loss <= MAX_LOSS_MS);
    logged = shown.split('\n').filter((text) => /websocket|reconnect|426/iu.test(text));
  }
  return observation.toOutcome(logged.length === 0 ? null : logged.join('\n').slice(0, MAX_SHOWN));
}

async function measure(
  program: AgentProgram,
  bed: AgentBed,
  edit: (text: string) => string,
): Promise<FirstRequest> {
  await bed.resetTask();
  await bed.play((task) => scriptTask(program, task));
  const startedAt = Date.now();
  const { shown } = await bed.run({
    arguments: program.toArguments(PROMPT),
    timeLimitMs: TIME_LIMIT_MS,
    edit,
  });
  if (!(await hasDoneTask(bed, shown))) throw new Error(`It did not do the task: ${shown}`);
  const exchanges = (await bed.exchanges()).filter((exchange) => exchange.startedAt >= startedAt);
  const first = exchanges.find(({ method }) => method === 'POST');
  const attempts = exchanges.filter(({ errorCode }) => errorCode === 'upgrade_not_supported');
  return {
    afterMs: (first?.startedAt ?? Number.NaN) - startedAt,
    attempts: attempts.length,
    shown,
  };
}
