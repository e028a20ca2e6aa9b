import { Code, Text, TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCalls } from '../../api/client.ts';
import { toMessage } from '../../format/errors.ts';

interface AddressInputProps extends TextInputProps {
  readonly value: string;
}

const PAUSE_MS = 300;

/** An input for the address of a service that accepts pasted endpoint URLs and shows how the text is understood. */
export function AddressInput({ value, error, onBlur, ...rest }: AddressInputProps) {
  const [blurred, setLeft] = useState(false);
  const [text] = useDebouncedValue(value.trim(), PAUSE_MS);
  const read = useQuery(
    useCalls().upstreams.read.queryOptions({ input: { text }, enabled: text !== '' }),
  );
  const settled = text === value.trim() && text !== '' && !read.isPlaceholderData;
  const { url = text, corrections = [] } = (settled ? read.data : undefined) ?? {};
  // An incomplete address is not an error while the person is typing.
  const refusal = settled && blurred && read.isError ? toMessage(read.error) : null;
  return (
    <div>
      <TextInput
        label="Base address"
        placeholder="https://models.example.com"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        {...rest}
        value={value}
        error={error ?? refusal}
        onFocus={() => setLeft(false)}
        onBlur={(event) => {
          setLeft(true);
          onBlur?.(event);
        }}
      />
      <div role="status">
        {settled && url !== text && (
          <Text size="sm" mt={6}>
            Gatehouse uses <Code>{url}</Code>
          </Text>
        )}
        {corrections.map((sentence) => (
          <Text key={sentence} size="sm" c="dimmed">
            {sentence}
          </Text>
        ))}
      </div>
    </div>
  );
}
