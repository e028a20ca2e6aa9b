import { useEffect, useState } from 'react';
import type { BodySearchResult } from '../../shared/exchange/body.ts';
import { useCalls } from '../api/client.ts';

/** A search in requests and responses. */
export interface BodySearch extends BodySearchResult {
  /** Why it failed; `null` while it did not. */
  readonly error: unknown;
  /** Searches again, for what was stored since. */
  readonly repeat: () => void;
}

interface Found extends BodySearchResult {
  readonly key: string;
  readonly error: unknown;
}

const NOTHING = { ids: [], state: 'running', through: null, error: null } as const;

/** Searches for texts in requests and responses while they are asked for; `null` when none are. */
export function useBodySearch(texts: readonly string[]): BodySearch | null {
  const { history } = useCalls();
  const [round, setRound] = useState(0);
  const [found, setFound] = useState<Found | null>(null);
  const key = JSON.stringify(texts);
  useEffect(() => {
    if (key === '[]') return undefined;
    const stopping = new AbortController();
    const { signal } = stopping;
    const search = async (): Promise<void> => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was made of such a list above
      const input = { texts: JSON.parse(key) as string[] };
      try {
        for await (const result of await history.searchBodies.call(input, { signal })) {
          if (!signal.aborted) setFound({ key, ...result, error: null });
        }
      } catch (error) {
        if (!signal.aborted) setFound({ key, ...NOTHING, ids: [], state: 'done', error });
      }
    };
    void search();
    return () => stopping.abort();
  }, [history, key, round]);
  const repeat = (): void => setRound((before) => before + 1);
  if (texts.length === 0) return null;
  return found?.key === key ? { ...found, repeat } : { ...NOTHING, ids: NO_IDS, repeat };
}

const NO_IDS: BodySearchResult['ids'] = [];
