import { Select } from '@mantine/core';
import { useModelChoice } from '../../../client/use-model-list.ts';

interface ModelPickerProps {
  readonly value: string;
  readonly onPick: (model: string) => void;
}

/** Chooses a model out of the live list. */
export function ModelPicker({ value, onPick }: ModelPickerProps) {
  const models = useModelChoice();
  return (
    <Select
      size="xs"
      searchable
      aria-label="Model"
      data={[...new Set([value, ...models.map(({ model }) => model.id)])]}
      value={value}
      onChange={(model) => {
        if (model !== null) onPick(model);
      }}
    />
  );
}
