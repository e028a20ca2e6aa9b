import { PasswordInput, type PasswordInputProps, Radio, Stack } from '@mantine/core';

/** Where a service key is kept. */
export type KeyLocation = 'keychain' | 'file';

/** Takes a service key. What is typed can be looked at; what is kept cannot. */
export function KeyInput(props: PasswordInputProps) {
  return (
    <PasswordInput
      label="Service key"
      autoComplete="off"
      spellCheck={false}
      visibilityToggleButtonProps={{ 'aria-label': 'Show what is typed' }}
      {...props}
      // The component itself only paints it.
      aria-invalid={Boolean(props.error)}
    />
  );
}

interface KeyLocationInputProps {
  readonly value: KeyLocation;
  readonly onChange: (place: KeyLocation) => void;
}

/** Chooses where a key is kept; plain text only ever by choice. */
export function KeyLocationInput({ value, onChange }: KeyLocationInputProps) {
  return (
    <Radio.Group
      label="Keep the key in"
      value={value}
      onChange={(next) => onChange(next === 'file' ? 'file' : 'keychain')}
    >
      <Stack gap={6} mt={4}>
        <Radio value="keychain" label="The keychain of this system" />
        <Radio
          value="file"
          label="A file in the data folder"
          description="In plain text. Only you can read it, and every program that you run."
        />
      </Stack>
    </Radio.Group>
  );
}
