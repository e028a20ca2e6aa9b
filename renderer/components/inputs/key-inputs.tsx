import { PasswordInput, type PasswordInputProps, Radio, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import type { KeyPlace } from '../../../shared/upstream.ts';
import { useCalls } from '../../api/client.ts';

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

/** Returns why the system keychain cannot be used; `null` when it can, and while that is not known. */
export function useKeychainFault(): string | null {
  const { data } = useQuery({ ...useCalls().upstreams.keyPlaces.queryOptions(), staleTime: 0 });
  const keychain = data?.find(({ place }) => place === 'keychain');
  return keychain?.works === false ? keychain.reason : null;
}

interface KeyLocationInputProps {
  readonly value: KeyPlace;
  readonly onChange: (place: KeyPlace) => void;
  readonly error?: ReactNode;
}

/** Chooses where a key is stored. A file is preselected only where there is no keychain. */
export function KeyLocationInput({ value, onChange, error }: KeyLocationInputProps) {
  const reason = useKeychainFault();
  const isMissing = reason !== null;
  useEffect(() => {
    if (value === 'keychain' && isMissing) onChange('file');
  }, [value, isMissing, onChange]);
  return (
    <Radio.Group
      label="Keep the key in"
      value={value}
      error={error}
      onChange={(next) => onChange(next === 'file' ? 'file' : 'keychain')}
    >
      <Stack gap={6} mt={4}>
        <Radio
          value="keychain"
          label="The system keychain"
          disabled={isMissing}
          description={reason ?? undefined}
        />
        <Radio
          value="file"
          label="A file in the data folder"
          description="Plain text that you and every program you run can read."
        />
      </Stack>
    </Radio.Group>
  );
}
