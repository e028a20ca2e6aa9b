import { Select, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Expiry } from '../../shared/client.ts';
import { formatDay } from '../../shared/format.ts';
import {
  findExpiry,
  EXPIRY_CHOICES,
  type ExpiryChoice,
  lastDayOf,
  startOfNextDay,
} from './expiry.ts';

interface ExpirySelectProps {
  /** The expiry so far, which is not past. */
  readonly current: Expiry;
  /** `undefined` while no valid date is chosen. */
  readonly onChange: (expiresAt: Expiry | undefined) => void;
}

/** Selects when a local key expires: never, after some days, or at the end of a day. */
export function ExpirySelect({ current, onChange }: ExpirySelectProps) {
  const [openedAt] = useState(Date.now);
  const isSet = current !== null;
  const [choice, setChoice] = useState<ExpiryChoice>(isSet ? 'date' : 'never');
  const [day, setDay] = useState(
    formatDay(isSet ? lastDayOf(current) : (findExpiry('30', openedAt) ?? openedAt)),
  );
  const [touched, setTouched] = useState(false);
  const chooseDay = (text: string): void => {
    setDay(text);
    onChange(startOfNextDay(text, Date.now()) ?? undefined);
  };
  const choose = (value: string | null): void => {
    const next = EXPIRY_CHOICES.find((each) => each.value === value)?.value ?? 'never';
    setChoice(next);
    if (next === 'date') chooseDay(day);
    else onChange(findExpiry(next, Date.now()));
  };
  const invalid = choice === 'date' && touched && startOfNextDay(day, openedAt) === null;
  return (
    <Stack gap="xs">
      <Select
        label="Expires"
        description="After that, requests with this key are refused. You can change it later."
        data={EXPIRY_CHOICES}
        value={choice}
        onChange={choose}
        allowDeselect={false}
      />
      {choice === 'date' && (
        <TextInput
          type="date"
          label="Last day"
          min={formatDay(openedAt)}
          value={day}
          onChange={(event) => chooseDay(event.currentTarget.value)}
          onBlur={() => setTouched(true)}
          {...(invalid ? { error: 'Choose today or a later day.' } : {})}
        />
      )}
    </Stack>
  );
}
