import { NumberInput, Stack, Switch, Textarea } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { ChatSettings, type LaneModel } from '../../../../shared/chat/chat.ts';
import { formatCount } from '../../../../shared/format.ts';

const PAUSE_MS = 300;
/** Default `max_tokens` for Messages, which requires a value (spec section 4.4). */
const MESSAGES_TOKENS = 8_192;
/** Maximum temperature (spec section 4.2). */
const USUAL_TEMPERATURE = 2;

interface SettingsFormProps {
  readonly settings: ChatSettings;
  readonly lanes: readonly LaneModel[];
  readonly onChange: (settings: ChatSettings) => void;
}

/** Edits system prompt, temperature and answer length. Each change is saved when typing pauses. */
export function SettingsForm({ settings, lanes, onChange }: SettingsFormProps) {
  const [typed, setTyped] = useState(settings);
  const save = useDebouncedCallback(onChange, { delay: PAUSE_MS, flushOnUnmount: true });
  const problems = findProblems(typed);
  const change = (some: Partial<ChatSettings>): void => {
    const next = { ...typed, ...some };
    setTyped(next);
    if (ChatSettings.safeParse(next).success) save(next);
    else save.cancel();
  };
  return (
    <Stack gap="sm">
      <Textarea
        label="System prompt"
        description="Instructions sent before the conversation."
        autosize
        minRows={3}
        maxRows={10}
        data-autofocus
        value={typed.system}
        error={problems.get('system')}
        onChange={(event) => change({ system: event.currentTarget.value })}
      />
      <Numbers typed={typed} problems={problems} lanes={lanes} onChange={change} />
      <Switch
        label="Send images to any model"
        description="Even if the model is not listed as supporting images."
        checked={typed.imagesAnyway}
        onChange={(event) => change({ imagesAnyway: event.currentTarget.checked })}
      />
    </Stack>
  );
}

interface NumbersProps {
  readonly typed: ChatSettings;
  readonly problems: ReadonlyMap<unknown, string>;
  readonly lanes: readonly LaneModel[];
  readonly onChange: (some: Partial<ChatSettings>) => void;
}

/** The parameters that are sent only when they are set. */
function Numbers({ typed, problems, lanes, onChange }: NumbersProps) {
  return (
    <>
      <NumberInput
        label="Temperature"
        description={
          (typed.temperature ?? 0) > USUAL_TEMPERATURE
            ? 'Most models accept 0 to 2; this value may be refused.'
            : 'Leave empty to use the model’s default.'
        }
        decimalScale={2}
        step={0.1}
        min={0}
        clampBehavior="none"
        allowNegative={false}
        value={typed.temperature ?? ''}
        error={problems.get('temperature')}
        onChange={(value) => onChange({ temperature: toNumber(value) })}
      />
      <NumberInput
        label="Maximum answer length (tokens)"
        description={
          lanes.some(({ protocol }) => protocol === 'messages')
            ? `Leave empty to send ${formatCount(MESSAGES_TOKENS)}: Messages requires a number.`
            : `Leave empty to use the model’s default, or ${formatCount(MESSAGES_TOKENS)} with Messages, which requires a number.`
        }
        allowDecimal={false}
        allowNegative={false}
        thousandSeparator=","
        step={256}
        min={1}
        clampBehavior="none"
        value={typed.maxTokens ?? ''}
        error={problems.get('maxTokens')}
        onChange={(value) => onChange({ maxTokens: toNumber(value) })}
      />
    </>
  );
}

function toNumber(value: number | string): number | null {
  return typeof value === 'number' ? value : null;
}

/** Validates the input; returns errors by field name. */
function findProblems(typed: ChatSettings): ReadonlyMap<unknown, string> {
  const read = ChatSettings.safeParse(typed);
  return new Map(read.error?.issues.map(({ path, message }) => [path[0], message]));
}
