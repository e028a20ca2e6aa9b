import { Kbd, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { KeyboardEvent } from 'react';
import { FILTER_INPUT } from '../../hooks/keyboard/focus-filter.ts';
import { useTypedText } from '../../hooks/use-typed-text.ts';

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
  const { typed, type, leave } = useTypedText({ value, onChange, onLeave });
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.key === 'Escape') {
      if (typed === '') event.currentTarget.blur();
      else type('');
    } else if (event.key === 'ArrowDown' || event.key === 'Enter') {
      event.preventDefault();
      leave();
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
