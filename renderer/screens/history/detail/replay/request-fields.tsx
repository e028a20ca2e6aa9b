import { Textarea } from '@mantine/core';
import classes from './replay.module.css';
import type { RequestTexts, TextErrors } from './request-texts.ts';

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
        rows={10}
        onChange={(messages) => onChange({ ...texts, messages })}
      />
      <JsonField
        label="Parameters and all other fields"
        value={texts.fields}
        error={errors?.fields ?? null}
        rows={6}
        onChange={(fields) => onChange({ ...texts, fields })}
      />
    </>
  );
}

interface JsonFieldProps {
  readonly label: string;
  readonly value: string;
  readonly error: string | null;
  readonly rows: number;
  readonly onChange: (value: string) => void;
}

function JsonField({ onChange, ...field }: JsonFieldProps) {
  return (
    <Textarea
      {...field}
      classNames={{ input: classes['json'] ?? '' }}
      autoComplete="off"
      spellCheck={false}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
