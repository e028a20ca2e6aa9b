import { TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCalls } from '../../client/client.ts';
import { sentenceOf } from '../../parts/problem.ts';
import classes from './welcome.module.css';

const TYPING_PAUSE_MS = 300;

type AddressInputProps = Omit<TextInputProps, 'value' | 'onBlur'> & { readonly value: string };

/** The base address of a service. What is pasted wrong is corrected on the spot, and the correction explained. */
export function AddressInput({ value, error, ...props }: AddressInputProps) {
  const [left, setLeft] = useState(false);
  const [text] = useDebouncedValue(value.trim(), TYPING_PAUSE_MS);
  const read = useQuery({
    ...useCalls().upstreams.read.queryOptions({ input: { text } }),
    enabled: text !== '',
  });
  const wrong = left && text !== '' && read.isError ? sentenceOf(read.error) : undefined;
  // What was said of the text before does not hold for this one.
  const now = text === '' || read.isPlaceholderData ? undefined : read.data;
  return (
    <div>
      <TextInput
        label="Base address"
        description="The address of the service for programs. A whole endpoint will do, too."
        placeholder="https://models.example.com"
        autoComplete="off"
        spellCheck={false}
        inputMode="url"
        {...props}
        value={value}
        error={error ?? wrong}
        onBlur={() => setLeft(true)}
      />
      <ul className={classes['corrections']} aria-live="polite">
        {now !== undefined && now.corrections.length > 0 && (
          <>
            {now.corrections.map((correction) => (
              <li key={correction}>{correction}</li>
            ))}
            <li>
              Gatehouse will use <strong>{now.url}</strong>.
            </li>
          </>
        )}
      </ul>
    </div>
  );
}
