import { Textarea } from '@mantine/core';
import { useLayoutEffect, useRef } from 'react';
import classes from './replay.module.css';
import { findLastUserMessage, type RequestTexts, type TextErrors } from './request-texts.ts';

interface RequestFieldsProps {
  readonly texts: RequestTexts;
  /** `null` when both can be sent. */
  readonly errors: TextErrors | null;
  readonly onChange: (texts: RequestTexts) => void;
}

/** Edits the messages of a request and its other fields, as JSON. */
export function RequestFields({ texts, errors, onChange }: RequestFieldsProps) {
  return (
    <>
      <JsonField
        label="Messages"
        value={texts.messages}
        error={errors?.messages ?? null}
        part="messages"
        onChange={(messages) => onChange({ ...texts, messages })}
      />
      <JsonField
        label="Parameters and all other fields"
        value={texts.fields}
        error={errors?.fields ?? null}
        part="fields"
        onChange={(fields) => onChange({ ...texts, fields })}
      />
    </>
  );
}

interface JsonFieldProps {
  readonly label: string;
  readonly value: string;
  readonly error: string | null;
  readonly part: keyof RequestTexts;
  readonly onChange: (value: string) => void;
}

function JsonField({ onChange, part, ...field }: JsonFieldProps) {
  const input = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    if (part === 'messages' && input.current !== null) showLastMessage(input.current);
  }, [part]);
  return (
    <Textarea
      {...field}
      ref={input}
      data-part={part}
      classNames={{ input: classes['json'] ?? '' }}
      autoComplete="off"
      spellCheck={false}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

/** Scrolls to the last message of the user: the newest of a long conversation is at its end. */
function showLastMessage(input: HTMLTextAreaElement): void {
  const { value } = input;
  const offset = findLastUserMessage(value);
  // The height of what is before it; lines may wrap.
  input.value = value.slice(0, offset);
  input.style.height = '0';
  const top = input.scrollHeight;
  input.style.height = '';
  input.value = value;
  input.scrollTop = top - parseFloat(getComputedStyle(input).paddingTop) * 2;
}
