import { useState } from 'react';
import type { ConnectionChoice, ProgramState } from '../../../shared/connect/connection.ts';
import { preselectModel } from '../../../shared/client-setup/preselected-model.ts';
import { listTextModels, useCurrentModelList } from '../../api/use-model-list.ts';

/** The models that a program is to use, and the folder of its settings where that is needed. */
interface ConnectionChoiceState {
  /** `null` until a model is chosen. */
  readonly choice: ConnectionChoice | null;
  /** The model ids to choose from, each once; `undefined` while they are loaded. */
  readonly models: readonly string[] | undefined;
  readonly model: string | null;
  readonly setModel: (model: string | null) => void;
  readonly smallModel: string | null;
  readonly setSmallModel: (model: string | null) => void;
  readonly project: string;
  readonly setProject: (folder: string) => void;
}

/**
 * Keeps what a program is to use. The first model is the one that the person came with, the one that the program has, or the latest
 * that answered, of its protocol if there is one. The person sees it before the change is made.
 */
export function useConnectionChoice(
  { id, protocol, connection }: ProgramState,
  given: string | undefined,
): ConnectionChoiceState {
  const [picked, setModel] = useState(given ?? connection?.model ?? null);
  const [smallModel, setSmallModel] = useState<string | null>(null);
  const [project, setProject] = useState(connection?.project ?? '');
  const list = useCurrentModelList();
  const models = listTextModels(list);
  const isUsable = picked !== null && (models?.length === 0 || models?.includes(picked) === true);
  const latest =
    preselectModel({ style: 'both', protocol }, list) ?? preselectModel({ style: 'both' }, list);
  const model = isUsable ? picked : latest;
  return {
    choice:
      model === null
        ? null
        : {
            program: id,
            model,
            ...(smallModel !== null && { smallModel }),
            ...(project !== '' && { project }),
          },
    models,
    model,
    setModel,
    smallModel,
    setSmallModel,
    project,
    setProject,
  };
}
