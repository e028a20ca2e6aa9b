import { useEffect, useRef, useState } from 'react';
import type { ExchangeId } from '../../../../../shared/exchange/exchange.ts';
import type { ReplayRequest, ReplayResponse } from '../../../../../shared/replay.ts';
import { type Calls, useCalls } from '../../../../api/client.ts';
import { toMessage } from '../../../../format/errors.ts';

/** A request on its way to a model, or what became of it. */
export type Attempt = { readonly model: string } & (
  | { readonly state: 'running' }
  | { readonly state: 'ended'; readonly response: ReplayResponse }
  /** `reason`: why there is no response; `null` when a person cancelled it. */
  | { readonly state: 'failed'; readonly reason: string | null }
);

/** Sends a request to models, once to each. Cancelling, and leaving the dialog, ends what is running. */
export function useReplay(id: ExchangeId) {
  const calls = useCalls();
  const [attempts, setAttempts] = useState<readonly Attempt[]>([]);
  const running = useRef<AbortController | null>(null);
  const cancel = (): void => running.current?.abort();
  useEffect(() => () => running.current?.abort(), []);
  const send = (models: readonly string[], changes: Pick<ReplayRequest, 'changed' | 'removed'>) => {
    const { signal } = (running.current = new AbortController());
    setAttempts(models.map((model) => ({ model, state: 'running' })));
    for (const [place, model] of models.entries()) {
      const changed = { ...changes.changed, model };
      void attempt(calls, { ...changes, id, changed }, signal).then((result) =>
        setAttempts((all) => all.map((one, at) => (at === place ? { model, ...result } : one))),
      );
    }
  };
  const isRunning = attempts.some(({ state }) => state === 'running');
  return { attempts, isRunning, send, cancel };
}

type Result =
  | { readonly state: 'ended'; readonly response: ReplayResponse }
  | { readonly state: 'failed'; readonly reason: string | null };

async function attempt(calls: Calls, request: ReplayRequest, signal: AbortSignal): Promise<Result> {
  try {
    for await (const event of await calls.history.replay.call(request, { signal })) {
      if (event.kind === 'ended') return { state: 'ended', response: event.response };
    }
    // An aborted stream may end as if it were complete.
    const reason = signal.aborted ? null : 'Gatehouse ended before the response was complete.';
    return { state: 'failed', reason };
  } catch (error) {
    return { state: 'failed', reason: signal.aborted ? null : toMessage(error) };
  }
}
