import { ActionIcon, Button, Group } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { MAX_REPLAYS } from '../../../../../shared/replay.ts';
import { ModelPicker } from '../../../../chat/model-picker/model-picker.tsx';

interface ChosenModelsProps {
  readonly models: readonly string[];
  readonly onChange: (models: readonly string[]) => void;
  readonly isDisabled: boolean;
}

/** Chooses one to three models. */
export function ChosenModels({ models, onChange, isDisabled }: ChosenModelsProps) {
  return (
    <Group gap="xs" role="group" aria-label="Models">
      {models.map((model, place) => (
        <Group key={place} gap={2} wrap="nowrap">
          <ModelPicker
            value={model}
            label={models.length === 1 ? 'Model' : `Model ${place + 1}`}
            onPick={(picked) => onChange(models.with(place, picked))}
          />
          {models.length > 1 && (
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={`Remove model ${place + 1}`}
              onClick={() => onChange(models.toSpliced(place, 1))}
            >
              <IconX size={14} aria-hidden />
            </ActionIcon>
          )}
        </Group>
      ))}
      {models.length < MAX_REPLAYS && (
        <Button
          size="compact-sm"
          variant="subtle"
          disabled={isDisabled}
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => onChange([...models, ''])}
        >
          Add a model
        </Button>
      )}
    </Group>
  );
}
