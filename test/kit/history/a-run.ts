import { UNKNOWN_USAGE } from '../../../shared/exchange/usage.ts';
import { RunStep, RunSummary } from '../../../shared/run/run.ts';
import { NOON } from './history-folder.ts';

/** Returns a step of a run, which was answered and has nothing to show unless a fact says so. */
export function aStep(id: string, startedAt: number, facts: Partial<RunStep> = {}): RunStep {
  return RunStep.parse({
    id,
    startedAt,
    protocol: 'messages',
    clientName: null,
    model: 'm',
    status: 200,
    errorCode: null,
    endedBy: 'service',
    durationMs: 1_000,
    firstByteMs: 100,
    usage: UNKNOWN_USAGE,
    prompt: null,
    results: [],
    moreResults: 0,
    answer: null,
    calls: [],
    moreCalls: 0,
    finish: null,
    error: null,
    context: { system: 1, tools: 1, history: 0, newest: 9, largestTools: [], largestResults: [] },
    change: null,
    repeated: false,
    ...facts,
  });
}

/** Returns what is known of a run as a whole, of which nothing is known unless a fact says so. */
export function aRunSummary(facts: Partial<RunSummary>): RunSummary {
  return RunSummary.parse({
    id: 'run-1',
    title: '',
    clientName: null,
    conversation: null,
    models: [],
    startedAt: NOON,
    endedAt: NOON,
    steps: 0,
    failed: 0,
    endedWell: true,
    calls: 0,
    input: null,
    output: null,
    cacheRead: null,
    pinned: 0,
    ...facts,
  });
}
