import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { z } from 'zod';
import { type Client, ClientId } from '../../../shared/client.ts';
import { useCalls } from '../../api/client.ts';
import type { ConnectedClient } from '../../client-setup/client-form.tsx';
import type { Connected } from '../../../shared/connect/connection.ts';
import type { ClientTool } from '../../../shared/client-setup/client-tool.ts';
import { another } from '../../../shared/client-setup/other-tools.ts';
import { TOOLS } from '../../../shared/client-setup/tools.ts';
import { deleteStored, readStored, writeStored } from '../../hooks/storage.ts';

const STORAGE_KEY = 'gatehouse-first-steps';
const LAST_STEP = 2;

/** No key is stored: it is shown once. */
const StoredProgress = z.object({
  step: z.number().int().min(0).max(LAST_STEP),
  client: z.object({ id: ClientId, tool: z.string() }).nullable(),
});

/** The client of the first steps and its program. */
export interface FirstClient {
  readonly tool: ClientTool;
  readonly client: Pick<Client, 'id' | 'name' | 'createdAt'>;
  /** The local key; `null` once the screen was left. */
  readonly key: string | null;
}

interface Progress {
  /** The current step, from 0. */
  readonly step: number;
  readonly setStep: (step: number) => void;
  /** `undefined` while it is loaded; `null` when there is none, or when it was revoked. */
  readonly client: FirstClient | null | undefined;
  readonly setClient: (connected: ConnectedClient | null) => void;
  /** Takes the client of a program that was connected, whose key is in its settings. */
  readonly setProgram: (connected: Pick<Connected, 'program' | 'client'>) => void;
}

/** Keeps the step and the client of the first steps for a person who leaves them, until they are done. */
export function useProgress(): Progress {
  const { data: status } = useQuery(useCalls().status.get.queryOptions());
  const isOpen = status?.setUp === false;
  const [progress, setProgress] = useState(
    () => readStored(STORAGE_KEY, StoredProgress) ?? { step: 0, client: null },
  );
  // Kept while the screen is open: the local key can be shown only once.
  const [made, setMade] = useState<ConnectedClient | null>(null);
  useEffect(() => {
    if (isOpen) writeStored(STORAGE_KEY, progress);
  }, [isOpen, progress]);
  const found = useStoredClient(progress.client);
  return {
    step: progress.step,
    setStep: (step) => setProgress({ ...progress, step }),
    client:
      made === null ? found : { tool: made.tool, client: made.made.client, key: made.made.key },
    setClient: (connected) => {
      setMade(connected);
      const client =
        connected === null ? null : { id: connected.made.client.id, tool: connected.tool.id };
      setProgress({ ...progress, client });
    },
    setProgram: ({ program, client }) =>
      setProgress({ ...progress, client: { id: client.id, tool: program } }),
  };
}

/** Forgets the step and the client: the first steps are done. */
export function forgetProgress(): void {
  deleteStored(STORAGE_KEY);
}

function useStoredClient(
  stored: z.infer<typeof StoredProgress>['client'],
): FirstClient | null | undefined {
  const { data } = useQuery(useCalls().clients.list.queryOptions());
  if (stored === null) return null;
  if (data === undefined) return undefined;
  const client = data.find(({ id, revokedAt }) => id === stored.id && revokedAt === null);
  // Some programs can only be connected, and have no tool.
  const tool = TOOLS.find(({ id }) => id === stored.tool) ?? another;
  return client === undefined ? null : { tool, client, key: null };
}
