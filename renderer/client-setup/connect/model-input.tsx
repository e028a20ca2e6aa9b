import { Select, TextInput } from '@mantine/core';

const MAX_SHOWN = 50;

interface ModelInputProps {
  readonly label: string;
  /** Said instead of a model while none is chosen. */
  readonly placeholder: string;
  /** The model ids of the service; `undefined` while they are loaded. */
  readonly models: readonly string[] | undefined;
  readonly value: string | null;
  readonly onChange: (model: string | null) => void;
  /** Whether it can be left empty. */
  readonly optional?: boolean;
}

/** Chooses a model of the service. Its name is typed where the service lists none. */
export function ModelInput(props: ModelInputProps) {
  const { label, placeholder, models, value, onChange, optional = false } = props;
  if (models?.length === 0) {
    return (
      <TextInput
        label={label}
        description="The service lists no models. Enter the name of one."
        defaultValue={value ?? ''}
        autoComplete="off"
        spellCheck={false}
        onBlur={({ currentTarget }) => onChange(currentTarget.value.trim() || null)}
      />
    );
  }
  return (
    <Select
      label={label}
      placeholder={placeholder}
      data={models ?? []}
      value={value}
      onChange={onChange}
      allowDeselect={false}
      clearable={optional}
      searchable
      limit={MAX_SHOWN}
      nothingFoundMessage="This model is not in the list."
      clearButtonProps={{ 'aria-label': `Clear: ${label}` }}
    />
  );
}
