import { Kbd, Popover, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from 'react';
import type { Completion } from '../../../../shared/filter-language/complete.ts';
import { MAX_FILTER_LENGTH } from '../../../../shared/filter-language/limits.ts';
import { parseFilter } from '../../../../shared/filter-language/parse.ts';
import { FILTER_INPUT } from '../../../hooks/keyboard/focus-filter.ts';
import { isComposing } from '../../../hooks/keyboard/is-composing.ts';
import type { TypedText } from '../../../hooks/use-typed-text.ts';
import { CompletionList, toOptionId } from './completion-list.tsx';
import classes from './filter-box.module.css';
import { FilterErrorNote } from './filter-error-note.tsx';
import { type CompletionState, type HistoryNames, useCompletion } from './use-completion.ts';

interface FilterBoxProps {
  readonly box: TypedText;
  /** Names to complete; absent until they are known. */
  readonly names: HistoryNames | undefined;
}

/**
 * The text of the filter, focused by `/`. It offers what can follow, and says what has no meaning. Escape closes the list, then
 * empties the text; Enter and Arrow down move to the results.
 */
export function FilterBox({ box, names }: FilterBoxProps) {
  const id = useId();
  const { input, caret, setCaret, setText } = useCaret(box);
  const completion = useCompletion(box.typed, caret, names);
  const { completions, marked } = completion;
  const isOpen = completions.length > 0;
  const [error] = parseFilter(box.typed).errors;
  // A term that is still being typed may become a valid one.
  const isUnfinished = isOpen && error !== undefined && error.from <= caret && caret <= error.to;
  const shownError = isUnfinished ? undefined : error;
  const put = (chosen: Completion): void => {
    const next = completion.put(chosen);
    setText(next.text, next.caret);
    completion.open();
  };
  return (
    <div className={classes['box']}>
      <Popover
        opened={isOpen}
        position="bottom-start"
        width="target"
        withinPortal={false}
        trapFocus={false}
        withRoles={false}
      >
        <Popover.Target>
          <TextInput
            {...FILTER_INPUT}
            ref={input}
            type="search"
            size="xs"
            aria-label="Search the history"
            {...describeList(id, completion)}
            error={
              shownError === undefined ? null : (
                <FilterErrorNote text={box.typed} error={shownError} />
              )
            }
            placeholder="Words, or status:4xx, model:gpt*, tokens>10k…"
            maxLength={MAX_FILTER_LENGTH}
            value={box.typed}
            onChange={({ currentTarget: { value, selectionStart } }) => {
              setText(value, selectionStart ?? value.length);
              completion.open();
            }}
            onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart ?? 0)}
            onKeyDown={(event) => handleKey(event, { box, completion, put })}
            onBlur={completion.close}
            leftSection={<IconSearch size={15} aria-hidden />}
            rightSection={box.typed === '' ? <Kbd size="xs">/</Kbd> : null}
            autoComplete="off"
            spellCheck={false}
          />
        </Popover.Target>
        <Popover.Dropdown p={4}>
          <CompletionList id={id} completions={completions} marked={marked} onPick={put} />
        </Popover.Dropdown>
      </Popover>
    </div>
  );
}

/** Attributes that tell assistive technology about the list of an input, which keeps the focus. */
function describeList(id: string, { completions, marked }: CompletionState) {
  const isOpen = completions.length > 0;
  return {
    role: 'combobox',
    'aria-autocomplete': 'list',
    'aria-haspopup': 'listbox',
    'aria-expanded': isOpen,
    'aria-controls': isOpen ? id : undefined,
    'aria-activedescendant': isOpen && marked !== -1 ? toOptionId(id, marked) : undefined,
  } as const;
}

interface KeyContext {
  readonly box: TypedText;
  readonly completion: CompletionState;
  readonly put: (completion: Completion) => void;
}

function handleKey(event: KeyboardEvent<HTMLInputElement>, { box, completion, put }: KeyContext) {
  if (isComposing(event)) return;
  const { completions, marked } = completion;
  const isOpen = completions.length > 0;
  const chosen = completions[marked];
  const isVertical = event.key === 'ArrowDown' || event.key === 'ArrowUp';
  const asks = event.altKey ? event.key === 'ArrowDown' : event.ctrlKey && event.code === 'Space';
  if (asks) completion.open();
  else if (isOpen && isVertical) completion.move(event.key === 'ArrowDown' ? 1 : -1);
  else if (chosen !== undefined && (event.key === 'Enter' || event.key === 'Tab')) put(chosen);
  else if (event.key === 'ArrowDown' || event.key === 'Enter') {
    completion.close();
    box.leave();
  } else if (event.key !== 'Escape') return;
  else if (isOpen) completion.close();
  else if (box.typed === '') event.currentTarget.blur();
  else box.type('');
  event.preventDefault();
}

/** Keeps the place of the caret, and puts it where a changed text needs it. */
function useCaret(box: TypedText) {
  const input = useRef<HTMLInputElement>(null);
  const [caret, setCaret] = useState(box.typed.length);
  const [wanted, setWanted] = useState<number | null>(null);
  useLayoutEffect(() => {
    if (wanted === null) return;
    input.current?.setSelectionRange(wanted, wanted);
    setWanted(null);
  }, [wanted]);
  const setText = (text: string, at: number): void => {
    box.type(text);
    setCaret(at);
    setWanted(at);
  };
  return { input, caret, setCaret, setText };
}
