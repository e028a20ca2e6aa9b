import { PasswordInput, type PasswordInputProps, Radio, Stack } from '@mantine/core';

/** A place where a service key is stored. */
export type KeyLocation = 'keychain' | 'file';

/** An input for a service key. A typed key can be shown; a stored one cannot. */
export function KeyInput(props: PasswordInputProps) {
  return (
    <PasswordInput
      label="Service key"
      autoComplete="off"
      spellCheck={false}
      visibilityToggleButtonProps={{ 'aria-label': 'Show the key' }}
      {...props}
      // The component itself only draws the mark.
      aria-invalid={Boolean(props.error)}
    />
  );
}

interface KeyLocationInputProps {
  readonly value: KeyLocation;
  readonly onChange: (place: KeyLocation) => void;
}

/** Chooses where a key is stored; plain text is never the default. */
export function KeyLocationInput({ value, onChange }: KeyLocationInputProps) {
  return (
    <Radio.Group
      label="Keep the key in"
      value={value}
      onChange={(next) => onChange(next === 'file' ? 'file' : 'keychain')}
    >
      <Stack gap={6} mt={4}>
        <Radio value="keychain" label="The system keychain" />
        <Radio
          value="file"
          label="A file in the data folder"
          description="Plain text, readable by you and every program that you run."
        />
      </Stack>
    </Radio.Group>
  );
}
