import { useQuery } from '@tanstack/react-query';
import { useCalls } from '../../api/client.ts';
import { curl } from '../../../shared/client-setup/other-tools.ts';
import { useSetupValues } from '../../client-setup/use-setup-values.ts';

/** The model and service of a request that is sent from the window. */
export interface TestTarget {
  /** The model ids to choose from; empty while they are unknown. */
  readonly models: readonly string[];
  /** `null` until a person has chosen one. */
  readonly model: string | null;
  readonly setModel: (id: string | null) => void;
  /** Name of the service in use. */
  readonly service: string;
  readonly isSandbox: boolean;
}

/**
 * Returns where a request from here goes. By default it is the model that answered a chat the latest; of the sandbox the first,
 * which makes text and costs nothing.
 */
export function useTestTarget(): TestTarget {
  const { data: status } = useQuery(useCalls().status.get.queryOptions());
  const { models, model, setModel } = useSetupValues({ tool: curl });
  const isSandbox = status?.upstream.kind === 'sandbox';
  const first = isSandbox ? (models[0] ?? null) : null;
  return {
    models,
    model: model ?? first,
    setModel,
    service: status?.upstream.name ?? 'The service',
    isSandbox,
  };
}
