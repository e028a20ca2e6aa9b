import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { SaturatedPlan } from './calls/saturated.ts';
import { CHAT_PATH } from './data/exchange.ts';

const Result = z.object({
  requests: z.number(),
  microseconds: z.number(),
  wrong: z.number(),
  broken: z.number(),
});

export function hasWrk(): boolean {
  return spawnSync('wrk', ['-v']).error === undefined;
}

/** Loads one target with `wrk`, one thread. Every answer is compared with the expected bytes; rejects when one differed or was lost. */
export async function runWrk(
  plan: SaturatedPlan,
): Promise<{ requests: number; perSecond: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-bench-wrk-'));
  try {
    const [bodyFile, expectedFile] = [join(folder, 'body'), join(folder, 'expected')];
    await writeFile(bodyFile, plan.body);
    await writeFile(expectedFile, plan.target.answer ?? plan.expected);
    const script = fileURLToPath(new URL('check.lua', import.meta.url));
    const load = ['-t1', `-c${plan.connections}`, `-d${plan.seconds}s`, '-s', script];
    const { target } = plan;
    const output = await run([
      ...load,
      target.url + (target.path ?? CHAT_PATH),
      '--',
      bodyFile,
      expectedFile,
      target.key,
      ...Object.entries(target.headers ?? {}).flat(),
    ]);
    const result = Result.parse(JSON.parse(/^RESULT (.+)$/m.exec(output)?.[1] ?? 'null'));
    if (result.wrong + result.broken > 0 || result.requests === 0) {
      throw new Error(
        `${target.name}: ${result.wrong} wrong and ${result.broken} broken of ${result.requests} answers.`,
      );
    }
    return { requests: result.requests, perSecond: result.requests / (result.microseconds / 1e6) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function run(args: readonly string[]): Promise<string> {
  const child = spawn('wrk', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  return await text(child.stdout);
}
