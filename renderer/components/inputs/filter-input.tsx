import { Kbd, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { FILTER_INPUT } from '../../hooks/focus-filter.ts';

const PAUSE_MS = 120;

interface FilterInputProps {
  /** The accessible label. */
  readonly label: string;
  readonly placeholder: string;
  /** The text currently applied. */
  readonly value: string;
  /** Called when typing pauses. */
  readonly onChange: (text: string) => void;
  /** Matches the size of small buttons beside it. */
  readonly small?: boolean;
  /** Called on Arrow down or Enter, to move the focus to the results. */
  readonly onLeave?: () => void;
}

/** The filter of a screen, focused by `/`. Escape empties it. */
export function FilterInput(props: FilterInputProps) {
  const { label, placeholder, value, onChange, small = false, onLeave } = props;
  const [typed, setTyped] = useState(value);
  const [seen, setSeen] = useState(value);
  const [leaving, setLeaving] = useState(false);
  const [reported, setReported] = useState(value);
  const report = useDebouncedCallback(
    (text: string) => {
      setReported(text);
      onChange(text);
    },
    { delay: PAUSE_MS, flushOnUnmount: false },
  );
  if (seen !== value) {
    setSeen(value);
    // Back and forward change the text from outside; an update that was caused by typing must not undo newer typing.
    if (value !== reported) setTyped(value);
  }
  useEffect(() => {
    // The results for the previous text are about to be replaced.
    if (!leaving || value !== typed) return;
    setLeaving(false);
    onLeave?.();
  }, [leaving, value, typed, onLeave]);
  const type = (text: string): void => {
    setTyped(text);
    setLeaving(false);
    report(text);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.key === 'Escape') {
      if (typed === '') event.currentTarget.blur();
      else type('');
    } else if (event.key === 'ArrowDown' || event.key === 'Enter') {
      event.preventDefault();
      report.flush();
      setLeaving(true);
    }
  };
  return (
    <TextInput
      {...FILTER_INPUT}
      type="search"
      size={small ? 'xs' : 'sm'}
      aria-label={label}
      placeholder={placeholder}
      value={typed}
      onChange={(event) => type(event.currentTarget.value)}
      onKeyDown={onKeyDown}
      leftSection={<IconSearch size={15} aria-hidden />}
      rightSection={typed === '' ? <Kbd size="xs">/</Kbd> : null}
      autoComplete="off"
      spellCheck={false}
    />
  );
}
