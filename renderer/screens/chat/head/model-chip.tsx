import { ActionIcon, Tooltip } from '@mantine/core';
import { IconAlertTriangle, IconX } from '@tabler/icons-react';
import { skipToken, useQuery } from '@tanstack/react-query';
import type { LaneModel } from '../../../../shared/chat/chat.ts';
import { useCalls } from '../../../api/client.ts';
import { useModelChoice } from '../../../api/use-model-list.ts';
import classes from './head.module.css';
import { ModelPicker } from '../../../chat/model-picker/model-picker.tsx';
import { ProtocolMenu } from './protocol-menu.tsx';

interface ModelChipProps {
  readonly lane: LaneModel;
  readonly onChange: (lane: LaneModel) => void;
  /** `null` when it is the only model and cannot be removed. */
  readonly onRemove: (() => void) | null;
}

/** Shows one model of a conversation with its protocol and a remove button. */
export function ModelChip({ lane, onChange, onRemove }: ModelChipProps) {
  const { model } = lane;
  return (
    <div className={classes['chip']} role="group" aria-label={model === '' ? 'Model' : model}>
      <ModelPicker value={model} onPick={(picked) => onChange({ model: picked, protocol: null })} />
      <Unlisted model={model} />
      <ProtocolMenu lane={lane} onChoose={(protocol) => onChange({ model, protocol })} />
      {onRemove !== null && (
        <Tooltip label="Remove this model">
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={`Remove ${model}`}
            onClick={onRemove}
          >
            <IconX size={14} />
          </ActionIcon>
        </Tooltip>
      )}
    </div>
  );
}

/** Warns about a model that is not in the list. */
function Unlisted({ model }: { readonly model: string }) {
  const models = useModelChoice();
  const isMissing =
    model !== '' && models.length > 0 && !models.some((known) => known.model.id === model);
  const { data } = useQuery(
    useCalls().models.explain.queryOptions({ input: isMissing ? { name: model } : skipToken }),
  );
  if (!isMissing || data === undefined || data.kind === 'exact') return null;
  return (
    <Tooltip label={data.sentence}>
      <span className={classes['warning']} role="img" aria-label={data.sentence} tabIndex={0}>
        <IconAlertTriangle size={15} aria-hidden />
      </span>
    </Tooltip>
  );
}
